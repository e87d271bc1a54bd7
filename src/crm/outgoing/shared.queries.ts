import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { CrmHandoffPartsTable } from '../handoffs/table.ts';
import type { MessageTarget } from './table.ts';

export interface SessionMessage {
  session_id: string;
  message_id: string;
}

/** The messages of a session to one of the systems that it is relayed to. */
export interface OutgoingQueue {
  sessionId: string;
  target: MessageTarget;
}

/** Inserts messages to be posted in the threads of their sessions, each once. Returns the threads with new messages. */
export async function insertOutgoingMessages(trx: Trx, orgId: string, messages: SessionMessage[]): Promise<string[]> {
  const { rows } = await sql<{ thread_id: string }>`
    with relayed as (
      select link.session_id, link.thread_id, message.message_id
      from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as message (session_id uuid, message_id uuid)
      join crm_links as link on link.org_id = ${orgId} and link.session_id = message.session_id
      where link.thread_id is not null
    ), added as (
      insert into crm_messages (org_id, id, session_id, target) select ${orgId}::uuid, message_id, session_id, 'thread' from relayed
      on conflict (org_id, id) do nothing
      returning session_id
    )
    select distinct thread_id from relayed where session_id in (select session_id from added)
  `.execute(trx);
  return rows.map(({ thread_id }) => thread_id);
}

export interface ChangedMessage extends SessionMessage {
  /** The event of the change in the session's history. */
  change_id: string;
}

/**
 * Inserts changes of messages for the systems that have a copy, each once: in the conversation in Salesforce, or
 * else on the ticket in HubSpot. What was said before a handoff may be quoted there. Returns the places with new ones: a
 * ticket, or the session's conversation in Salesforce.
 */
export async function insertChangesOfCopies(
  trx: Trx,
  orgId: string,
  changes: ChangedMessage[],
): Promise<{ session_id: string; ticket_id: string | null }[]> {
  const isQuotedIn = (...parts: CrmHandoffPartsTable['part'][]) => sql`exists (
    select from crm_handoff_parts as part
    where part.org_id = ${orgId} and part.session_id = change.session_id and part.part = any(${parts}::text[])
      and part.state in ('running', 'parked', 'done') and part.last_tried_at >= message.created_at
  )`;
  const { rows } = await sql<{ session_id: string; ticket_id: string | null }>`
    with change as (
      select * from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as given (session_id uuid, message_id uuid, change_id uuid)
    ), place as (
      select change.change_id, change.session_id, conversation.session_id is not null as is_miaw, link.ticket_id
      from change join session_events as message on message.org_id = ${orgId} and message.id = change.message_id
      left join miaw_conversations as conversation on conversation.org_id = ${orgId} and conversation.session_id = change.session_id
        and (${isQuotedIn('conversation')} or exists (
          select from crm_messages as sent
          where sent.org_id = ${orgId} and sent.id = change.message_id and sent.target = 'miaw' and sent.state in ('sending', 'sent')
        ))
      left join crm_links as link on link.org_id = ${orgId} and link.session_id = change.session_id
        and conversation.session_id is null and ${isQuotedIn('ticket', 'comment')}
    ), added as (
      insert into crm_messages (org_id, id, session_id, target)
      select ${orgId}::uuid, change_id, session_id, case when is_miaw then 'miaw' else 'ticket' end from place
      where is_miaw or ticket_id is not null
      on conflict (org_id, id) do nothing
      returning id
    )
    select distinct session_id, case when not is_miaw then ticket_id end as ticket_id from place
    where change_id in (select id from added)
  `.execute(trx);
  return rows;
}

const selectQueue = (db: Db, orgId: string, { sessionId, target }: OutgoingQueue) =>
  db
    .selectFrom('crm_messages')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('target', '=', target);

/** Returns the number of a session's messages still to be sent to a system. */
export async function countUnsentMessages(db: Db, orgId: string, queue: OutgoingQueue): Promise<number> {
  const { count } = await selectQueue(db, orgId, queue)
    .select(sql<number>`count(*)`.as('count'))
    .where('state', 'in', ['queued', 'sending'])
    .executeTakeFirstOrThrow();
  return count;
}

export interface ClaimedMessage {
  id: string;
  /** Whether an earlier attempt may have had its effect. */
  may_exist: boolean;
  first_tried_at: Date;
}

/**
 * Claims the earliest message of a session still to be sent to a system, and records the attempt. Its id may be the
 * client's.
 */
export async function claimOutgoingMessage(
  db: Db,
  orgId: string,
  { sessionId, target }: OutgoingQueue,
): Promise<ClaimedMessage | undefined> {
  const { rows } = await sql<ClaimedMessage>`
    with head as (
      select waiting.org_id, waiting.id, waiting.state from crm_messages as waiting
      join session_events as event on event.org_id = waiting.org_id and event.id = waiting.id
      where waiting.org_id = ${orgId} and waiting.session_id = ${sessionId} and waiting.target = ${target}
        and waiting.state in ('queued', 'sending')
      order by event.seq limit 1 for update of waiting
    )
    update crm_messages as message
    set state = 'sending', attempts = attempts + 1, first_tried_at = coalesce(first_tried_at, now())
    from head where message.org_id = head.org_id and message.id = head.id
    returning message.id, head.state = 'sending' as may_exist, message.first_tried_at
  `.execute(db);
  return rows[0];
}

/**
 * Returns the messages of a session that may have been sent to a system without an answer. There is at most one, as
 * messages are sent one after the other.
 */
export async function listUnconfirmed(db: Db, orgId: string, queue: OutgoingQueue): Promise<string[]> {
  const unanswered = await selectQueue(db, orgId, queue).select('id').where('state', '=', 'sending').execute();
  return unanswered.map(({ id }) => id);
}

/** Returns a system's ids of the latest messages of a session sent there. */
export async function listSentExternalIds(
  db: Db,
  orgId: string,
  queue: OutgoingQueue,
  limit: number,
): Promise<string[]> {
  const latest = await selectQueue(db, orgId, queue)
    .select('external_id')
    .where('state', '=', 'sent')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return latest.flatMap(({ external_id }) => external_id ?? []);
}

/** Records the result of an attempt. `queued`: it certainly did not arrive; `sending`: it may have. */
export async function settleOutgoingMessage(
  db: Db,
  orgId: string,
  id: string,
  result: { state: 'queued' | 'sending' | 'sent' | 'skipped' | 'failed'; externalId?: string; error?: string },
): Promise<void> {
  const { state, externalId = null, error = null } = result;
  const isOver = state !== 'queued' && state !== 'sending';
  await db
    .updateTable('crm_messages')
    .set({
      state,
      external_id: externalId,
      error: error?.slice(0, 500) ?? null,
      settled_at: isOver ? sql<Date>`now()` : null,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Settles a session's messages still to be sent to a system as skipped. */
export async function skipUnsentMessages(
  trx: Trx,
  orgId: string,
  { sessionId, target }: OutgoingQueue,
  reason: string,
): Promise<void> {
  await trx
    .updateTable('crm_messages')
    .set({ state: 'skipped', error: reason, settled_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('target', '=', target)
    .where('state', 'in', ['queued', 'sending'])
    .execute();
}

/** Returns whether a message in the CRM was created by us: a message, or the comment of a handoff. */
export async function isOwnMessage(db: Db, orgId: string, externalId: string): Promise<boolean> {
  const { rows } = await sql`
    select from crm_messages where org_id = ${orgId} and external_id = ${externalId}
    union all
    select from crm_handoff_parts where org_id = ${orgId} and part = 'comment' and external_id = ${externalId}
    limit 1
  `.execute(db);
  return rows.length > 0;
}
