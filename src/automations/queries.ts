import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import type { Json, Step, TriggerType } from './blocks/schema.ts';

const versions = (db: Db, orgId: string) =>
  db
    .selectFrom('automation_versions as version')
    .innerJoin('automations as automation', (join) =>
      join.onRef('automation.org_id', '=', 'version.org_id').onRef('automation.id', '=', 'version.automation_id'),
    )
    .where('version.org_id', '=', orgId)
    .select(['version.id', 'version.automation_id as workflow_id', 'version.name', 'version.description'])
    .select([
      'version.trigger_type',
      'version.version_number',
      'version.workflow_blocks',
      'version.trigger_configuration',
    ])
    .select(['version.trigger_constraints', 'version.workflow_editor_state', 'version.created_at as updated_at'])
    .select([
      'automation.created_at',
      'automation.webhook_token',
      'automation.constraint_errors',
      'automation.last_constraint_error',
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

/** Returns the versions of a workflow, newest first. */
export const listVersions = (db: Db, orgId: string, id: string, limit: number) =>
  versions(db, orgId)
    .where('version.automation_id', '=', id)
    .orderBy('version.version_number', 'desc')
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
): Promise<VersionRow[]> {
  const page = await db
    .selectFrom('automations')
    .select('id')
    .where('org_id', '=', orgId)
    .$call((query) => (after === undefined ? query : query.where('id', '>', after)))
    .orderBy('id')
    .limit(limit)
    .execute();
  if (page.length === 0) return [];
  return versions(db, orgId)
    .distinctOn('version.automation_id')
    .where('version.automation_id', '=', sql<string>`any(${page.map(({ id }) => id)}::uuid[])`)
    .orderBy('version.automation_id')
    .orderBy(sql`version.id is not distinct from automation.active_version`, 'desc')
    .orderBy('version.version_number', 'desc')
    .execute();
}

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
    .forUpdate()
    .executeTakeFirst();

export interface NewVersion {
  name: string;
  description: string | null;
  trigger_type: TriggerType;
  trigger_configuration: Json;
  trigger_constraints: Json;
  workflow_blocks: Step[];
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
      workflow_editor_state: json(version.workflow_editor_state),
    })
    .execute();
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

export async function deleteAutomation(trx: Trx, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('automations')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns the ids of a workflow's runs in progress. */
export async function listOpenRuns(trx: Trx, orgId: string, id: string): Promise<string[]> {
  const open = await trx
    .selectFrom('automation_runs')
    .select('id')
    .where('org_id', '=', orgId)
    .where('automation_id', '=', id)
    .where('status', '=', 'in_progress')
    .execute();
  return open.map((run) => run.id);
}
