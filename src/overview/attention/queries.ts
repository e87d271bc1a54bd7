import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import type { AttentionKind } from './schema.ts';

const MAX_COUNTED = sql.raw('1000');
/** The most items of one kind. */
const MAX_ITEMS = sql.raw('50');
/** Failures of workflows that nobody looked at for longer are history. */
const RECENT = sql`now() - interval '7 days'`;

/** Answers of readers to an article are counted from here on, or from its last change. */
const LATELY = sql`now() - interval '90 days'`;
/** The fewest readers whom an article did not help. They must be half of all, too. */
const MIN_UNHELPFUL = sql.raw('5');

export interface AttentionRow {
  kind: AttentionKind;
  title: string;
  detail: string | null;
  since: Date;
  count: number;
  ref: { kind: string; id: string } | null;
}

const refTo = (kind: string, id: RawBuilder<unknown>) =>
  sql`jsonb_build_object('kind', ${kind}::text, 'id', ${id}::text)`;
const NO_REF = sql`null::jsonb`;

/** SQL: the active version of a workflow. */
const ACTIVE_VERSION = sql`automations as workflow join automation_versions as version
  on version.org_id = workflow.org_id and version.id = workflow.active_version`;

/** SQL: one row from `found`, which has the time of each, and none where it is empty. `about` is the ref if there is only one. */
const summary = (title: string, found: RawBuilder<unknown>, kind: string) => sql`
  select ${title}::text as title, null::text as detail, min(at) as since, count(*)::integer as count,
    case when count(*) = 1 then ${refTo(kind, sql`min(id::text)`)} end as ref
  from (${found} limit ${MAX_COUNTED}) as found having count(*) > 0`;

/** SQL for the items of each kind: title, detail, since, count, ref. */
const ITEMS: Record<AttentionKind, (orgId: string) => RawBuilder<unknown>> = {
  confirmation_waiting: (orgId) =>
    summary(
      'Calls of the AI',
      sql`select created_at as at, session_id as id from ai_calls
      where org_id = ${orgId} and state = 'needs_confirmation' and needs = 'agent' and expires_at > now()
      order by created_at, id`,
      'session',
    ),
  assistant_call_waiting: (orgId) =>
    summary(
      'Calls of assistants',
      sql`select created_at as at, id from mcp_confirmations
      where org_id = ${orgId} and state = 'needs_confirmation' and expires_at > now()
        and created_at > now() - interval '2 days'
      order by created_at, id`,
      'assistant_call',
    ),
  handoff_partial: (orgId) => sql`
    select '#' || session.ticket_number || coalesce(' ' || contact.name, ' ' || contact.email, ' ' || contact.phone_number, ''),
      null, part.since, 1, ${refTo('session', sql`session.id`)}
    from (
      select part.session_id, min(part.updated_at) as since from crm_handoff_parts as part
      join sessions as session on session.org_id = part.org_id and session.id = part.session_id
      where part.org_id = ${orgId} and part.state in ('parked', 'failed')
        and session.handoff is not null and part.handoff_number = session.handoffs
      group by part.session_id order by part.session_id limit ${MAX_COUNTED}
    ) as part
    join sessions as session on session.org_id = ${orgId} and session.id = part.session_id
    left join contacts as contact on contact.org_id = session.org_id and contact.id = session.contact_id`,
  integration_failing: (orgId) => sql`
    select provider || ' (' || kind || ')', last_error, coalesce(failing_since, last_error_at, updated_at), 1,
      ${refTo('integration', sql`kind || '/' || name`)}
    from integrations
    where org_id = ${orgId} and (failing_since is not null or connected = false and has_standing_error)`,
  domain_broken: (orgId) => sql`
    select domain, case status when 'failed' then 'Another key is published' else 'Its DNS record is not found' end,
      coalesce(checked_at, created_at), 1, ${refTo('domain', sql`id`)}
    from sending_domains where org_id = ${orgId} and status <> 'verified'`,
  webhook_disabled: (orgId) => sql`
    select url, case disabled_because when 'gone' then 'It answered 410' else 'It failed for too long' end, disabled_at, 1,
      ${refTo('webhook', sql`id`)}
    from webhook_endpoints
    where org_id = ${orgId} and deleted_at is null and not enabled and disabled_because in ('gone', 'failing')`,
  sequence_paused: (orgId) => sql`
    select name, paused_reason, paused_at, 1, ${refTo('sequence', sql`id`)} from sequences
    where org_id = ${orgId} and status = 'paused' and deleted_at is null and paused_reason is not null`,
  unknown_delivery: (orgId) =>
    summary(
      'Messages that may have gone out',
      sql`select created_at as at, id from deliveries where org_id = ${orgId} and status = 'unknown' order by created_at, id`,
      'delivery',
    ),
  run_failed: (orgId) => sql`
    select version.name, null, min(run.created_at), count(*)::integer, ${refTo('workflow', sql`workflow.id`)}
    from (
      select org_id, automation_id, created_at from automation_runs
      where org_id = ${orgId} and status = 'failed' and status in ('failed', 'canceled') and not is_test_run
        and created_at > ${RECENT}
      order by created_at desc, id desc limit ${MAX_COUNTED}
    ) as run
    join automations as workflow on workflow.org_id = run.org_id and workflow.id = run.automation_id and workflow.deleted_at is null
    cross join lateral (
      select name from automation_versions where org_id = workflow.org_id and automation_id = workflow.id
      order by version_number desc limit 1
    ) as version
    group by workflow.id, version.name`,
  workflow_constraint_error: (orgId) => sql`
    select version.name, workflow.last_constraint_error, workflow.constraint_failed_at, 1, ${refTo('workflow', sql`workflow.id`)}
    from ${ACTIVE_VERSION}
    where workflow.org_id = ${orgId} and workflow.deleted_at is null and workflow.active_version is not null
      and workflow.constraint_failed_at > greatest(${RECENT}, version.created_at)`,
  workflow_schedule_error: (orgId) => sql`
    select version.name, workflow.schedule_error, workflow.updated_at, 1, ${refTo('workflow', sql`workflow.id`)}
    from ${ACTIVE_VERSION}
    where workflow.org_id = ${orgId} and workflow.deleted_at is null and workflow.active_version is not null
      and workflow.schedule_error is not null`,
  held_removals: (orgId) => sql`
    select site.display_name, null, job.completed_at, job.held_pages, ${refTo('website', sql`site.id`)}
    from datasources as site
    cross join lateral (
      select held_pages, completed_at from crawl_jobs
      where org_id = site.org_id and datasource_id = site.id and completed_at is not null
      order by created_at desc, id desc limit 1
    ) as job
    where site.org_id = ${orgId} and site.deleted_at is null and job.held_pages > 0`,
  article_unhelpful: (orgId) => sql`
    select article.title, present.unhelpful || ' of ' || present.answers || ' readers of its present text say that it did not help',
      present.since, present.unhelpful, ${refTo('article', sql`article.id`)}
    from (
      select article_id from help_center_answers
      where org_id = ${orgId} and not is_helpful and created_at > ${LATELY}
      group by article_id having count(*) >= ${MIN_UNHELPFUL}
    ) as disliked
    join help_center_articles as article on article.org_id = ${orgId} and article.id = disliked.article_id
    cross join lateral (
      select count(*) filter (where not is_helpful)::integer as unhelpful, count(*)::integer as answers,
        min(created_at) filter (where not is_helpful) as since
      from help_center_answers as answer
      where answer.org_id = article.org_id and answer.article_id = article.id
        and answer.created_at > greatest(article.updated_at, ${LATELY})
    ) as present
    where present.unhelpful >= ${MIN_UNHELPFUL} and 2 * present.unhelpful >= present.answers`,
  parked_event: (orgId) => sql`
    select type, 'An operator has it handled again: npm run cli -- outbox release ' || min(id), min(created_at),
      count(*)::integer, ${NO_REF}
    from (
      select type, id, created_at from outbox
      where org_id = ${orgId} and kind = 'event' and interruptions > 0 and available_at = 'infinity'
      order by id limit ${MAX_COUNTED}
    ) as event group by type`,
};

/** Lists what needs a person of some kinds, the kinds in their order, and what needs it longest first. */
export async function listAttention(db: Db, orgId: string, kinds: AttentionKind[]): Promise<AttentionRow[]> {
  if (kinds.length === 0) return [];
  const parts = kinds.map(
    (kind, position) => sql`
    (select ${sql.lit(position)} as position, ${kind}::text as kind, item.*
      from (${ITEMS[kind](orgId)} order by 3 limit ${MAX_ITEMS}) as item (title, detail, since, count, ref))`,
  );
  const { rows } = await sql<AttentionRow>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    select kind, title, detail, since, count, ref from (${sql.join(parts, sql` union all `)}) as item
    order by position, since
  `.execute(db);
  return rows;
}
