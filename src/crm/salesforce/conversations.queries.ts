import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { SessionMessage } from '../outgoing/shared.queries.ts';

const selectConversations = (db: Db, orgId: string) =>
  db
    .selectFrom('miaw_conversations')
    .select([
      'session_id',
      'conversation_id',
      'continues',
      'sealed_token',
      'token_expires_at',
      'opened_at',
      'read_until',
      'ended_id',
      'ended_sealed_token',
      'ended_token_expires_at',
      'ended_read_until',
    ])
    .where('org_id', '=', orgId);

export type ConversationRow = NonNullable<Awaited<ReturnType<typeof findConversation>>>;

/** Returns whether a conversation can be written to and read. */
export const isOpen = ({ opened_at, continues }: Pick<ConversationRow, 'opened_at' | 'continues'>): boolean =>
  opened_at !== null && continues === null;

export const findConversation = (db: Db, orgId: string, sessionId: string) =>
  selectConversations(db, orgId).where('session_id', '=', sessionId).executeTakeFirst();

export const findConversationById = (db: Db, orgId: string, conversationId: string) =>
  selectConversations(db, orgId).where('conversation_id', '=', conversationId).executeTakeFirst();

export const findConversationByEndedId = (db: Db, orgId: string, endedId: string) =>
  selectConversations(db, orgId).where('ended_id', '=', endedId).executeTakeFirst();

/** Returns the session's conversation, locked until the transaction ends. */
export const lockConversation = (trx: Trx, orgId: string, sessionId: string) =>
  selectConversations(trx, orgId).where('session_id', '=', sessionId).forUpdate().executeTakeFirst();

/** Inserts a conversation for the session, unless it has one. */
export async function insertConversation(
  db: Db,
  orgId: string,
  { sessionId, conversationId }: { sessionId: string; conversationId: string },
): Promise<void> {
  await db
    .insertInto('miaw_conversations')
    .values({ org_id: orgId, session_id: sessionId, conversation_id: conversationId })
    .onConflict((oc) => oc.columns(['org_id', 'session_id']).doNothing())
    .execute();
}

export async function updateToken(
  db: Db,
  orgId: string,
  sessionId: string,
  token:
    | Pick<ConversationRow, 'sealed_token' | 'token_expires_at'>
    | Pick<ConversationRow, 'ended_sealed_token' | 'ended_token_expires_at'>,
): Promise<void> {
  await db
    .updateTable('miaw_conversations')
    .set(token)
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .execute();
}

/**
 * Replaces a session's conversation with another one, still to be opened. One that was open stays beside it, with its token,
 * to be read to its end. Does nothing if it was replaced before, or if an earlier one is still to be read.
 */
export async function replaceConversation(
  db: Db,
  orgId: string,
  sessionId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await sql`
    update miaw_conversations set conversation_id = ${to}, continues = conversation_id,
      sealed_token = null, token_expires_at = null, read_until = null,
      (ended_id, ended_sealed_token, ended_token_expires_at, ended_read_until) = (
        select kept.id, kept.token, kept.expires_at, kept.read_until
        from (values
          (true, conversation_id, sealed_token, token_expires_at, read_until),
          (false, ended_id, ended_sealed_token, ended_token_expires_at, ended_read_until)
        ) as kept (was_open, id, token, expires_at, read_until)
        where kept.was_open = (opened_at is not null and continues is null)
      )
    where org_id = ${orgId} and session_id = ${sessionId} and conversation_id = ${from}
      and (ended_id is null or continues is not null)
  `.execute(db);
}

/** Deletes what is known of the conversation before the session's current one. */
export async function deleteEndedConversation(
  db: Db,
  orgId: string,
  { sessionId, conversationId }: { sessionId: string; conversationId: string },
): Promise<void> {
  await db
    .updateTable('miaw_conversations')
    .set({ ended_id: null, ended_sealed_token: null, ended_token_expires_at: null, ended_read_until: null })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('ended_id', '=', conversationId)
    .execute();
}

/** Returns whether the conversation of a handoff is neither there nor given up. */
export async function awaitsHandoff(db: Db, orgId: string, sessionId: string): Promise<boolean> {
  const part = await db
    .selectFrom('crm_handoff_parts')
    .select('state')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('part', '=', 'conversation')
    .where('state', 'in', ['pending', 'running', 'parked', 'failed'])
    .executeTakeFirst();
  return part !== undefined;
}

/** Records that a session's conversation is open, unless the session has another one by now. */
export async function setOpened(
  db: Db,
  orgId: string,
  { sessionId, conversationId }: { sessionId: string; conversationId: string },
): Promise<void> {
  await db
    .updateTable('miaw_conversations')
    .set({ opened_at: sql<Date>`coalesce(opened_at, now())`, continues: null })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('conversation_id', '=', conversationId)
    .execute();
}

/** Deletes a session's conversation if none of the session was ever open. Returns whether there was one. */
export async function deleteUnopenedConversation(trx: Trx, orgId: string, sessionId: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('miaw_conversations')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('opened_at', 'is', null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Records the time of the latest entry read from a conversation. The time never moves back, nor ahead of our own clock.
 */
export async function updateConversationReadUntil(
  db: Db,
  orgId: string,
  { sessionId, conversationId, until }: { sessionId: string; conversationId: string; until: Date },
): Promise<void> {
  const latest = sql`least(${until}::timestamptz, now())`;
  await sql`
    update miaw_conversations set
      read_until = case when conversation_id = ${conversationId} then greatest(read_until, ${latest}) else read_until end,
      ended_read_until =
        case when ended_id = ${conversationId} then greatest(ended_read_until, ${latest}) else ended_read_until end
    where org_id = ${orgId} and session_id = ${sessionId} and ${conversationId} in (conversation_id, ended_id)
  `.execute(db);
}

/**
 * Inserts messages to be sent to the conversations of their sessions in Salesforce, each once. Returns the sessions
 * with new messages.
 */
export async function insertMiawMessages(trx: Trx, orgId: string, messages: SessionMessage[]): Promise<string[]> {
  const { rows } = await sql<{ session_id: string }>`
    with added as (
      insert into crm_messages (org_id, id, session_id, target)
      select conversation.org_id, message.message_id, conversation.session_id, 'miaw'
      from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as message (session_id uuid, message_id uuid)
      join miaw_conversations as conversation on conversation.org_id = ${orgId} and conversation.session_id = message.session_id
      on conflict (org_id, id) do nothing
      returning session_id
    )
    select distinct session_id from added
  `.execute(trx);
  return rows.map(({ session_id }) => session_id);
}

/** Returns the sessions with messages still to be sent to Salesforce. */
export async function listSessionsWithUnsent(db: Db, orgId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ session_id: string }>`
    select distinct session_id from crm_messages
    where org_id = ${orgId} and target = 'miaw' and state in ('queued', 'sending') limit ${limit}
  `.execute(db);
  return rows.map(({ session_id }) => session_id);
}

/** Returns open conversations of open sessions whose tokens expire soon, of all orgs. */
export async function listExpiringConversations(
  db: Db,
  { withinMs, limit }: { withinMs: number; limit: number },
): Promise<{ org_id: string; session_id: string }[]> {
  const { rows } = await sql<{ org_id: string; session_id: string }>`
    select conversation.org_id, conversation.session_id from miaw_conversations as conversation
    join sessions as session on session.org_id = conversation.org_id and session.id = conversation.session_id
    where conversation.opened_at is not null and session.status = 'open'
      and conversation.token_expires_at between now() and now() + ${withinMs} * interval '1 millisecond'
    order by conversation.token_expires_at limit ${limit}
  `.execute(db);
  return rows;
}
