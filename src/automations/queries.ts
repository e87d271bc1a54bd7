import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { hasManyReferences } from '../db/deletion.ts';
import { lockName } from '../db/locks.ts';
import type { Json, Step, TriggerType } from './blocks/schema.ts';
import type { CredentialOrigins } from './credential-origins.rules.ts';

const versions = (db: Db, orgId: string) =>
  db
    .selectFrom('automation_versions as version')
    .innerJoin('automations as automation', (join) =>
      join.onRef('automation.org_id', '=', 'version.org_id').onRef('automation.id', '=', 'version.automation_id'),
    )
    .where('version.org_id', '=', orgId)
    .where('automation.deleted_at', 'is', null)
    .select(['version.id', 'version.automation_id as workflow_id', 'version.name', 'version.description'])
    .select([
      'version.trigger_type',
      'version.version_number',
      'version.workflow_blocks',
      'version.credential_origins',
      'version.trigger_configuration',
    ])
    .select(['version.trigger_constraints', 'version.workflow_editor_state', 'version.created_at as updated_at'])
    .select([
      'automation.created_at',
      'automation.webhook_token',
      'automation.constraint_errors',
      'automation.last_constraint_error',
      'automation.schedule_error',
    ])
    .select(sql<boolean>`version.id is not distinct from automation.active_version`.as('is_active'));

export type VersionRow = NonNullable<Awaited<ReturnType<typeof findVersion>>>;

/** Returns the active version of a workflow, or its latest if none is active. */
export const findCurrentVersion = (db: Db, orgId: string, id: string) =>
  versions(db, orgId)
    .where('version.automation_id', '=', id)
    .orderBy(sql`version.id is not distinct from automation.active_version`, 'desc')
    .orderBy('version.version_number', 'desc')
    .limit(1)
    .executeTakeFirst();

export const findLatestVersion = (db: Db, orgId: string, id: string) =>
  versions(db, orgId)
    .where('version.automation_id', '=', id)
    .orderBy('version.version_number', 'desc')
    .limit(1)
    .executeTakeFirst();

export const findVersion = (db: Db, orgId: string, id: string, number: number) =>
  versions(db, orgId)
    .where('version.automation_id', '=', id)
    .where('version.version_number', '=', number)
    .executeTakeFirst();

/** An entry of a list of versions, with the length of its JSON in characters. */
export interface ListedVersion {
  id: number;
  version_number: number;
  workflow_id: string;
  characters: number;
}

/** Returns the versions of a workflow older than the given one, newest first. */
export const listVersions = (
  db: Db,
  orgId: string,
  id: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<ListedVersion[]> =>
  db
    .selectFrom('automation_versions')
    .select(['id', 'version_number', 'automation_id as workflow_id', 'characters'])
    .where('org_id', '=', orgId)
    .where('automation_id', '=', id)
    .$call((query) => (before === undefined ? query : query.where('version_number', '<', before)))
    .orderBy('version_number', 'desc')
    .limit(limit)
    .execute();

/**
 * Returns a page of an org's workflows after the given id, oldest first. Each is in its active version, or in its
 * latest if none is active.
 */
export async function listWorkflows(
  db: Db,
  orgId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ListedVersion[]> {
  const { rows } = await sql<ListedVersion>`
    select version.id, version.version_number, automation.id as workflow_id, version.characters
    from (
      select org_id, id, active_version from automations
      where org_id = ${orgId} and deleted_at is null and (${after ?? null}::uuid is null or id > ${after ?? null}::uuid)
      order by id limit ${limit}
    ) as automation
    join lateral (
      select id, version_number, characters from automation_versions as version
      where version.org_id = automation.org_id and version.automation_id = automation.id
      order by version.id is not distinct from automation.active_version desc, version.version_number desc limit 1
    ) as version on true
    order by automation.id
  `.execute(db);
  return rows;
}

/** Returns versions by their ids, in no order. */
export const findVersions = (db: Db, orgId: string, ids: number[]): Promise<VersionRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : versions(db, orgId).where('version.id', '=', sql<number>`any(${ids}::bigint[])`).execute();

export async function insertAutomation(trx: Trx, orgId: string, id: string, token: string): Promise<void> {
  await trx.insertInto('automations').values({ org_id: orgId, id, webhook_token: token }).execute();
}

/** Locks the workflow until the transaction ends. Returns undefined if the org has no such workflow. */
export const lockAutomation = (trx: Trx, orgId: string, id: string) =>
  trx
    .selectFrom('automations')
    .select(['id', 'active_version', 'webhook_token'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();

export interface NewVersion {
  name: string;
  description: string | null;
  trigger_type: TriggerType;
  trigger_configuration: Json;
  trigger_constraints: Json;
  workflow_blocks: Step[];
  credential_origins: CredentialOrigins;
  workflow_editor_state: Json;
}

/** Inserts the next version of a workflow. The caller has locked the workflow. */
export async function insertVersion(trx: Trx, orgId: string, id: string, version: NewVersion): Promise<void> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  await trx
    .insertInto('automation_versions')
    .values({
      org_id: orgId,
      automation_id: id,
      version_number: sql<number>`(select coalesce(max(version_number), 0) + 1 from automation_versions where org_id = ${orgId} and automation_id = ${id})`,
      name: version.name,
      description: version.description,
      trigger_type: version.trigger_type,
      trigger_configuration: json(version.trigger_configuration),
      trigger_constraints: json(version.trigger_constraints),
      workflow_blocks: JSON.stringify(version.workflow_blocks),
      credential_origins: JSON.stringify(version.credential_origins),
      workflow_editor_state: json(version.workflow_editor_state),
    })
    .execute();
}

/** Makes concurrent activations of the org wait: each counts those before it. Lasts until the transaction ends. */
export const lockActivations = (trx: Trx, orgId: string) => lockName(trx, `workflow activations ${orgId}`);

/** Returns the number of the org's other active workflows with this trigger, and the characters of their steps. */
export async function countActive(
  trx: Trx,
  orgId: string,
  { id, triggerType }: { id: string; triggerType: TriggerType },
): Promise<{ workflows: number; characters: number }> {
  return trx
    .selectFrom('automations as automation')
    .innerJoin('automation_versions as version', (join) =>
      join.onRef('version.org_id', '=', 'automation.org_id').onRef('version.id', '=', 'automation.active_version'),
    )
    .select([sql<number>`count(*)`.as('workflows'), sql<number>`coalesce(sum(version.characters), 0)`.as('characters')])
    .where('automation.org_id', '=', orgId)
    .where('automation.id', '<>', id)
    .where('version.trigger_type', '=', triggerType)
    .executeTakeFirstOrThrow();
}

/** Sets the version started by the trigger, or null for none. */
export async function setActiveVersion(trx: Trx, orgId: string, id: string, versionId: number | null): Promise<void> {
  await trx
    .updateTable('automations')
    .set({ active_version: versionId, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Keeps a workflow from being deleted until the transaction ends. Returns false if it is. */
export async function keepAutomation(trx: Trx, orgId: string, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('automations')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

const RUNS = { table: 'automation_runs', column: 'automation_id' };

/** Returns whether a workflow has so many runs that its deletion would take long. */
export const hasManyRuns = (db: Db, orgId: string, id: string): Promise<boolean> =>
  hasManyReferences(db, orgId, RUNS, id);

/** Deletes a workflow with its versions and runs. */
export async function deleteAutomation(trx: Trx, orgId: string, id: string): Promise<void> {
  await trx.deleteFrom('automations').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** Hides a workflow with its runs, and cancels those that have not ended. */
export async function hideAutomation(trx: Trx, orgId: string, id: string): Promise<void> {
  await trx
    .updateTable('automations')
    .set({ deleted_at: sql<Date>`now()`, active_version: null })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
  await sql`
    with canceled as (
      update automation_runs set status = 'canceled', is_waiting = false, waits_for = null, run_ended_at = now()
      where org_id = ${orgId} and automation_id = ${id} and status in ('idle', 'in_progress')
      returning id
    )
    delete from automation_listeners where org_id = ${orgId} and run_id in (select id from canceled)
  `.execute(trx);
  await trx.deleteFrom('inactivity_clocks').where('org_id', '=', orgId).where('automation_id', '=', id).execute();
}

/** Returns the ids of a workflow's runs in progress that have workflows of their own in Temporal. */
export async function listOpenRuns(trx: Trx, orgId: string, id: string): Promise<string[]> {
  const open = await trx
    .selectFrom('automation_runs')
    .select('id')
    .where('org_id', '=', orgId)
    .where('automation_id', '=', id)
    .where('status', '=', 'in_progress')
    .where(sql<boolean>`(batch_id is null or left_batch)`)
    .execute();
  return open.map((run) => run.id);
}
