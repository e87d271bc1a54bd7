import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import { MAX_UUID, NIL_UUID } from '../../ids.ts';
import type { Json, TriggerType } from '../blocks/schema.ts';
import type { AutomationRef, InactivityInput } from './contract.ts';

/** Returns the trigger of a workflow. Returns undefined if the workflow is inactive. */
export const findTrigger = (db: Db, orgId: string, automationId: string) =>
  triggers(db, orgId).where('automation.id', '=', automationId).executeTakeFirst();

/** Returns the triggers of an org's active workflows with this trigger type. */
export const listTriggers = (db: Db, orgId: string, type: TriggerType) =>
  triggers(db, orgId).where('version.trigger_type', '=', type).orderBy('automation.id').execute();

const triggers = (db: Db, orgId: string) =>
  db
    .selectFrom('automations as automation')
    .innerJoin('automation_versions as version', (join) =>
      join.onRef('version.org_id', '=', 'automation.org_id').onRef('version.id', '=', 'automation.active_version'),
    )
    .select(['automation.id', 'automation.times_lost_until', 'version.name', 'version.trigger_type as type'])
    .select((eb) => eb.ref('version.trigger_configuration').$castTo<Json>().as('configuration'))
    .where('automation.org_id', '=', orgId)
    .where('automation.active_version', 'is not', null);

/** Returns the workflows with a possible Schedule: those with a version started by a cron trigger, and deleted ones. */
export async function listPossiblyScheduled(db: Db, orgId: string, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct changed.id from unnest(${ids}::uuid[]) as changed (id)
    where not exists (select from automations where org_id = ${orgId} and id = changed.id and deleted_at is null)
      or exists (
        select from automation_versions
        where org_id = ${orgId} and automation_id = changed.id and trigger_type = 'cron-trigger'
      )
  `.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Returns whether an active workflow of the org has an inactivity trigger, or any workflow has an inactivity cursor
 * from earlier.
 */
export async function isInactivityWatched(db: Db, orgId: string): Promise<boolean> {
  const { rows } = await sql<{ is_watched: boolean }>`
    select exists (select from inactivity_clocks where org_id = ${orgId}) or exists (
      select from automations as automation
      join automation_versions as version on version.org_id = automation.org_id and version.id = automation.active_version
      where automation.org_id = ${orgId} and automation.active_version is not null and version.trigger_type = 'ticket-inactive'
    ) as is_watched
  `.execute(db);
  return rows[0]?.is_watched === true;
}

/** Sets why a workflow has no Schedule. Null: nothing is wrong. */
export async function updateScheduleError(
  db: Db,
  orgId: string,
  automationId: string,
  problem: string | null,
): Promise<void> {
  await db
    .updateTable('automations')
    .set({ schedule_error: problem })
    .where('org_id', '=', orgId)
    .where('id', '=', automationId)
    .where('schedule_error', 'is distinct from', problem)
    .execute();
}

/** Returns whether a run started by a Schedule has not ended yet. */
export async function hasScheduledRun(db: Db, orgId: string, automationId: string): Promise<boolean> {
  const open = await db
    .selectFrom('automation_runs')
    .select('id')
    .where('org_id', '=', orgId)
    .where('automation_id', '=', automationId)
    .where('trigger_cause', '=', 'scheduled')
    .where('status', 'in', ['idle', 'in_progress'])
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

/** The last inactive session announced to a workflow. */
export interface InactivityCursor {
  silent_since: Date;
  session_id: string;
}

/** Locks the inactivity cursor of a workflow. The cursor restarts if the workflow's minutes have changed. */
export async function lockInactivityCursor(
  trx: Trx,
  orgId: string,
  automationId: string,
  minutes: number,
): Promise<InactivityCursor> {
  const inserted = await sql<InactivityCursor>`
    insert into inactivity_clocks as place (org_id, automation_id, minutes, silent_since, session_id)
    values (${orgId}, ${automationId}, ${minutes}, to_timestamp(0), ${NIL_UUID})
    on conflict (org_id, automation_id) do update set minutes = excluded.minutes,
      silent_since = case when place.minutes = excluded.minutes then place.silent_since else excluded.silent_since end,
      session_id = case when place.minutes = excluded.minutes then place.session_id else excluded.session_id end
    returning silent_since, session_id
  `.execute(trx);
  return onlyRow(inserted);
}

export interface InactiveSession {
  id: string;
  since: Date;
  /** Time until the session counts as inactive; zero or negative if it already does. */
  due_in_ms: number;
  /** Length of the chain of runs that made it active last. */
  depth: number;
}

/** SQL: since when a session counts as inactive, as in the index: messages of workflows do not end it, a reopening does. */
const INACTIVE_SINCE = sql`coalesce(active_at, last_message_at, created_at)`;

/** Returns open sessions after a cursor, longest inactive first. */
export async function listInactiveSessions(
  trx: Trx,
  orgId: string,
  { silent_since, session_id }: InactivityCursor,
  { minutes, limit }: { minutes: number; limit: number },
): Promise<InactiveSession[]> {
  const { rows } = await sql<InactiveSession>`
    select id, active_depth as depth, ${INACTIVE_SINCE} as since,
      (extract(epoch from ${INACTIVE_SINCE} + ${minutes} * interval '1 minute' - now()) * 1000)::float8 as due_in_ms
    from sessions
    where org_id = ${orgId} and status = 'open'
      and (${INACTIVE_SINCE}, id) > (${silent_since}::timestamptz, ${session_id}::uuid)
    order by ${INACTIVE_SINCE}, id
    limit ${limit}
  `.execute(trx);
  return rows;
}

export async function updateInactivityCursor(
  trx: Trx,
  orgId: string,
  automationId: string,
  { silent_since, session_id }: InactivityCursor,
): Promise<void> {
  await trx
    .updateTable('inactivity_clocks')
    .set({ silent_since, session_id })
    .where('org_id', '=', orgId)
    .where('automation_id', '=', automationId)
    .execute();
}

/** Has no workflow with a cron trigger start runs for times up to this one. */
export async function skipTimesUntil(db: Db, lostUntil: Date): Promise<void> {
  await sql`
    update automations as changed set times_lost_until = ${lostUntil}::timestamptz ${activeWorkflowsWith('cron-trigger')}
      and changed.org_id = automation.org_id and changed.id = automation.id
      and coalesce(changed.times_lost_until, to_timestamp(0)) < ${lostUntil}::timestamptz
  `.execute(db);
}

/** Has no workflow get the sessions announced that had been inactive for its minutes by this time. */
export async function skipInactiveUntil(db: Db, lostUntil: Date): Promise<void> {
  const cursor = sql`${lostUntil}::timestamptz - minutes * interval '1 minute'`;
  await sql`
    update inactivity_clocks set silent_since = ${cursor}, session_id = ${MAX_UUID}::uuid where silent_since < ${cursor}
  `.execute(db);
}

/** Returns the active workflows of all orgs with a cron trigger. */
export async function listScheduledWorkflows(
  db: Db,
  after: AutomationRef | undefined,
  limit: number,
): Promise<AutomationRef[]> {
  const { rows } = await sql<AutomationRef>`
    select automation.org_id as "orgId", automation.id as "automationId" ${activeWorkflowsWith('cron-trigger')}
      and ${after === undefined ? sql`true` : sql`(automation.org_id, automation.id) > (${after.orgId}::uuid, ${after.automationId}::uuid)`}
    order by automation.org_id, automation.id limit ${limit}
  `.execute(db);
  return rows;
}

export interface CronTrigger extends AutomationRef {
  cron: string;
  timezone: string;
}

/** Returns an active cron trigger of each time zone in use, of all orgs. */
export async function listCronTriggers(db: Db): Promise<CronTrigger[]> {
  const { rows } = await sql<CronTrigger>`
    select distinct on (timezone) automation.org_id as "orgId", automation.id as "automationId",
      version.trigger_configuration->>'cron' as cron, coalesce(version.trigger_configuration->>'timezone', 'UTC') as timezone
    ${activeWorkflowsWith('cron-trigger')}
    order by timezone, automation.org_id, automation.id
  `.execute(db);
  return rows;
}

/** Returns the orgs with an active workflow with an inactivity trigger. */
export async function listOrgsWatchingInactivity(
  db: Db,
  after: InactivityInput | undefined,
  limit: number,
): Promise<InactivityInput[]> {
  const { rows } = await sql<InactivityInput>`
    select distinct automation.org_id as "orgId" ${activeWorkflowsWith('ticket-inactive')}
      and ${after === undefined ? sql`true` : sql`automation.org_id > ${after.orgId}::uuid`}
    order by automation.org_id limit ${limit}
  `.execute(db);
  return rows;
}

const activeWorkflowsWith = (type: TriggerType) => sql`
  from automations as automation
  join automation_versions as version on version.org_id = automation.org_id and version.id = automation.active_version
  where automation.active_version is not null and version.trigger_type = ${type}`;
