import type { Db } from '../../db/connect.ts';

/**
 * Returns a workflow with its org, token and trigger; the trigger is null if the workflow is inactive. The caller does
 * not know the org: workflow ids are globally unique.
 */
export const findWebhook = (db: Db, automationId: string) =>
  db
    .selectFrom('automations as automation')
    .leftJoin('automation_versions as version', (join) =>
      join.onRef('version.org_id', '=', 'automation.org_id').onRef('version.id', '=', 'automation.active_version'),
    )
    .innerJoin('orgs as org', 'org.id', 'automation.org_id')
    .select(['automation.org_id', 'automation.id', 'automation.webhook_token', 'org.name as org_name'])
    .select(['version.trigger_type', 'version.trigger_configuration'])
    .where('automation.id', '=', automationId)
    .where('automation.deleted_at', 'is', null)
    .executeTakeFirst();

/** Returns the run started earlier with this key. */
export const findRunByKey = (db: Db, orgId: string, automationId: string, key: string) =>
  db
    .selectFrom('automation_runs')
    .select(['id', 'created_at'])
    .where('org_id', '=', orgId)
    .where('automation_id', '=', automationId)
    .where('trigger_key', '=', key)
    .executeTakeFirst();
