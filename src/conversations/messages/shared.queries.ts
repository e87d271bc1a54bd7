import { type RawBuilder, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Db } from '../../db/connect.ts';
import type { AnswerCitation } from '../answers.port.ts';
import { OWN_WORDS } from '../events.queries.ts';
import type { EventType, Sender } from '../history/events.schema.ts';

interface MessageRange {
  after: number;
  limit: number;
}

/** Selects the last messages of a session, the newest first. */
const selectLastMessages = (db: Db, orgId: string, sessionId: string, { after, limit }: MessageRange) =>
  db
    .selectFrom('session_events')
    .select(['seq', 'id', 'created_at'])
    .select(sql<string | null>`case when not data ? 'deleted_at' then ${OWN_WORDS} end`.as('content'))
    .select([
      sql<Sender>`coalesce(sender, 'system')`.as('sender'),
      sql<number>`jsonb_array_length(coalesce(data->'attachments', '[]'))`.as('attachments'),
      sql<boolean>`data ? 'is_automated'`.as('is_automated'),
      sql<boolean>`data ? 'unreadable'`.as('is_unreadable'),
      sql<number>`extract(epoch from clock_timestamp() - created_at)::float8 * 1000`.as('age_ms'),
    ])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('type', 'in', ['message', 'workflow_message', 'sequence_message'])
    .where('seq', '>', after)
    .where(sql<boolean>`not (data ? 'is_greeting')`)
    .orderBy('seq', 'desc')
    .limit(limit);

/**
 * Lists the last messages of a session after a `seq`, oldest first, with their age and whether a program must not
 * answer them. Messages of workflows and sequences are the system's. Of a contact's e-mail, `content` has the own
 * words. For a message deleted by the contact, it is null. Greetings of a page are left out.
 */
export const listLastMessages = async (db: Db, orgId: string, sessionId: string, range: MessageRange) =>
  (await selectLastMessages(db, orgId, sessionId, range).execute()).reverse();

/** SQL: the messages of `listLastMessages` as JSON, the newest first, for a statement with more to read at once. */
export const lastMessagesAsJson = (db: Db, orgId: string, sessionId: string, range: MessageRange) =>
  jsonArrayFrom(selectLastMessages(db, orgId, sessionId, range));

/** Finds the session's last change from another status to open. There is none if it was never closed. */
export const findReopening = (db: Db, orgId: string, sessionId: string) =>
  lastEvent(db, orgId, sessionId, 'status_changed')
    .where(sql`data->>'to'`, '=', 'open')
    .where(sql`data->>'from'`, '<>', 'open')
    .executeTakeFirst();

/** Finds when people last gave the session back to the AI. */
export const findReturnToAi = (db: Db, orgId: string, sessionId: string) =>
  lastEvent(db, orgId, sessionId, 'returned_to_ai').executeTakeFirst();

const lastEvent = (db: Db, orgId: string, sessionId: string, type: EventType) =>
  db
    .selectFrom('session_events')
    .select(['seq', 'created_at'])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('type', '=', type)
    .orderBy('seq', 'desc')
    .limit(1);

/** Finds an unredacted message, with its cited sources. */
export const findMessageWithSources = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('session_events')
    .select(['content', sql<AnswerCitation[]>`coalesce(data->'citations', '[]')`.as('citations')])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('type', '=', 'message')
    .executeTakeFirst();

/** The terms for the handling of a contact's message. */
export interface MessageTerms {
  is_blocked: boolean;
  /** Whether the AI may answer: autopilot is on for one of the org's channels. */
  has_autopilot: boolean;
}

/** Reads the terms of a message of the contact of `session`, by the given SQL. */
export async function findMessageTerms(
  db: Db,
  orgId: string,
  sessionId: string,
  { isBlocked, hasAutopilot }: { isBlocked: RawBuilder<boolean>; hasAutopilot: RawBuilder<boolean> },
): Promise<MessageTerms | undefined> {
  const { rows } = await sql<MessageTerms>`
    select ${isBlocked} as is_blocked, ${hasAutopilot} as has_autopilot
    from sessions as session where org_id = ${orgId} and id = ${sessionId}
  `.execute(db);
  return rows[0];
}
