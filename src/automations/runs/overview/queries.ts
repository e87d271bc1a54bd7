import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../../db/connections/preparing-client.ts';
import type { Position } from '../../../db/cursor.ts';
import type { TriggerType } from '../../blocks/schema.ts';
import type { RunRef } from '../contract.ts';
import { CONTACT_OF_RUN, SESSION_OF_RUN } from '../history.queries.ts';
import type { AutomationStepsTable, RunStatus, TriggerCause } from '../table.ts';
import type { RunFilters } from './schema.ts';

/** Filters of runs, with the words of a search looked up. */
export interface RunCriteria extends Omit<RunFilters, 'q'> {
  runId?: string | undefined;
  /** Absent: any. */
  workflowIds?: string[] | undefined;
}

/** A run as it is read for lists. */
export interface ReadRow {
  id: string;
  workflow_id: string;
  version_number: number;
  status: RunStatus;
  trigger_cause: TriggerCause;
  duration_in_seconds: number | null;
  run_started_at: Date | null;
  run_ended_at: Date | null;
  is_test_run: boolean;
  error: string | null;
  created_at: Date;
  workflow_name: string;
  trigger_type: TriggerType;
  session_id: string | null;
  contact_id: string | null;
  waits_for: 'timer' | 'event' | null;
  step_id: string | null;
  step_path: string | null;
  step_type: string | null;
  step_name: string | null;
  step_status: AutomationStepsTable['status'] | null;
  step_attempts: number | null;
  step_next_try_at: Date | null;
  step_until: string | null;
  step_error: string | null;
}

/** SQL: the step that a run in progress is at, or at which a run has failed. */
const STEP_OF_RUN = sql`
  select step_id, path, type, name, status, attempts, next_try_at, error,
    case when status = 'waiting' then input ->> 'until' end as until
  from automation_steps as step
  where step.org_id = run.org_id and step.run_id = run.id and step.status in ('in_progress', 'waiting', 'failed')
    and (run.status = 'failed' and step.status = 'failed' or run.status = 'in_progress' and step.status <> 'failed')
  order by coalesce(step.ended_at, step.started_at) desc limit 1`;

const ROW = sql`
  run.id, run.automation_id as workflow_id, version.version_number, run.status, run.trigger_cause, run.run_started_at,
  run.run_ended_at, run.is_test_run, run.error, run.created_at, run.waits_for, version.trigger_type,
  extract(epoch from run.run_ended_at - run.run_started_at)::float8 as duration_in_seconds,
  version.name as workflow_name, ${SESSION_OF_RUN} as session_id, ${CONTACT_OF_RUN} as contact_id,
  step.step_id, step.path as step_path, step.type as step_type, step.name as step_name, step.status as step_status,
  step.attempts as step_attempts, step.next_try_at as step_next_try_at, step.until as step_until, step.error as step_error`;

const WITH_VERSION = sql`
  join automation_versions as version on version.org_id = run.org_id and version.id = run.version_id
  left join lateral (${STEP_OF_RUN}) as step on true`;

/** Lists the runs of a page, newest first, plus one more if there is one. */
export async function listRows(
  db: Db,
  orgId: string,
  { criteria, after, limit }: { criteria: RunCriteria; after: Position | undefined; limit: number },
): Promise<ReadRow[]> {
  const where = conditionsOf(orgId, criteria);
  if (after !== undefined)
    where.push(sql<SqlBool>`(run.created_at, run.id) < (${after.at}::timestamptz, ${after.id}::uuid)`);
  const { rows } = await sql<ReadRow>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    with page as materialized (
      select run.org_id, run.id from automation_runs as run where ${sql.join(where, sql` and `)}
      order by run.created_at desc, run.id desc limit ${limit + 1}
    )
    select ${ROW} from page join automation_runs as run on run.org_id = page.org_id and run.id = page.id
    ${WITH_VERSION}
    order by run.created_at desc, run.id desc
  `.execute(db);
  return rows;
}

/** How far the steps of a run are. */
export interface ReadProgress extends ReadRow {
  org_id: string;
  steps_begun: number;
  steps_ended: number;
  attempts: number;
}

/** Returns runs of any orgs with the progress of their steps. Those of deleted workflows are left out. */
export async function listProgress(db: Db, refs: RunRef[]): Promise<ReadProgress[]> {
  const { rows } = await sql<ReadProgress>`
    select ${ROW}, run.org_id, done.steps_begun, done.steps_ended, done.attempts
    from unnest(${refs.map(({ orgId }) => orgId)}::uuid[], ${refs.map(({ runId }) => runId)}::uuid[]) as given (org_id, id)
    join automation_runs as run on run.org_id = given.org_id and run.id = given.id
    join automations as automation
      on automation.org_id = run.org_id and automation.id = run.automation_id and automation.deleted_at is null
    ${WITH_VERSION}
    cross join lateral (
      select count(*)::integer as steps_begun, count(ended_at)::integer as steps_ended,
        coalesce(sum(attempts), 0)::integer as attempts
      from automation_steps where org_id = run.org_id and run_id = run.id
    ) as done
  `.execute(db);
  return rows;
}

/** SQL: the ids of the runs that meet filters, in no order. */
export const runsThatMeet = (orgId: string, criteria: RunCriteria): RawBuilder<{ id: string }> =>
  sql`select run.id from automation_runs as run where ${sql.join(conditionsOf(orgId, criteria), sql` and `)}`;

const HAS_FAILED_STEP = sql<SqlBool>`exists (
  select from automation_steps as step where step.org_id = run.org_id and step.run_id = run.id and step.status = 'failed')`;

/** SQL: that a run waits for something. Each has an index. */
function isWaitingFor(orgId: string, reason: NonNullable<RunFilters['waiting_for']>): RawBuilder<SqlBool> {
  switch (reason) {
    case 'timer':
    case 'event':
      return sql`run.status = 'in_progress' and run.is_waiting and run.waits_for = ${reason}`;
    case 'retry':
      return sql`run.status = 'in_progress' and run.id in (
        select run_id from automation_steps where org_id = ${orgId} and next_try_at is not null and status = 'in_progress') and not run.is_waiting`;
    case 'person':
      return sql`run.status = 'failed' and ${HAS_FAILED_STEP}`;
  }
}

/** SQL: the ids that runs may have of a contact: its present one, and those of the contacts merged into it. */
const namesOf = (orgId: string, contactId: string) => sql`array(
  select ${contactId}::text union all
  select absorbed_id::text from contact_merges where org_id = ${orgId} and contact_id = ${contactId}::uuid
)`;

function conditionsOf(orgId: string, criteria: RunCriteria): RawBuilder<SqlBool>[] {
  const { workflow_id, status, waiting_for, session_id, contact_id, from, to, runId, workflowIds } = criteria;
  const given: (RawBuilder<SqlBool> | undefined)[] = [
    sql`run.org_id = ${orgId}`,
    sql`run.automation_id not in (select id from automations where org_id = ${orgId} and deleted_at is not null)`,
    workflow_id === undefined ? undefined : sql`run.automation_id = ${workflow_id}`,
    status === undefined ? undefined : sql`run.status = ${status}`,
    // Each status that is rare has a separate index, which the planner finds by this.
    status === 'failed' || status === 'canceled' ? sql`run.status in ('failed', 'canceled')` : undefined,
    waiting_for === undefined ? undefined : isWaitingFor(orgId, waiting_for),
    session_id === undefined ? undefined : sql`${SESSION_OF_RUN} = ${session_id}`,
    contact_id === undefined ? undefined : sql`${CONTACT_OF_RUN} = any(${namesOf(orgId, contact_id)})`,
    from === undefined ? undefined : sql`run.created_at >= ${from}::timestamptz`,
    to === undefined ? undefined : sql`run.created_at < ${to}::timestamptz`,
    runId === undefined ? undefined : sql`run.id = ${runId}`,
    workflowIds === undefined ? undefined : sql`run.automation_id = any(${workflowIds}::uuid[])`,
  ];
  return given.filter((condition) => condition !== undefined);
}

/** Returns the ids of the workflows with a part of a name, as their latest version has it. */
export async function findWorkflowsByName(db: Db, orgId: string, part: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select automation.id from automations as automation
    cross join lateral (
      select name from automation_versions as version
      where version.org_id = automation.org_id and version.automation_id = automation.id
      order by version.version_number desc limit 1
    ) as latest
    where automation.org_id = ${orgId} and automation.deleted_at is null
      and position(lower(${part}::text) in lower(latest.name)) > 0
  `.execute(db);
  return rows.map(({ id }) => id);
}

export interface RunCount {
  nth: number;
  status: RunStatus;
  count: number;
}

/** The runs that are counted: those created in a range, of a workflow if one is given. */
export interface CountedRuns {
  workflowId: string | undefined;
  fromMs: number;
  toMs: number;
}

const countedRuns = (orgId: string, { workflowId, fromMs, toMs }: CountedRuns) => {
  const range = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  return sql`automation_runs as run where ${sql.join(conditionsOf(orgId, { ...range, workflow_id: workflowId }), sql` and `)}`;
};

/** Counts an org's runs by their status in periods of equal length from a time on, counted from 0. */
export async function countByPeriod(
  db: Db,
  orgId: string,
  { periodMs, ...counted }: CountedRuns & { periodMs: number },
): Promise<RunCount[]> {
  const { rows } = await sql<RunCount>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    select floor((extract(epoch from run.created_at) * 1000 - ${counted.fromMs}::float8) / ${periodMs}::float8)::integer as nth,
      run.status, count(*)::integer as count
    from ${countedRuns(orgId, counted)} group by 1, 2
  `.execute(db);
  return rows;
}

export interface WorkflowCount extends Record<RunStatus, number> {
  workflow_id: string;
  last_run_at: Date;
}

const ofStatus = (status: RunStatus) =>
  sql`count(*) filter (where run.status = ${sql.lit(status)})::integer as ${sql.ref(status)}`;

/** Counts an org's runs by their workflow and status. */
export async function countByWorkflow(db: Db, orgId: string, counted: CountedRuns): Promise<WorkflowCount[]> {
  const { rows } = await sql<WorkflowCount>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    select run.automation_id as workflow_id, max(run.created_at) as last_run_at, ${ofStatus('idle')},
      ${ofStatus('in_progress')}, ${ofStatus('completed')}, ${ofStatus('failed')}, ${ofStatus('canceled')}
    from ${countedRuns(orgId, counted)} group by 1 order by 2 desc
  `.execute(db);
  return rows;
}
