import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import type { NextStep } from './contract.ts';
import type { ListRuns } from './schema.ts';
import type { AutomationStepsTable, RunStatus } from './table.ts';

export const MAX_STEPS = 1_000;

const selectRuns = (db: Db, orgId: string) =>
  db
    .selectFrom('automation_runs as run')
    .innerJoin('automation_versions as version', (join) =>
      join.onRef('version.org_id', '=', 'run.org_id').onRef('version.id', '=', 'run.version_id'),
    )
    .innerJoin('automations as automation', (join) =>
      join.onRef('automation.org_id', '=', 'run.org_id').onRef('automation.id', '=', 'run.automation_id'),
    )
    .where('run.org_id', '=', orgId)
    .where('automation.deleted_at', 'is', null)
    .select(['run.id', 'run.automation_id as workflow_id', 'version.version_number', 'run.status', 'run.trigger_cause'])
    .select(['run.run_started_at', 'run.run_ended_at', 'run.is_test_run', 'run.error', 'run.created_at'])
    .select(
      sql<number | null>`extract(epoch from run.run_ended_at - run.run_started_at)::float8`.as('duration_in_seconds'),
    );

const runs = (db: Db, orgId: string, workflowId: string) =>
  selectRuns(db, orgId).where('run.automation_id', '=', workflowId);

/** Returns a page of a workflow's runs, newest first. */
export const listRuns = (db: Db, orgId: string, workflowId: string, { page, limit, status, trigger_cause }: ListRuns) =>
  runs(db, orgId, workflowId)
    .$call((query) => (status === undefined ? query : query.where('run.status', '=', status)))
    .$call((query) => (trigger_cause === undefined ? query : query.where('run.trigger_cause', '=', trigger_cause)))
    .orderBy('run.created_at', 'desc')
    .orderBy('run.id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();

export async function countRuns(
  db: Db,
  orgId: string,
  workflowId: string,
  { status, trigger_cause }: ListRuns,
): Promise<number> {
  const { count } = await db
    .selectFrom('automation_runs')
    .select(sql<number>`count(*)`.as('count'))
    .where('org_id', '=', orgId)
    .where('automation_id', '=', workflowId)
    .$call((query) => (status === undefined ? query : query.where('status', '=', status)))
    .$call((query) => (trigger_cause === undefined ? query : query.where('trigger_cause', '=', trigger_cause)))
    .executeTakeFirstOrThrow();
  return count;
}

/** Lists runs by id, whatever their workflow. */
export const listRunsById = (db: Db, orgId: string, ids: string[]) =>
  selectRuns(db, orgId).where('run.id', '=', sql<string>`any(${ids}::uuid[])`).execute();

/** SQL: the ids of the session and of the contact in a trigger output, as their indexes have them. */
export const SESSION_OF_RUN = sql<string | null>`run.trigger_output #>> '{session,id}'`;
export const CONTACT_OF_RUN = sql<string | null>`run.trigger_output #>> '{contact,id}'`;

/** Returns a run, of a workflow if one is given. */
export const findWorkflowRun = (db: Db, orgId: string, workflowId: string | undefined, runId: string) =>
  (workflowId === undefined ? selectRuns(db, orgId) : runs(db, orgId, workflowId))
    .select(['run.trigger_output', 'run.batch_id', 'run.left_batch', 'run.is_inline', 'run.version_id'])
    .select(['run.waits_for', 'version.name as workflow_name', 'version.trigger_type'])
    .select([SESSION_OF_RUN.as('session_id'), CONTACT_OF_RUN.as('contact_id')])
    .where('run.id', '=', runId)
    .executeTakeFirst();

/** Returns the ids of the steps of its definition that a run has come to, at least once. */
export async function listReachedSteps(db: Db, orgId: string, runId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('automation_steps')
    .select('step_id')
    .distinct()
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .execute();
  return new Set(rows.map(({ step_id }) => step_id));
}

/** The states of the step that a run is at. A run in another state is at none. */
const STATES_AT: Partial<Record<RunStatus, AutomationStepsTable['status'][]>> = {
  in_progress: ['in_progress', 'waiting'],
  failed: ['failed'],
};

/** Returns the step that a run in progress is at, or that a failed one has failed at: the same one as in the list of runs. */
export const findUnfinishedStep = (db: Db, orgId: string, { runId, status }: { runId: string; status: RunStatus }) =>
  db
    .selectFrom('automation_steps')
    .select(['path', 'status', 'next_try_at'])
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('status', '=', sql<AutomationStepsTable['status']>`any(${STATES_AT[status] ?? []}::text[])`)
    .orderBy(sql`coalesce(ended_at, started_at)`, 'desc')
    .limit(1)
    .executeTakeFirst();

/** The place of a step in the order of a run. */
export interface StepPosition {
  started_at: Date;
  path: string;
}

/** Returns at most 1,001 steps of a run behind a position, in the order of their start, without inputs and outputs. */
export async function listSteps(
  db: Db,
  orgId: string,
  runId: string,
  after: StepPosition | undefined,
): Promise<(StepPosition & { characters: number })[]> {
  const { rows } = await sql<StepPosition & { characters: number }>`
    select path, started_at, characters from automation_steps as step
    where org_id = ${orgId} and run_id = ${runId}
      and ${after === undefined ? sql`true` : sql`(step.started_at, path) > (${after.started_at}::timestamptz, ${after.path})`}
    order by step.started_at, path limit ${MAX_STEPS + 1}
  `.execute(db);
  return rows;
}

/** Returns steps of a run by their places, in the order of their start. */
export const findSteps = (db: Db, orgId: string, runId: string, paths: string[]) =>
  db
    .selectFrom('automation_steps')
    .select(['path', 'step_id as id', 'type', 'name', 'status', 'input', 'output', 'error', 'attempts'])
    .select(['next_try_at', 'started_at', 'ended_at'])
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('path', '=', sql<string>`any(${paths})`)
    .orderBy('started_at')
    .orderBy('path')
    .execute();

/** Returns the last failed step of a run. */
export const findFailedStep = (trx: Trx, orgId: string, runId: string) =>
  trx
    .selectFrom('automation_steps')
    .select(['path', 'step_id', 'type', 'name', 'changed_input'])
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('status', '=', 'failed')
    .orderBy('ended_at', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Sets a failed run to in progress again. It goes on in a workflow of its own. */
export async function reopenRun(trx: Trx, orgId: string, runId: string): Promise<void> {
  await trx
    .updateTable('automation_runs')
    .set({ status: 'in_progress', error: null, run_ended_at: null, left_batch: sql<boolean>`batch_id is not null` })
    .where('org_id', '=', orgId)
    .where('id', '=', runId)
    .execute();
}

/** Sets a failed step to in progress again, with another input if there is one. */
export async function reopenStep(
  trx: Trx,
  orgId: string,
  runId: string,
  { path, input, origins }: { path: string; input: object | undefined; origins: string[] | undefined },
): Promise<void> {
  await trx
    .updateTable('automation_steps')
    .set({ status: 'in_progress', ended_at: null, next_try_at: null })
    .$if(input !== undefined, (update) =>
      update.set({ changed_input: JSON.stringify(input), changed_input_origins: origins ?? null }),
    )
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('path', '=', path)
    .execute();
}

/** Saves the next step of a resumed run. */
export async function setResumedAt(trx: Trx, orgId: string, runId: string, next: NextStep): Promise<void> {
  await trx
    .updateTable('automation_runs')
    .set({ resumed_at: JSON.stringify(next) })
    .where('org_id', '=', orgId)
    .where('id', '=', runId)
    .execute();
}

export interface Retry {
  path: string;
  step_id: string;
  is_skip: boolean;
  is_input_changed: boolean;
  reason: string | null;
  api_key_id: string;
}

export async function insertRetry(trx: Trx, orgId: string, runId: string, retry: Retry): Promise<void> {
  await trx
    .insertInto('automation_retries')
    .values({ ...retry, org_id: orgId, id: newId(), run_id: runId })
    .execute();
}

/** Returns the retries of a run by hand, oldest first. */
export const listRetries = (db: Db, orgId: string, runId: string) =>
  db
    .selectFrom('automation_retries')
    .select(['path', 'step_id', 'is_skip as skip', 'is_input_changed as input_changed', 'reason', 'api_key_id'])
    .select('created_at')
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Returns the trigger output of the run started by an event. */
export async function findTriggerOutput(db: Db, orgId: string, workflowId: string, key: string) {
  const run = await db
    .selectFrom('automation_runs')
    .select('trigger_output')
    .where('org_id', '=', orgId)
    .where('automation_id', '=', workflowId)
    .where('trigger_key', '=', key)
    .executeTakeFirst();
  return run?.trigger_output;
}
