import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { compiledOnce } from '../../db/connections/compiled-once.ts';
import { onlyRow } from '../../db/rows.ts';

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
    .select(['automation.org_id', 'automation.id', 'automation.webhook_token', 'org.language as org_language'])
    .select(['version.id as version_id', 'version.trigger_type', 'version.trigger_configuration'])
    .select('version.trigger_constraints')
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

/** A run of a webhook, with what of its workflow must still be so. */
export interface AcceptedRun {
  orgId: string;
  automationId: string;
  token: string;
  versionId: number;
  runId: string;
  key: string;
  /** `trigger.output`, as JSON. */
  output: string;
}

/** The outcome of an AcceptedRun. */
export interface Acceptance {
  /** Whether the workflow is as it was said to be, and no run of the org waits for a webhook. Otherwise nothing was done. */
  is_current: boolean;
  is_new: boolean;
  /** The run with the key. null: another transaction is just inserting it. */
  run_id: string | null;
}

/**
 * Queues a run, once by its key, if the workflow still has this token and active version, and no run of the org waits for
 * webhooks. Waits for a deletion of the workflow under way, and finds out that it is gone.
 */
export const insertRunOfWebhook = async (db: Db, run: AcceptedRun): Promise<Acceptance> =>
  onlyRow(await db.executeQuery(insertionOfRun(db, run)));

const insertionOfRun = compiledOnce(
  ({ orgId, automationId, token, versionId, runId, key, output }: AcceptedRun) => sql<Acceptance>`
    with current as materialized (
      select org_id, id, active_version from automations
      where org_id = ${orgId} and id = ${automationId} and webhook_token = ${token} and active_version = ${versionId}
        and deleted_at is null
        and not exists (select from automation_listeners where org_id = ${orgId} and trigger_type = 'webhook')
      for key share of automations
    ), queued as (
      insert into automation_runs (org_id, id, automation_id, version_id, trigger_cause, trigger_key, trigger_output)
      select org_id, ${runId}::uuid, id, active_version, 'automatic', ${key}, ${output}::jsonb from current
      on conflict (org_id, automation_id, trigger_key) do nothing
      returning id
    )
    select exists (select from current) as is_current, exists (select from queued) as is_new, coalesce(
      (select id from queued),
      (select id from automation_runs where org_id = ${orgId} and automation_id = ${automationId} and trigger_key = ${key})
    ) as run_id`,
);
