import { type CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { sendWithCommit } from '../db/connections/pipeline.ts';
import { type EventPayloads, type EventType, INSERT_EVENTS, type NewEvent } from './events.ts';
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
  ${INSERT_EVENTS}
  select org_id, 'event', '${type}', subject_id, payload from (${rows}) as announced`;

/** Returns announcementText as SQL, for a query with values. */
export const announcementOf = <Type extends EventType>(type: Type, rows: RawBuilder<EventRow<Type>>) => sql`
  ${sql.raw(INSERT_EVENTS)}
  select org_id, 'event', ${sql.lit(type)}, subject_id, payload from (${rows}) as announced`;

/** What an event of each row has in its payload: constants of the code, or SQL. */
type PayloadExpression<Payload> = {
  [Key in keyof Payload]: Extract<Payload[Key], string | number | boolean> | RawBuilder<Payload[Key]>;
};

/** An event for each row of a query. It is not announced where it has no subject. */
interface EventExpression<Type extends EventType> {
  type: Type;
  subjectId: RawBuilder<string | null>;
  payload: PayloadExpression<EventPayloads[Type]>;
}
type AnyEventExpression = { [Type in EventType]: EventExpression<Type> }[EventType];

/** Returns SQL that announces events of several types, in this order, for each row of `source`, which has an org_id. */
export const announcementsOf = (source: RawBuilder<unknown>, events: AnyEventExpression[]) => sql`
  ${sql.raw(INSERT_EVENTS)}
  select org_id, 'event', event.* from ${source} cross join lateral (values ${sql.join(events.map(rowOf))}
  ) as event (type, subject_id, payload)
  where event.subject_id is not null`;

const rowOf = ({ type, subjectId, payload }: AnyEventExpression) =>
  sql`(${sql.lit(type)}, ${subjectId}, ${payloadOf(Object.entries(payload))})`;

const payloadOf = (entries: [string, unknown][]) =>
  entries.length === 0
    ? sql`'{}'`
    : sql`jsonb_build_object(${sql.join(
        entries.flatMap(([key, value]) => [sql.lit(key), typeof value === 'object' ? value : sql.lit(value)]),
      )})`;

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
