import { type CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { sendWithCommit } from '../db/pipeline.ts';
import type { EventType, NewEvent } from './events.ts';
import { wakeForEvents } from './wake.ts';

export type { NewEvent, SessionEventType, SessionState } from './events.ts';
export { type Announcement, insertOf } from './events.ts';

/** A row of a query for events to announce. */
export interface EventRow<Type extends EventType> extends NewEvent<Type> {
  org_id: string;
}

/**
 * Returns the set-based form of announce: the text of an insert that announces one event per row of `rows`. `rows` is a
 * query for the columns of an EventRow. Both arguments must be constants of the code. The surrounding statement is
 * executed by executeAnnouncing.
 */
export const announcementText = (type: EventType, rows: string): string => `
  insert into outbox (org_id, kind, type, subject_id, payload)
  select org_id, 'event', '${type}', subject_id, payload from (${rows}) as announced`;

/** Returns announcementText as SQL, for a query with values. */
export const announcementOf = <Type extends EventType>(type: Type, rows: RawBuilder<EventRow<Type>>) => sql`
  insert into outbox (org_id, kind, type, subject_id, payload)
  select org_id, 'event', ${sql.lit(type)}, subject_id, payload from (${rows}) as announced`;

/** Executes a statement containing an announcement, and wakes the relay once it has committed. */
export async function executeAnnouncing<Row>(
  db: Db,
  statement: RawBuilder<Row> | CompiledQuery<Row>,
): Promise<QueryResult<Row>> {
  const result = await ('execute' in statement ? statement.execute(db) : db.executeQuery(statement));
  wakeForEvents(db);
  return result;
}

/** Sends a statement containing an announcement like sendWithCommit, and wakes the relay once it has committed. */
export async function sendAnnouncing<Row>(trx: Trx, statement: RawBuilder<Row>): Promise<void> {
  await sendWithCommit(trx, statement);
  wakeForEvents(trx);
}
