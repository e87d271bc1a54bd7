import type { Db } from '../../db/connect.ts';

/** Whose workflow this is, its token, and what starts it; null where it is not active. The caller knows no org: a workflow's id is one of a kind. */
export const findWebhook = (db: Db, automationId: string) =>
  db
    .selectFrom('automations as automation')
    .leftJoin('automation_versions as version', (join) =>
      join.onRef('version.org_id', '=', 'automation.org_id').onRef('version.id', '=', 'automation.active_version'),
    )
    .select(['automation.org_id', 'automation.id', 'automation.webhook_token'])
    .select(['version.trigger_type', 'version.trigger_configuration'])
    .where('automation.id', '=', automationId)
    .executeTakeFirst();

/** The run that something has started before. */
export const findRunByKey = (db: Db, orgId: string, automationId: string, key: string) =>
  db
    .selectFrom('automation_runs')
    .select('id')
    .where('org_id', '=', orgId)
    .where('automation_id', '=', automationId)
    .where('trigger_key', '=', key)
    .executeTakeFirst();
