import { sql } from 'kysely';
import type { AiSettings } from '../ai/settings/schema.ts';
import type { Db, Trx } from '../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../db/cursor.ts';
import type { CheckResult } from './checks.rules.ts';
import type { EvalRunRef } from './contract.ts';
import type { Drift } from './schema.ts';
import type { AiEvalRunsTable } from './table.ts';

type NewRun = Pick<AiEvalRunsTable, 'org_id' | 'id' | 'settings' | 'started_by' | 'config_version'> & {
  config: Partial<AiSettings>;
};

/**
 * Inserts a run with a waiting result for each case of the org, and returns it. Returns undefined if another run has not
 * ended, or there is no case.
 */
export async function insertRun(trx: Trx, { config, ...run }: NewRun): Promise<RunRow | undefined> {
  const inserted = await trx
    .insertInto('ai_eval_runs')
    .values({ ...run, config: JSON.stringify(config), state: 'running' })
    .onConflict((oc) => oc.column('org_id').where('ended_at', 'is', null).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) return undefined;
  await sql`
    insert into ai_eval_results (org_id, run_id, position, case_id, session_id, name, state, definition)
    select org_id, ${run.id}, row_number() over (order by created_at, id), id, session_id, name, 'waiting',
      jsonb_build_object('messages', messages, 'channel', channel, 'contact_id', contact_id, 'verified', verified,
        'stubs', stubs, 'checks', checks)
    from ai_eval_cases where org_id = ${run.org_id}
  `.execute(trx);
  return trx
    .updateTable('ai_eval_runs')
    .set({
      cases: sql<number>`(select count(*) from ai_eval_results where org_id = ${run.org_id} and run_id = ${run.id})`,
    })
    .where('org_id', '=', run.org_id)
    .where('id', '=', run.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export const findRun = (db: Db, orgId: string, id: string) =>
  db.selectFrom('ai_eval_runs').selectAll().where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst();

export type RunRow = NonNullable<Awaited<ReturnType<typeof findRun>>>;

export const lockRun = (trx: Trx, orgId: string, id: string) =>
  trx
    .selectFrom('ai_eval_runs')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** Lists runs of all orgs that have not ended behind one, in a fixed order. */
export async function listRunsInProgress(db: Db, after: EvalRunRef | undefined, limit: number): Promise<EvalRunRef[]> {
  const { rows } = await sql<EvalRunRef>`
    select org_id as "orgId", id as "runId" from ai_eval_runs
    where ended_at is null and ${after === undefined ? sql`true` : sql`org_id > ${after.orgId}::uuid`}
    order by org_id limit ${limit}
  `.execute(db);
  return rows;
}

export const listRuns = (db: Db, orgId: string, page: PageRequest) =>
  db.selectFrom('ai_eval_runs').selectAll().where('org_id', '=', orgId).$call(orderedByCreation(page)).execute();

/** Lists the results of a run in the order of its cases, without their turns. */
export const listResults = (db: Db, orgId: string, runId: string) =>
  db
    .selectFrom('ai_eval_results')
    .select(['case_id', 'name', 'state', 'checks', 'error', 'cost', 'latency_ms', 'ended_at'])
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute();

export const findResult = (db: Db, orgId: string, runId: string, caseId: string) =>
  db
    .selectFrom('ai_eval_results')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('case_id', '=', caseId)
    .executeTakeFirst();

/** Lists the next cases of a run without a result. */
export const listWaiting = (db: Db, orgId: string, runId: string, limit: number) =>
  db
    .selectFrom('ai_eval_results')
    .select(['position', 'definition'])
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('ended_at', 'is', null)
    .orderBy('position')
    .limit(limit)
    .execute();

export interface NewResult {
  state: 'passed' | 'failed';
  checks: CheckResult[];
  error: string | null;
  turn: object | null;
  cost: number | null;
  latencyMs: number;
}

/**
 * Stores the result of a case, and counts it, once: a result that is there already stays. A case that was redacted
 * meanwhile keeps no texts.
 */
export async function storeResult(
  db: Db,
  { orgId, runId, position }: { orgId: string; runId: string; position: number },
  { state, checks, error, turn, cost, latencyMs }: NewResult,
): Promise<void> {
  await sql`
    with stored as (
      update ai_eval_results set state = ${state}, error = ${error}, cost = ${cost}, latency_ms = ${latencyMs},
        checks = case when definition is null then '[]'::jsonb else ${JSON.stringify(checks)}::jsonb end,
        turn = case when definition is null then null else ${turn === null ? null : JSON.stringify(turn)}::jsonb end,
        ended_at = clock_timestamp()
      where org_id = ${orgId} and run_id = ${runId} and position = ${position} and ended_at is null
      returning state, cost
    )
    update ai_eval_runs as run set passed = run.passed + (stored.state = 'passed')::int,
      failed = run.failed + (stored.state = 'failed')::int, cost = run.cost + coalesce(stored.cost, 0)
    from stored where run.org_id = ${orgId} and run.id = ${runId}
  `.execute(db);
}

/** Ends a run that has not ended. */
export async function endRun(
  trx: Trx,
  orgId: string,
  id: string,
  { state, drift }: { state: 'done' | 'canceled'; drift: Drift | null },
): Promise<void> {
  await trx
    .updateTable('ai_eval_runs')
    .set({ state, drift: drift === null ? null : JSON.stringify(drift), ended_at: sql<Date>`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

/** Finds the last run over the same settings that was done before this one. */
export const findRunBefore = (db: Db, orgId: string, { id, config, created_at }: RunRow) =>
  db
    .selectFrom('ai_eval_runs')
    .select('id')
    .where('org_id', '=', orgId)
    .where('state', '=', 'done')
    .where('config', '=', sql<never>`${JSON.stringify(config)}::jsonb`)
    .where('id', '<>', id)
    .where('created_at', '<=', created_at)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Lists the cases whose results differ between two runs, by their results in the second. */
export async function listChanged(db: Db, orgId: string, { from, to }: { from: string; to: string }) {
  const { rows } = await sql<{ case_id: string; state: 'passed' | 'failed' }>`
    select now.case_id, now.state from ai_eval_results as now
    join ai_eval_results as old on old.org_id = now.org_id and old.run_id = ${from} and old.case_id = now.case_id
    where now.org_id = ${orgId} and now.run_id = ${to} and now.state <> old.state and old.state <> 'waiting'
    order by now.position
  `.execute(db);
  return rows;
}

/** Finds the last done run over exactly these settings. */
export const findRunOf = (db: Db, orgId: string, config: Partial<AiSettings>) =>
  db
    .selectFrom('ai_eval_runs')
    .select(['id', 'cases', 'passed'])
    .where('org_id', '=', orgId)
    .where('state', '=', 'done')
    .where('config', '=', sql<never>`${JSON.stringify(config)}::jsonb`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Lists those of the orgs with cases, without a nightly run of the last day and without one under way. */
export async function listDueOrgs(db: Db, orgIds: string[], limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select org.id from unnest(${orgIds}::uuid[]) as org (id)
    where exists (select from ai_eval_cases as one where one.org_id = org.id)
      and not exists (
        select from ai_eval_runs as run where run.org_id = org.id
          and (run.ended_at is null or (run.started_by = 'nightly' and run.created_at > now() - interval '1 day'))
      )
    order by org.id limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Deletes some runs that ended before this time, with their results, and returns their number. */
export async function deleteOldRuns(db: Db, { olderThanDays, limit }: { olderThanDays: number; limit: number }) {
  const { numAffectedRows } = await sql`
    delete from ai_eval_runs where (org_id, id) in (
      select org_id, id from ai_eval_runs where ended_at < now() - ${olderThanDays} * interval '1 day' limit ${limit}
    )
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
