import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { EventType } from './events.ts';

/** Returns those of the workflows for which a command still waits in the outbox. */
export async function listPendingWorkflows(db: Db, workflowIds: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('outbox')
    .select('workflow_id')
    .where('workflow_id', '=', sql<string>`any(${workflowIds})`)
    .execute();
  return new Set(rows.flatMap(({ workflow_id }) => workflow_id ?? []));
}

/** Returns whether an event of one of these types about a subject still waits in the outbox. */
export const hasPendingEvent = async (db: Db, orgId: string, subjectId: string, types: EventType[]): Promise<boolean> =>
  (await db
    .selectFrom('outbox')
    .select('id')
    .where('org_id', '=', orgId)
    .where('kind', '=', 'event')
    .where('subject_id', '=', subjectId)
    .where('type', 'in', types)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** SQL: whether an event of this type about the row of a table, or about its org, still waits in the outbox. */
export const hasEvent = (type: EventType, table: string, subject: 'id' | 'org_id' = 'id'): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (
    select from outbox where outbox.org_id = ${sql.ref(`${table}.org_id`)} and outbox.kind = 'event' and outbox.type = ${type}
      and outbox.subject_id = ${sql.ref(`${table}.${subject}`)}
  )`;

/** Returns whether a command for a workflow still waits in the outbox. */
export const hasPendingCommand = async (db: Db, workflowId: string): Promise<boolean> =>
  (await db.selectFrom('outbox').select('id').where('workflow_id', '=', workflowId).limit(1).executeTakeFirst()) !==
  undefined;

/** A command younger than this is on its way. */
const ON_ITS_WAY = sql`interval '10 seconds'`;

/** Returns a command for a workflow that has not reached Temporal in time. */
export const findStuckCommand = (db: Db, workflowId: string) =>
  db
    .selectFrom('outbox')
    .select(['attempts', 'available_at'])
    .where('workflow_id', '=', workflowId)
    .where(sql<SqlBool>`(attempts > 0 or created_at < now() - ${ON_ITS_WAY})`)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

/** Returns the ids of an org's events of some types that still wait in the outbox. */
export async function listPendingEvents(db: Db, orgId: string, types: EventType[]): Promise<number[]> {
  const rows = await db
    .selectFrom('outbox')
    .select('id')
    .where('org_id', '=', orgId)
    .where('kind', '=', 'event')
    .where('type', '=', sql<EventType>`any(${types}::text[])`)
    .execute();
  return rows.map(({ id }) => id);
}
