import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { NIL_UUID } from '../../ids.ts';
import type { Json, TriggerType } from '../blocks/schema.ts';

/** What starts a workflow, and how. Undefined where it is not active. */
export const findTrigger = (db: Db, orgId: string, automationId: string) =>
  triggers(db, orgId).where('automation.id', '=', automationId).executeTakeFirst();

/** What starts those of an org's active workflows that are of a trigger type. */
export const listTriggers = (db: Db, orgId: string, type: TriggerType) =>
  triggers(db, orgId).where('version.trigger_type', '=', type).orderBy('automation.id').execute();

const triggers = (db: Db, orgId: string) =>
  db
    .selectFrom('automations as automation')
    .innerJoin('automation_versions as version', (join) =>
      join.onRef('version.org_id', '=', 'automation.org_id').onRef('version.id', '=', 'automation.active_version'),
    )
    .select(['automation.id', 'version.name', 'version.trigger_type as type'])
    .select((eb) => eb.ref('version.trigger_configuration').$castTo<Json>().as('configuration'))
    .where('automation.org_id', '=', orgId)
    .where('automation.active_version', 'is not', null);

/** Of these workflows, those that may have a Schedule: a version of theirs has one, or they are gone. */
export async function listPossiblyScheduled(db: Db, orgId: string, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct changed.id from unnest(${ids}::uuid[]) as changed (id)
    where not exists (select from automations where org_id = ${orgId} and id = changed.id)
      or exists (
        select from automation_versions
        where org_id = ${orgId} and automation_id = changed.id and trigger_type = 'cron-trigger'
      )
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Whether any workflow of the org asks for silences, or has asked: then it has a place. */
export async function isInactivityWatched(db: Db, orgId: string): Promise<boolean> {
  const { rows } = await sql<{ is_watched: boolean }>`
    select exists (select from automation_silences where org_id = ${orgId}) or exists (
      select from automations as automation
      join automation_versions as version on version.org_id = automation.org_id and version.id = automation.active_version
      where automation.org_id = ${orgId} and automation.active_version is not null and version.trigger_type = 'ticket-inactive'
    ) as is_watched
  `.execute(db);
  return rows[0]?.is_watched === true;
}

/** Whether a run that a Schedule has started is still under way. */
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

/** Of the silences that a workflow was told of, the last one. */
export interface InactivityCursor {
  silent_since: Date;
  session_id: string;
}

/** Keeps a workflow's place to this transaction. It begins anew where it counts other minutes than before. */
export async function lockInactivityCursor(
  trx: Trx,
  orgId: string,
  automationId: string,
  minutes: number,
): Promise<InactivityCursor> {
  const { rows } = await sql<InactivityCursor>`
    insert into automation_silences as place (org_id, automation_id, minutes, silent_since, session_id)
    values (${orgId}, ${automationId}, ${minutes}, to_timestamp(0), ${NIL_UUID})
    on conflict (org_id, automation_id) do update set minutes = excluded.minutes,
      silent_since = case when place.minutes = excluded.minutes then place.silent_since else excluded.silent_since end,
      session_id = case when place.minutes = excluded.minutes then place.session_id else excluded.session_id end
    returning silent_since, session_id
  `.execute(trx);
  return rows[0] as InactivityCursor;
}

export interface InactiveSession {
  id: string;
  since: Date;
  /** Until it is long enough; not positive where it is. */
  due_in_ms: number;
}

/** Open sessions behind a place, those first in which nobody has spoken for the longest. One in which nobody ever spoke counts from its beginning. */
export async function listInactiveSessions(
  trx: Trx,
  orgId: string,
  { silent_since, session_id }: InactivityCursor,
  { minutes, limit }: { minutes: number; limit: number },
): Promise<InactiveSession[]> {
  const { rows } = await sql<InactiveSession>`
    select id, coalesce(last_message_at, created_at) as since,
      (extract(epoch from coalesce(last_message_at, created_at) + ${minutes} * interval '1 minute' - now()) * 1000)::float8 as due_in_ms
    from sessions
    where org_id = ${orgId} and status = 'open'
      and (coalesce(last_message_at, created_at), id) > (${silent_since}::timestamptz, ${session_id}::uuid)
    order by coalesce(last_message_at, created_at), id
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
    .updateTable('automation_silences')
    .set({ silent_since, session_id })
    .where('org_id', '=', orgId)
    .where('automation_id', '=', automationId)
    .execute();
}
