import { type RawBuilder, sql } from 'kysely';

/** Rows of one org are counted up to here. */
export const MAX_COUNTED = sql.raw('1000');
/** Failures of workflows that nobody looked at for longer are history. */
const RECENT = sql`now() - interval '7 days'`;

/** What stays as it is until a person acts, and is of interest to the org and to the operator alike. */
export const CONDITION_KINDS = [
  'integration_failing',
  'domain_broken',
  'webhook_disabled',
  'sequence_paused',
  'unknown_delivery',
  'run_failed',
  'workflow_constraint_error',
  'workflow_schedule_error',
  'held_removals',
] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

const inOrg = (table: string, orgId: string | undefined) =>
  orgId === undefined ? sql`true` : sql`${sql.ref(`${table}.org_id`)} = ${orgId}::uuid`;

const oneOrg = (orgId: string) => sql`(select ${orgId}::uuid as id)`;

/**
 * SQL: the ids of all orgs that have some of the rows, each by one look-up in an index that begins with org_id. `rows` is a
 * table with a condition.
 */
export const orgsWith = (rows: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  with recursive having_some as (
    (select org_id from ${rows} order by org_id limit 1)
    union all
    select (select org_id from ${rows} and org_id > earlier.org_id order by org_id limit 1)
    from having_some as earlier where earlier.org_id is not null
  )
  select org_id as id from having_some where org_id is not null)`;

const ACTIVE_VERSION = sql`automations as workflow join automation_versions as version
  on version.org_id = workflow.org_id and version.id = workflow.active_version`;
const isActive = (orgId: string | undefined) =>
  sql`${inOrg('workflow', orgId)} and workflow.deleted_at is null and workflow.active_version is not null`;

/**
 * SQL for the rows of each condition, of one org or of all: org_id, id, name, reason, since and count. The name may be a
 * text of a customer. Without an org each is found by its own index; unknown deliveries take a look-up for every org.
 */
export const CONDITIONS: Record<ConditionKind, (orgId?: string) => RawBuilder<unknown>> = {
  integration_failing: (orgId) => sql`
    select org_id, kind || '/' || name, provider || ' (' || kind || ')', last_error,
      coalesce(failing_since, last_error_at, updated_at), 1
    from integrations
    where ${inOrg('integrations', orgId)} and (failing_since is not null or connected = false and has_standing_error)`,
  domain_broken: (orgId) => sql`
    select org_id, id::text, domain, case status when 'failed' then 'Another key is published' else 'Its DNS record is not found' end,
      coalesce(checked_at, created_at), 1
    from sending_domains where ${inOrg('sending_domains', orgId)} and status <> 'verified'`,
  webhook_disabled: (orgId) => sql`
    select org_id, id::text, url, case disabled_because when 'gone' then 'It answered 410' else 'It failed for too long' end,
      disabled_at, 1
    from webhook_endpoints
    where ${inOrg('webhook_endpoints', orgId)} and deleted_at is null and not enabled
      and disabled_because in ('gone', 'failing')`,
  sequence_paused: (orgId) => sql`
    select org_id, id::text, name, paused_reason, paused_at, 1 from sequences
    where ${inOrg('sequences', orgId)} and status = 'paused' and deleted_at is null and paused_reason is not null`,
  unknown_delivery: (orgId) => sql`
    select org.id, found.id, 'Messages that may have gone out', null, found.since, found.count
    from ${orgId === undefined ? sql`orgs` : oneOrg(orgId)} as org cross join lateral (
      select min(id::text) as id, min(created_at) as since, count(*)::integer as count from (
        select id, created_at from deliveries where org_id = org.id and status = 'unknown' order by created_at, id limit ${MAX_COUNTED}
      ) as unknown having count(*) > 0
    ) as found`,
  run_failed: (orgId) => sql`
    select failed.org_id, workflow.id::text, version.name, null, failed.since, failed.count
    from (
      select org.id as org_id, run.automation_id, min(run.created_at) as since, count(*)::integer as count
      from ${orgId === undefined ? orgsWith(sql`automation_runs where status in ('failed', 'canceled')`) : oneOrg(orgId)} as org
      cross join lateral (
        select automation_id, created_at from automation_runs
        where org_id = org.id and status = 'failed' and status in ('failed', 'canceled') and not is_test_run
          and created_at > ${RECENT}
        order by created_at desc, id desc limit ${MAX_COUNTED}
      ) as run
      group by org.id, run.automation_id
    ) as failed
    join automations as workflow
      on workflow.org_id = failed.org_id and workflow.id = failed.automation_id and workflow.deleted_at is null
    cross join lateral (
      select name from automation_versions where org_id = workflow.org_id and automation_id = workflow.id
      order by version_number desc limit 1
    ) as version`,
  workflow_constraint_error: (orgId) => sql`
    select workflow.org_id, workflow.id::text, version.name, workflow.last_constraint_error, workflow.constraint_failed_at, 1
    from ${ACTIVE_VERSION}
    where ${isActive(orgId)} and workflow.constraint_failed_at > ${RECENT} and workflow.constraint_failed_at > version.created_at`,
  workflow_schedule_error: (orgId) => sql`
    select workflow.org_id, workflow.id::text, version.name, workflow.schedule_error, workflow.updated_at, 1
    from ${ACTIVE_VERSION} where ${isActive(orgId)} and workflow.schedule_error is not null`,
  held_removals: (orgId) => sql`
    select site.org_id, site.id::text, site.display_name, null, job.completed_at, job.held_pages
    from datasources as site
    cross join lateral (
      select held_pages, completed_at from crawl_jobs
      where org_id = site.org_id and datasource_id = site.id and completed_at is not null
      order by created_at desc, id desc limit 1
    ) as job
    where ${
      orgId === undefined
        ? sql`(site.org_id, site.id) in (select org_id, datasource_id from crawl_jobs where held_pages > 0)`
        : inOrg('site', orgId)
    } and site.deleted_at is null and job.held_pages > 0`,
};
