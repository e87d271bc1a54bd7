import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import { CONDITIONS, type ConditionKind, MAX_COUNTED } from './conditions.ts';
import type { AttentionKind } from './schema.ts';

/** The most items of one kind. */
const MAX_ITEMS = sql.raw('50');

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

const rowsOf = (kind: ConditionKind, orgId: string) =>
  sql`(${CONDITIONS[kind](orgId)}) as found (org_id, id, name, reason, since, count)`;

/** SQL for the items of a condition, each about an object of the kind. */
const ofCondition = (kind: ConditionKind, orgId: string, ref: string) =>
  sql`select name, reason, since, count, ${refTo(ref, sql`id`)} from ${rowsOf(kind, orgId)}`;

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
  integration_failing: (orgId) => ofCondition('integration_failing', orgId, 'integration'),
  domain_broken: (orgId) => ofCondition('domain_broken', orgId, 'domain'),
  webhook_disabled: (orgId) => ofCondition('webhook_disabled', orgId, 'webhook'),
  sequence_paused: (orgId) => ofCondition('sequence_paused', orgId, 'sequence'),
  unknown_delivery: (orgId) => sql`
    select name, reason, since, count, case when count = 1 then ${refTo('delivery', sql`id`)} end
    from ${rowsOf('unknown_delivery', orgId)}`,
  run_failed: (orgId) => ofCondition('run_failed', orgId, 'workflow'),
  workflow_constraint_error: (orgId) => ofCondition('workflow_constraint_error', orgId, 'workflow'),
  workflow_schedule_error: (orgId) => ofCondition('workflow_schedule_error', orgId, 'workflow'),
  held_removals: (orgId) => ofCondition('held_removals', orgId, 'website'),
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
