import { type NotNull, type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { BLOCK_TYPES, type Json, type TriggerType } from '../blocks/schema.ts';
import type { StepPath } from '../interpreter/step-paths.rules.ts';
import type { NextStep } from './contract.ts';
import type { AutomationStepsTable, RunStatus } from './table.ts';

export const RUN_COLUMNS = [
  'id',
  'automation_id',
  'version_id',
  'status',
  'is_waiting',
  'waits_for',
  'trigger_output',
  'depth',
  'batch_id',
  'left_batch',
  'redactions',
  'trace',
] as const;
const COLUMNS_OF_RUN = RUN_COLUMNS.map((column) => `run.${column}` as const);

/** Returns a run with the columns needed by its steps. */
export const findRun = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('automation_runs')
    .select(RUN_COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();

/** A run with what is known of earlier attempts of a step. */
export interface RunAtStep {
  run: Run;
  step:
    | (Pick<AutomationStepsTable, 'status' | 'error'> & { changed_input: Json; changed_input_origins: string[] | null })
    | undefined;
}

/** Returns a run like findRun, with the state of one of its steps. */
export async function findRunAtStep(
  db: Db,
  orgId: string,
  { runId, path }: { runId: string; path: StepPath },
): Promise<RunAtStep | undefined> {
  const row = await db
    .selectFrom('automation_runs as run')
    .leftJoin('automation_steps as step', (join) =>
      join.onRef('step.org_id', '=', 'run.org_id').onRef('step.run_id', '=', 'run.id').on('step.path', '=', path),
    )
    .select(COLUMNS_OF_RUN)
    .select(['step.status as step_status', 'step.error', 'step.changed_input', 'step.changed_input_origins'])
    .where('run.org_id', '=', orgId)
    .where('run.id', '=', runId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { step_status: status, error, changed_input, changed_input_origins, ...run } = row;
  return { run, step: status === null ? undefined : { status, error, changed_input, changed_input_origins } };
}

/** Returns the next step at the last retry by hand, if the run is in progress. */
export async function findResumedAt(db: Db, orgId: string, id: string): Promise<NextStep | null> {
  const run = await db
    .selectFrom('automation_runs')
    .select('resumed_at')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('status', '=', 'in_progress')
    .executeTakeFirst();
  return run?.resumed_at ?? null;
}

/** Locks a run until the transaction ends, and returns it like findRun. */
export const lockRun = (trx: Trx, orgId: string, id: string) =>
  trx
    .selectFrom('automation_runs')
    .select(RUN_COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export type Run = NonNullable<Awaited<ReturnType<typeof findRun>>>;

/** Returns whether a run in progress is done by a batch. */
export const isInBatch = ({ batch_id, left_batch }: Pick<Run, 'batch_id' | 'left_batch'>): boolean =>
  batch_id !== null && !left_batch;

/** Returns the steps of a version. They never change. */
export const findBlocks = (db: Db, orgId: string, versionId: number) =>
  db
    .selectFrom('automation_versions')
    .select(['workflow_blocks', 'credential_origins', 'name'])
    .where('org_id', '=', orgId)
    .where('id', '=', versionId)
    .executeTakeFirstOrThrow();

/** How many runs of an org are active and how many are queued, each counted up to one more than a backlog. */
export interface QueueState {
  /** Active in workflows of their own, without those that wait for a time or an event. */
  own: number;
  batched: number;
  queued: number;
}

/**
 * Starts queued runs, oldest first, until `most` runs are active. Starts none if more than `backlog` are active and
 * queued, unless `isOneByOne`. Returns the started runs, and how many were active and queued before.
 */
export async function claimQueuedRuns(
  trx: Trx,
  orgId: string,
  { most, backlog, isOneByOne }: { most: number; backlog: number; isOneByOne: boolean },
): Promise<{ runs: Run[]; state: QueueState }> {
  const { rows } = await sql<QueueState & { [Column in keyof Run]: Run[Column] | null }>`
    with ${countedQueue(orgId, backlog)}, next as (
      select org_id, id from automation_runs where org_id = ${orgId} and status = 'idle'
      order by created_at, id
      limit (select case when own + batched + queued > ${backlog} and not ${isOneByOne}::boolean then 0 else greatest(0, ${most}::integer - own - batched) end from busy, waiting)
      for update skip locked
    ), claimed as (
      update automation_runs as run set status = 'in_progress', run_started_at = now()
      from next where run.org_id = next.org_id and run.id = next.id
      returning ${CLAIMED_COLUMNS}
    )
    select busy.own, busy.batched, waiting.queued, claimed.* from busy cross join waiting left join claimed on true
  `.execute(trx);
  const { own = 0, batched = 0, queued = 0 } = rows[0] ?? {};
  return { runs: rows.filter((row): row is QueueState & Run => row.id !== null), state: { own, batched, queued } };
}

/** SQL: what a statement that claims runs returns of them, as `run`. */
export const CLAIMED_COLUMNS = sql.raw(COLUMNS_OF_RUN.join(', '));

/** SQL: the QueueState of an org, as the expressions `busy` and `waiting`. */
export const countedQueue = (orgId: string, backlog: number) => sql`busy as (
      select (
        select count(*) from (
          select from automation_runs
          where org_id = ${orgId} and status = 'in_progress' and not is_waiting and (batch_id is null or left_batch) limit ${backlog} + 1
        ) as active
      ) as own, (
        select count(*) from (
          select from automation_runs
          where org_id = ${orgId} and status = 'in_progress' and batch_id is not null and not left_batch limit ${backlog} + 1
        ) as active
      ) as batched
    ), waiting as (
      select count(*) as queued from (
        select from automation_runs where org_id = ${orgId} and status = 'idle' limit ${backlog} + 1
      ) as waiting
    )`;

const MAX_ERROR_LENGTH = 1_000;

/** Returns an error as it is stored: without NUL, as it may be in the words of another system. */
const storedError = (error: string | null | undefined): string | null =>
  error === null || error === undefined ? null : error.replaceAll('\0', '').slice(0, MAX_ERROR_LENGTH);

/** The end of a run. */
export interface RunEnd {
  status: Exclude<RunStatus, 'idle' | 'in_progress'>;
  error?: string | null;
  /** Whether a separate workflow takes it, as for failed runs of batches. */
  leavesBatch?: boolean;
}

/** A run that has ended, with the handoff hold that waits for it, if any. */
export interface EndedRun {
  id: string;
  handoff_hold_id: string | null;
  trigger_type: string | null;
}

/** Ends runs and stops their waiting for events. A failed run keeps its received events, as it may be retried. */
export async function endRuns(
  trx: Trx,
  orgId: string,
  ids: string[],
  { status, error = null, leavesBatch = false }: RunEnd,
): Promise<EndedRun[]> {
  const { rows } = await sql<EndedRun>`
    with ended as (
      update automation_runs set status = ${status}, error = ${storedError(error)}, is_waiting = false, waits_for = null, run_ended_at = now(),
        left_batch = left_batch or ${leavesBatch}::boolean
      where org_id = ${orgId} and id = any(${ids}::uuid[])
      returning id, handoff_hold_id, (
        select trigger_type from automation_versions as version where version.org_id = automation_runs.org_id and version.id = version_id
      ) as trigger_type
    ), deleted_receipts as (
      delete from automation_received_events where org_id = ${orgId} and run_id = any(${ids}::uuid[]) and ${status} <> 'failed'
    ), deleted_listeners as (
      delete from automation_listeners where org_id = ${orgId} and run_id = any(${ids}::uuid[])
    )
    select id, handoff_hold_id, trigger_type from ended
  `.execute(trx);
  return rows;
}

/** An output of a run's step. */
export interface StepOutput {
  step_id: string;
  output: Json;
}

/**
 * Returns the latest outputs of a run's steps, oldest first, as many as have at most `maxCharacters` together, with the
 * number of those left out. A step in a loop counts once. Also returns whether an action was begun.
 */
export async function listLatestOutputs(
  trx: Trx,
  orgId: string,
  runId: string,
  maxCharacters: number,
): Promise<{ outputs: StepOutput[]; leftOut: number; hasActed: boolean }> {
  const { rows } = await sql<StepOutput & { is_within: boolean }>`
    with latest as (
      select distinct on (step_id) step_id, output, characters, ended_at, path from automation_steps
      where org_id = ${orgId} and run_id = ${runId} and status = 'completed' and output is not null
        and type <> all(${BLOCK_TYPES}::text[])
      order by step_id, ended_at desc, path desc
    ), measured as (
      select *, sum(characters) over (order by ended_at desc, path desc) <= ${maxCharacters} as is_within from latest
    )
    select step_id, case when is_within then output end as output, is_within from measured order by ended_at, path
  `.execute(trx);
  const acted = await trx
    .selectFrom('automation_steps')
    .select('path')
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('type', 'not in', BLOCK_TYPES)
    .limit(1)
    .executeTakeFirst();
  const outputs = rows.filter(({ is_within }) => is_within).map(({ step_id, output }) => ({ step_id, output }));
  return { outputs, leftOut: rows.length - outputs.length, hasActed: acted !== undefined };
}

/** Records what a run waits for. Null: it continues. */
export async function setWaiting(trx: Trx, orgId: string, id: string, waitsFor: Run['waits_for']): Promise<void> {
  await trx
    .updateTable('automation_runs')
    .set({ is_waiting: waitsFor !== null, waits_for: waitsFor })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Returns the outputs of steps by step path. */
export async function listOutputs(
  db: Db,
  orgId: string,
  runId: string,
  paths: StepPath[],
): Promise<ReadonlyMap<StepPath, Json>> {
  if (paths.length === 0) return new Map();
  const rows = await db
    .selectFrom('automation_steps')
    .select(['path', 'output'])
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('path', '=', sql<string>`any(${paths})`)
    .where('output', 'is not', null)
    .$narrowType<{ output: NotNull }>()
    .execute();
  return new Map(rows.map(({ path, output }) => [path, output]));
}

export const findStep = (db: Db, orgId: string, runId: string, path: StepPath) =>
  db
    .selectFrom('automation_steps')
    .select(['status', 'input', 'changed_input', 'error'])
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('path', '=', path)
    .executeTakeFirst();

export interface StepRecord {
  path: StepPath;
  step_id: string;
  type: string;
  name: string | null;
  status: 'in_progress' | 'waiting' | 'completed';
  input: Json;
  output: Json;
}

/**
 * Inserts steps, or updates them if they exist: an update counts an attempt and keeps the start time. Completed and
 * skipped steps do not change.
 */
export async function saveSteps(db: Db, orgId: string, runId: string, steps: StepRecord[]): Promise<void> {
  if (steps.length === 0) return;
  await sql`
    insert into automation_steps as step (org_id, run_id, path, step_id, type, name, status, input, output, attempts, ended_at)
    select ${orgId}::uuid, ${runId}::uuid, path, step_id, type, name, status, input, output, 1,
      case when status = 'completed' then now() end
    from jsonb_to_recordset(${JSON.stringify(steps)}::jsonb)
      as given (path text, step_id text, type text, name text, status text, input jsonb, output jsonb)
    on conflict (org_id, run_id, path) do update set status = excluded.status, input = excluded.input, output = excluded.output,
      error = null, attempts = step.attempts + 1, next_try_at = null, ended_at = excluded.ended_at
      where step.status not in ('completed', 'skipped')
  `.execute(db);
}

/** Ends a step. */
export async function endStep(
  trx: Trx,
  orgId: string,
  runId: string,
  { path, ...end }: { path: StepPath; status: 'completed' | 'failed' | 'skipped'; output?: Json; error?: string },
): Promise<void> {
  await trx
    .updateTable('automation_steps')
    .set({
      status: end.status,
      output: end.output === undefined ? null : JSON.stringify(end.output),
      error: storedError(end.error),
      next_try_at: null,
      ended_at: sql<Date>`now()`,
    })
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('path', '=', path)
    .execute();
}

/** What stands in place of a redacted error. */
export const REDACTED_ERROR = '[redacted]';
/** What stands in place of an input given for a retry, once texts of it are redacted: nothing is sent with it. */
export const REDACTED_INPUT = '[redacted]';

/**
 * Saves the error of a failed attempt, and when the next one begins: in `nextTryMs`, or null if none follows. If the run was
 * redacted since it was loaded, error and input are not kept.
 */
export async function setStepError(
  db: Db,
  orgId: string,
  { id: runId, redactions }: Pick<Run, 'id' | 'redactions'>,
  { path, error, nextTryMs }: { path: StepPath; error: string; nextTryMs: number | null },
): Promise<void> {
  await sql`
    update automation_steps as step set
      next_try_at = case when step.status = 'in_progress' and run.status = 'in_progress'
        then now() + ${nextTryMs}::double precision * interval '1 millisecond' end,
      error = case when run.redactions = ${redactions} then ${storedError(error)} else ${REDACTED_ERROR} end,
      input = case when run.redactions = ${redactions} then step.input else without_texts(step.input, '') end
    from automation_runs as run
    where step.org_id = ${orgId} and step.run_id = ${runId} and step.path = ${path} and run.org_id = step.org_id and run.id = step.run_id
  `.execute(db);
}

/**
 * Returns the oldest unconsumed events of a type received by a run, at most `limit`, that the wait at `path` was not
 * checked against. Those checked by no wait, and by waits before and after it by name, are each a range of the index.
 */
export async function listUncheckedEvents(
  trx: Trx,
  orgId: string,
  runId: string,
  { type, path, limit }: { type: TriggerType; path: StepPath; limit: number },
): Promise<{ event_id: string; output: { [key: string]: Json } }[]> {
  const receivedWhere = (isUnchecked: RawBuilder<unknown>) => sql`
    select event_id, received_at from automation_received_events
    where org_id = ${orgId} and run_id = ${runId} and trigger_type = ${type} and not is_consumed and ${isUnchecked}`;
  const { rows } = await sql<{ event_id: string; output: { [key: string]: Json } }>`
    with next as (
      select * from (
        ${receivedWhere(sql`checked_path is null`)}
        union all ${receivedWhere(sql`checked_path < ${path}`)}
        union all ${receivedWhere(sql`checked_path > ${path}`)}
      ) as unchecked
      order by received_at, event_id limit ${limit}
    )
    select event_id, event.output from next
    join automation_events as event using (event_id) where event.org_id = ${orgId}
    order by next.received_at, event_id
  `.execute(trx);
  return rows;
}

/** Records that events do not match the wait at `path`. */
export async function setChecked(
  trx: Trx,
  orgId: string,
  runId: string,
  { path, eventIds }: { path: StepPath; eventIds: string[] },
): Promise<void> {
  if (eventIds.length === 0) return;
  await trx
    .updateTable('automation_received_events')
    .set({ checked_path: path })
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('event_id', '=', sql<string>`any(${eventIds}::text[])`)
    .execute();
}

/** Returns whether a run has unconsumed events of a type. */
export const hasReceivedEvent = async (trx: Trx, orgId: string, runId: string, type: TriggerType): Promise<boolean> =>
  (await trx
    .selectFrom('automation_received_events')
    .select('event_id')
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('trigger_type', '=', type)
    .where('is_consumed', '=', false)
    .limit(1)
    .executeTakeFirst()) !== undefined;

export async function consumeReceivedEvent(trx: Trx, orgId: string, runId: string, eventId: string): Promise<void> {
  await trx
    .updateTable('automation_received_events')
    .set({ is_consumed: true })
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .where('event_id', '=', eventId)
    .execute();
}

const RUNS_PER_CLEANUP = 100;

/** Deletes runs that ended before so many days, with their steps, some at a time. Returns their number. */
export async function deleteOldRuns(db: Db, days: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from automation_runs where (org_id, id) in (
      select org_id, id from automation_runs
      where run_ended_at < now() - ${days} * interval '1 day'
      order by run_ended_at limit ${RUNS_PER_CLEANUP}
    )
  `.execute(db);
  return Number(numAffectedRows);
}

/** Deletes some runs of deleted workflows, or else some such workflows. Returns their number. */
export async function deleteRemainsOfWorkflows(db: Db): Promise<number> {
  const { numAffectedRows: runs = 0n } = await sql`
    delete from automation_runs as run using (
      select own.org_id, own.id from automations as automation
      cross join lateral (
        select org_id, id from automation_runs as own
        where own.org_id = automation.org_id and own.automation_id = automation.id limit ${RUNS_PER_CLEANUP}
      ) as own
      where automation.deleted_at is not null limit ${RUNS_PER_CLEANUP}
    ) as found where run.org_id = found.org_id and run.id = found.id
  `.execute(db);
  if (runs > 0n) return Number(runs);
  const { numAffectedRows: workflows = 0n } = await sql`
    delete from automations as automation where deleted_at is not null and not exists (
      select from automation_runs as run where run.org_id = automation.org_id and run.automation_id = automation.id
    )
  `.execute(db);
  return Number(workflows);
}

const EVENTS_PER_CLEANUP = 1_000;

/** Deletes events that no run keeps any more, some at a time. Returns their number. */
export async function deleteUnreceivedEvents(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from automation_events where (org_id, event_id) in (
      select org_id, event_id from automation_events as event
      where created_at < now() - interval '1 hour'
        and not exists (select from automation_received_events as received where received.org_id = event.org_id and received.event_id = event.event_id)
      limit ${EVENTS_PER_CLEANUP}
    )
  `.execute(db);
  return Number(numAffectedRows);
}
