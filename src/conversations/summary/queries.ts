import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import { OWN_WORDS } from '../events.queries.ts';
import type { Sender } from '../history/events.schema.ts';

/** How much of a conversation is read. Of a long one, the middle is left out. */
const FIRST_MESSAGES = 10;
const LAST_MESSAGES = 200;
/** How much of each message is read. */
const MAX_CHARACTERS = 2_000;

export interface SaidMessage {
  id: string;
  sender: Sender;
  text: string;
  at: Date;
}

/**
 * Lists the first 10 and the last 200 messages of a session, in order, each up to 2,000 characters. Of a
 * contact's e-mails the own words are listed. Redacted ones and greetings of a page are left out.
 */
export async function listFirstAndLastMessages(db: Db, orgId: string, sessionId: string): Promise<SaidMessage[]> {
  const messages = sql`
    select seq, id, sender, ${OWN_WORDS} as content, created_at from session_events
    where org_id = ${orgId} and session_id = ${sessionId} and type = 'message' and not data ?| array['is_greeting', 'deleted_at']
  `;
  const { rows } = await sql<SaidMessage>`
    with first as (${messages} order by seq limit ${FIRST_MESSAGES}),
      latest as (${messages} order by seq desc limit ${LAST_MESSAGES})
    select id, sender, left(content, ${MAX_CHARACTERS}::integer) as text, created_at as at
    from (select * from first union select * from latest) as said
    where content is not null order by seq
  `.execute(db);
  return rows;
}

/** Finds the state of a session's summaries. */
export const findSummaryState = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('sessions')
    .select(['handoff', 'language', 'status', 'summary_by', 'closed_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', sessionId)
    .executeTakeFirst();

/** Counts those of the messages with unchanged text: not redacted, deleted or edited since it was read. */
export async function countUnchangedMessages(db: Db, orgId: string, messages: SaidMessage[]): Promise<number> {
  const counted = await sql<{ count: number }>`
    select count(*) as count from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as read (id uuid, text text)
    join session_events as event on event.org_id = ${orgId} and event.id = read.id
    where left(${OWN_WORDS}, ${MAX_CHARACTERS}::integer) = read.text and not data ? 'deleted_at'
  `.execute(db);
  return onlyRow(counted).count;
}

/** Returns whether a session has a summary made by neither the code nor a model. */
export async function hasWrittenSummary(db: Db, orgId: string, sessionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', sessionId)
    .where('summary', 'is not', null)
    .where('summary_by', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
