import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { compiledOnce } from '../../db/connections/compiled-once.ts';
import { onlyRow } from '../../db/rows.ts';
import type { Json, TriggerType } from '../blocks/schema.ts';
import type { RunStatus, TriggerCause } from './table.ts';

/** Returns whether an active workflow of the org starts by this trigger type, or a run waits for it. */
export async function isTriggerTypeUsed(db: Db, orgId: string, type: TriggerType): Promise<boolean> {
  const { rows } = await db.executeQuery(triggerTypeUse(db, { orgId, type }));
  return rows[0]?.is_of_interest === true;
}

const triggerTypeUse = compiledOnce(
  ({ orgId, type }: { orgId: string; type: TriggerType }) => sql<{ is_of_interest: boolean }>`
    select exists (
      select from automations as automation
      join automation_versions as version on version.org_id = automation.org_id and version.id = automation.active_version
      where automation.org_id = ${orgId} and automation.active_version is not null and version.trigger_type = ${type}
    ) or exists (select from automation_listeners where org_id = ${orgId} and trigger_type = ${type}) as is_of_interest`,
);

export interface ActiveVersion {
  automation_id: string;
  version_id: number;
  trigger_constraints: Json;
}

/**
 * Returns the active versions started by a trigger type, without their steps: together these may be large. With `only`,
 * returns just the version of this workflow.
 */
export function listActiveVersions(db: Db, orgId: string, type: TriggerType, only?: string): Promise<ActiveVersion[]> {
  return db
    .selectFrom('automations as automation')
    .innerJoin('automation_versions as version', (join) =>
      join.onRef('version.org_id', '=', 'automation.org_id').onRef('version.id', '=', 'automation.active_version'),
    )
    .select(['version.automation_id', 'version.id as version_id', 'version.trigger_constraints'])
    .where('automation.org_id', '=', orgId)
    .where('automation.active_version', 'is not', null)
    .where('version.trigger_type', '=', type)
    .$call((query) => (only === undefined ? query : query.where('automation.id', '=', only)))
    .orderBy('automation.created_at')
    .execute();
}

export interface NewRun {
  id: string;
  automation_id: string;
  version_id: number;
  status: RunStatus;
  trigger_cause: TriggerCause;
  trigger_key: string;
  trigger_output: { [key: string]: Json };
  depth: number;
  is_test_run: boolean;
  error: string | null;
}

/**
 * Inserts runs, each once by its workflow and trigger key, but none of a workflow deleted meanwhile. Returns the ids of the
 * new runs.
 */
export async function insertRuns(trx: Trx, orgId: string, runs: NewRun[]): Promise<string[]> {
  if (runs.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    with live as materialized (
      select id from automations where org_id = ${orgId} and id = any(${runs.map((run) => run.automation_id)}::uuid[]) and deleted_at is null
      order by id for key share -- waits for a deletion under way, and finds out that it is gone
    )
    insert into automation_runs
      (org_id, id, automation_id, version_id, status, trigger_cause, trigger_key, trigger_output, depth, is_test_run, error, run_ended_at)
    select ${orgId}::uuid, id, automation_id, version_id, status, trigger_cause, trigger_key, trigger_output, depth, is_test_run, error,
      case when status = 'failed' then now() end
    from jsonb_to_recordset(${JSON.stringify(runs)}::jsonb) as run (id uuid, automation_id uuid, version_id bigint, status text,
      trigger_cause text, trigger_key text, trigger_output jsonb, depth integer, is_test_run boolean, error text)
    where automation_id in (select id from live)
    on conflict (org_id, automation_id, trigger_key) do nothing
    returning id
  `.execute(trx);
  return rows.map(({ id }) => id);
}

/** Returns how many of the org's runs wait, or may wait, for events; `most` if there are more. */
export async function countListeningRuns(db: Db, orgId: string, most: number): Promise<number> {
  const counted = await sql<{ count: number }>`
    select count(*) as count from (
      select distinct run_id from automation_listeners where org_id = ${orgId} limit ${most}
    ) as listening
  `.execute(db);
  return onlyRow(counted).count;
}

/** Registers runs for types of events: from now on they receive them. */
export async function insertListeners(
  trx: Trx,
  orgId: string,
  listeners: { run_id: string; trigger_type: TriggerType }[],
): Promise<void> {
  if (listeners.length === 0) return;
  await trx
    .insertInto('automation_listeners')
    .values(listeners.map((listener) => ({ ...listener, org_id: orgId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Counts failed evaluations of a workflow's constraint and saves the last error. */
export async function recordConstraintErrors(
  trx: Trx,
  orgId: string,
  id: string,
  { count, message }: { count: number; message: string },
): Promise<void> {
  await trx
    .updateTable('automations')
    .set({
      constraint_errors: sql<number>`constraint_errors + ${count}::integer`,
      last_constraint_error: message.slice(0, 500),
      constraint_failed_at: sql<Date>`now()`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Returns the ids of the runs registered for events of a type. */
export async function listListeners(db: Db, orgId: string, type: TriggerType): Promise<string[]> {
  const rows = await db
    .selectFrom('automation_listeners')
    .select('run_id')
    .where('org_id', '=', orgId)
    .where('trigger_type', '=', type)
    .execute();
  return rows.map(({ run_id }) => run_id);
}

export interface ReceivedEvents {
  type: TriggerType;
  /** `key` is the trigger key of the runs that it starts, in the workflow `only` if there is one. */
  triggerEvents: { event_id: string; key: string; output: { [key: string]: Json } }[];
  only: string | undefined;
  /** The runs that receive them. */
  runIds: string[];
}

/**
 * Stores events once, and for each run that it has received them, except the event that started it. Returns the ids of runs
 * with new events.
 */
export async function insertReceivedEvents(
  trx: Trx,
  orgId: string,
  { type, triggerEvents, only, runIds }: ReceivedEvents,
): Promise<string[]> {
  const { rows } = await sql<{ run_id: string }>`
    with stored as (
      insert into automation_events (org_id, event_id, output)
      select distinct on (event_id) ${orgId}::uuid, event_id, output
      from jsonb_to_recordset(${JSON.stringify(triggerEvents)}::jsonb) as trigger_event (event_id text, output jsonb)
      on conflict (org_id, event_id) do update set created_at = now() -- keeps the row from being deleted meanwhile
    )
    insert into automation_received_events (org_id, run_id, event_id, trigger_type)
    select run.org_id, run.id, event.event_id, ${type}
    from automation_runs as run
    cross join unnest(${triggerEvents.map(({ event_id }) => event_id)}::text[], ${triggerEvents.map(({ key }) => key)}::text[]) as event (event_id, key)
    where run.org_id = ${orgId} and run.id = any(${runIds}::uuid[])
      and (run.trigger_key <> event.key or run.automation_id <> ${only ?? null}::uuid)
    on conflict do nothing
    returning run_id
  `.execute(trx);
  return [...new Set(rows.map(({ run_id }) => run_id))];
}

/**
 * Returns the waiting runs among the given ones. Call this after insertReceivedEvents, because its insert waits for
 * runs locked by another transaction. Thus a run either sees the event before it waits, or it is found here.
 */
export async function listWaitingRuns(trx: Trx, orgId: string, runIds: string[]): Promise<string[]> {
  if (runIds.length === 0) return [];
  const waiting = await trx
    .selectFrom('automation_runs')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${runIds}::uuid[])`)
    .where('status', '=', 'in_progress')
    .where('is_waiting', '=', true)
    .execute();
  return waiting.map(({ id }) => id);
}
