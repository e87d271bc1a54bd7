import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { behindInOrder } from '../../db/cursor.ts';
import type { ForecastRef } from './contract.ts';
import type { StepForecast } from './rules.ts';

const DELETED_PER_BATCH = 500;
const KEPT = sql`interval '7 days'`;

export const findForecast = (db: Db, orgId: string, id: string) =>
  db.selectFrom('sequence_forecasts').selectAll().where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst();

export type ForecastRow = NonNullable<Awaited<ReturnType<typeof findForecast>>>;

/** Inserts a forecast. Returns undefined if the sequence has one in progress. */
export const insertForecast = (
  trx: Trx,
  orgId: string,
  forecast: { id: string; sequence_id: string; contacts: number },
): Promise<ForecastRow | undefined> =>
  trx
    .insertInto('sequence_forecasts')
    .values({ org_id: orgId, ...forecast })
    .onConflict((oc) => oc.columns(['org_id', 'sequence_id']).where('state', '=', 'in_progress').doNothing())
    .returningAll()
    .executeTakeFirst();

export const findForecastInProgress = (db: Db, orgId: string, sequenceId: string): Promise<ForecastRow | undefined> =>
  db
    .selectFrom('sequence_forecasts')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('sequence_id', '=', sequenceId)
    .where('state', '=', 'in_progress')
    .executeTakeFirst();

const inProgress = (db: Db, { orgId, forecastId }: ForecastRef) =>
  db
    .updateTable('sequence_forecasts')
    .where('org_id', '=', orgId)
    .where('id', '=', forecastId)
    .where('state', '=', 'in_progress');

export async function updateProgress(db: Db, ref: ForecastRef, contactsDone: number): Promise<void> {
  await inProgress(db, ref).set({ contacts_done: contactsDone }).execute();
}

export async function storeForecast(
  db: Db,
  ref: ForecastRef,
  { steps, contacts }: { steps: StepForecast[]; contacts: number },
): Promise<void> {
  await inProgress(db, ref)
    .set({ state: 'done', steps: JSON.stringify(steps), contacts, contacts_done: contacts, ended_at: sql<Date>`now()` })
    .execute();
}

/** Ends a forecast in progress with an error. Returns whether it was in progress. */
export async function failForecast(db: Db, ref: ForecastRef, error: string): Promise<boolean> {
  const { numUpdatedRows } = await inProgress(db, ref)
    .set({ state: 'failed', error, ended_at: sql<Date>`now()` })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Lists forecasts in progress of all orgs behind one, in a fixed order. */
export async function listForecastsInProgress(
  db: Db,
  after: ForecastRef | undefined,
  limit: number,
): Promise<ForecastRef[]> {
  const { rows } = await sql<ForecastRef>`
    select org_id as "orgId", id as "forecastId" from sequence_forecasts
    where state = 'in_progress'
      and ${behindInOrder(after?.orgId, after?.forecastId, limit)}
  `.execute(db);
  return rows;
}

/** Deletes some old forecasts. Returns their number. */
export async function deleteOldForecasts(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from sequence_forecasts where (org_id, id) in (
      select org_id, id from sequence_forecasts
      where created_at < now() - ${KEPT} and state <> 'in_progress' limit ${DELETED_PER_BATCH}
    )
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
