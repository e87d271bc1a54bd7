import { sql } from 'kysely';
import type { Db, Trx } from '../../../db/connect.ts';
import type { Json } from '../../blocks/schema.ts';
import type { StepPath } from '../../interpreter/step-paths.rules.ts';
import { RUN_COLUMNS, type Run, type StepRecord } from '../shared.queries.ts';
import type { BatchRef } from './contract.ts';

/** Locks the oldest queued runs of an org, with their workflows and versions, in order. */
export async function lockOldestQueued(
  trx: Trx,
  orgId: string,
  most: number,
): Promise<{ id: string; automation_id: string; version_id: number }[]> {
  return trx
    .selectFrom('automation_runs')
    .select(['id', 'automation_id', 'version_id'])
    .where('org_id', '=', orgId)
    .where('status', '=', 'idle')
    .orderBy('created_at')
    .orderBy('id')
    .limit(most)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** Returns the version of the oldest queued run of an org. */
export async function findOldestQueuedVersion(db: Db, orgId: string): Promise<number | undefined> {
  const oldest = await db
    .selectFrom('automation_runs')
    .select('version_id')
    .where('org_id', '=', orgId)
    .where('status', '=', 'idle')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return oldest?.version_id;
}

/** Starts queued runs as the runs of a batch. */
export async function assignToBatch(trx: Trx, { orgId, batchId }: BatchRef, ids: string[]): Promise<void> {
  await sql`
    update automation_runs set status = 'in_progress', run_started_at = now(), batch_id = ${batchId}
    where org_id = ${orgId} and id = any(${ids}::uuid[])
  `.execute(trx);
}

/** A row that its batch still has to do. */
const inBatch = ({ orgId, batchId }: BatchRef) => sql<boolean>`
  run.org_id = ${orgId} and run.batch_id = ${batchId} and run.status = 'in_progress' and not run.left_batch`;
/** A subquery with a value is looked up for each run. `exists` would be planned as a join with all steps of the org. */
const hasSteps = sql<boolean>`
  (select true from automation_steps as step where step.org_id = run.org_id and step.run_id = run.id limit 1) is not null`;

/** Returns a page of the batch's runs that have no step yet, in their order. */
export const listFreshRuns = (
  db: Db,
  ref: BatchRef,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Run[]> =>
  db
    .selectFrom('automation_runs as run')
    .select(RUN_COLUMNS)
    .where(inBatch(ref))
    .where(sql<boolean>`not (${hasSteps})`)
    .where(
      after === undefined
        ? sql<boolean>`true`
        : sql<boolean>`(run.created_at, run.id) > (
            select created_at, id from automation_runs where org_id = ${ref.orgId} and id = ${after}
          )`,
    )
    .orderBy('run.created_at')
    .orderBy('run.id')
    .limit(limit)
    .execute();

/** Returns the ids of the runs that the batch still has to do; with `isBegun`, only of those with a step. */
export async function listRunIds(db: Db, ref: BatchRef, { isBegun }: { isBegun: boolean }): Promise<string[]> {
  const rows = await db
    .selectFrom('automation_runs as run')
    .select('run.id')
    .where(inBatch(ref))
    .$call((query) => (isBegun ? query.where(hasSteps) : query))
    .orderBy('run.created_at')
    .orderBy('run.id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Puts runs without a step back into the queue, in their old place. Returns how many. */
export async function requeueFreshRuns(trx: Trx, ref: BatchRef): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update automation_runs as run set status = 'idle', run_started_at = null, batch_id = null
    where ${inBatch(ref)} and not (${hasSteps})
  `.execute(trx);
  return Number(numAffectedRows);
}

/** Puts one run without a step back into the queue. */
export async function requeueRun(trx: Trx, orgId: string, id: string): Promise<void> {
  await trx
    .updateTable('automation_runs')
    .set({ status: 'idle', run_started_at: null, batch_id: null })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Records that a run goes on in a workflow of its own. */
export async function setLeftBatch(trx: Trx, orgId: string, id: string): Promise<void> {
  await trx
    .updateTable('automation_runs')
    .set({ left_batch: true })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Locks those of the runs that their batches still have to do, and returns how often each was redacted, by their ids. */
export async function lockRunsInBatch(
  trx: Trx,
  orgId: string,
  runs: { runId: string; batchId: string }[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; redactions: number }>`
    select run.id, run.redactions from automation_runs as run
    join unnest(${runs.map(({ runId }) => runId)}::uuid[], ${runs.map(({ batchId }) => batchId)}::uuid[]) as given (id, batch_id)
      on given.id = run.id and given.batch_id = run.batch_id
    where run.org_id = ${orgId} and run.status = 'in_progress' and not run.left_batch
    order by run.id for update of run
  `.execute(trx);
  return new Map(rows.map(({ id, redactions }) => [id, redactions]));
}

/** A called step's output. */
export interface EndedStep {
  run_id: string;
  path: StepPath;
  output: Json;
}

/** Completes the steps of runs that are in progress. */
export async function completeSteps(trx: Trx, orgId: string, steps: EndedStep[]): Promise<void> {
  if (steps.length === 0) return;
  await sql`
    update automation_steps as step set status = 'completed', output = given.output, error = null, ended_at = now()
    from jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) as given (run_id uuid, path text, output jsonb)
    where step.org_id = ${orgId} and step.run_id = given.run_id and step.path = given.path and step.status = 'in_progress'
  `.execute(trx);
}

/** Inserts steps of runs. Returns those that were not there before, so that an action begins in one attempt only. */
export async function insertSteps(
  trx: Trx,
  orgId: string,
  steps: (StepRecord & { run_id: string })[],
): Promise<{ run_id: string; path: StepPath }[]> {
  if (steps.length === 0) return [];
  const { rows } = await sql<{ run_id: string; path: StepPath }>`
    insert into automation_steps (org_id, run_id, path, step_id, type, name, status, input, output, attempts, ended_at)
    select ${orgId}::uuid, run_id, path, step_id, type, name, status, input, output, 1,
      case when status = 'completed' then now() end
    from jsonb_to_recordset(${JSON.stringify(steps)}::jsonb)
      as given (run_id uuid, path text, step_id text, type text, name text, status text, input jsonb, output jsonb)
    on conflict (org_id, run_id, path) do nothing
    returning run_id, path
  `.execute(trx);
  return rows;
}
