import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import type { INCIDENT_KINDS } from './schema.ts';

/** Counts of one org end here. */
const MAX_COUNT = 1_000;
/** More rows are not counted: a table of this size is the incident itself. */
const MAX_OUTBOX_COUNT = 1_000_000;
const MAX_ROWS = 100;

export interface OrgCounts {
  id: string;
  name: string;
  partner_id: string;
  created_at: Date;
  members: number;
  contacts: number;
  open_sessions: number;
  active_sequences: number;
  active_workflows: number;
  queued_runs: number;
  outbox: number;
}

const counted = (rows: RawBuilder<unknown>) =>
  sql`(select count(*)::integer from (${rows} limit ${MAX_COUNT}) as found)`;

/** SQL: the orgs that have some of the rows, with their counts of at most 1,000. */
const countedByOrg = (rows: RawBuilder<unknown>) => sql`(
  select orgs.id as org_id, found.count from orgs cross join lateral (select ${counted(rows)} as count) as found
  where found.count > 0
) as counts`;

/** Lists orgs in the order of their ids, with counts of at most 1,000 each, by look-ups in indexes that begin with org_id. */
export async function listOrgCounts(db: Db, after: string, limit: number): Promise<OrgCounts[]> {
  const { rows } = await sql<OrgCounts>`
    select org.id, org.name, org.partner_id, org.created_at,
      ${counted(sql`select from members where org_id = org.id and deleted_at is null`)} as members,
      ${counted(sql`select from contacts where org_id = org.id`)} as contacts,
      ${counted(sql`select from sessions where org_id = org.id and status = 'open'`)} as open_sessions,
      ${counted(sql`select from sequences where org_id = org.id and status = 'active' and deleted_at is null`)} as active_sequences,
      ${counted(sql`select from automations where org_id = org.id and active_version is not null`)} as active_workflows,
      ${counted(sql`select from automation_runs where org_id = org.id and status = 'idle'`)} as queued_runs,
      ${counted(sql`
        select from (
          (select from outbox where org_id = org.id and kind = 'event' limit ${MAX_COUNT})
          union all (select from outbox where org_id = org.id and kind <> 'event' limit ${MAX_COUNT})
        ) as waiting`)} as outbox
    from (select id, name, partner_id, created_at from orgs where id > ${after} order by id limit ${limit}) as org
    order by org.id
  `.execute(db);
  return rows;
}

export interface OutboxState {
  waiting: number;
  oldest_seconds: number | null;
  failing: number;
  parked: number;
}

/** Returns what waits for the relay. Parked events do not count towards the oldest: they wait for an operator. */
export async function readOutbox(db: Db): Promise<OutboxState> {
  return onlyRow(
    await sql<OutboxState>`select
      (select count(*)::integer from (select from outbox limit ${MAX_OUTBOX_COUNT}) as found) as waiting,
      (select greatest(extract(epoch from clock_timestamp() - created_at), 0)::float8 from outbox
        where available_at <> 'infinity' order by id limit 1) as oldest_seconds,
      (select count(*)::integer from (
        select from outbox where attempts > 0 and available_at <> 'infinity' limit ${MAX_OUTBOX_COUNT}) as found) as failing,
      (select count(*)::integer from (select from outbox where available_at = 'infinity' limit ${MAX_OUTBOX_COUNT}) as found) as parked
    `.execute(db),
  );
}

export interface FailingRow {
  id: string;
  org_id: string;
  kind: string;
  type: string;
  subject_id: string;
  workflow_id: string | null;
  attempts: number;
  last_error: string | null;
  created_at: Date;
  available_at: Date;
}

/** Lists the first rows that could not be handled, oldest first. */
export async function listFailing(db: Db): Promise<FailingRow[]> {
  const { rows } = await sql<FailingRow>`
    select id::text, org_id, kind, type, subject_id, workflow_id, attempts, last_error, created_at, available_at
    from outbox where attempts > 0 and available_at <> 'infinity' order by id limit ${MAX_ROWS}
  `.execute(db);
  return rows;
}

export interface ParkedRow {
  id: string;
  org_id: string;
  type: string;
  subject_id: string;
  created_at: Date;
  last_error: string | null;
}

/** Lists parked events behind one, oldest first. */
export async function listParkedBehind(db: Db, after: string, limit: number): Promise<ParkedRow[]> {
  const { rows } = await sql<ParkedRow>`
    select id::text, org_id, type, subject_id, created_at, last_error from outbox
    where available_at = 'infinity' and kind = 'event' and id > ${after}::bigint order by id limit ${limit}
  `.execute(db);
  return rows;
}

export interface ConnectionCount {
  kind: string;
  provider: string;
  connected: number;
  failing: number;
}

/** Counts the connections of all orgs by their providers. */
export async function countConnections(db: Db): Promise<ConnectionCount[]> {
  const { rows } = await sql<ConnectionCount>`
    select kind, provider, count(*) filter (where connected)::integer as connected,
      count(*) filter (where failing_since is not null)::integer as failing
    from integrations group by kind, provider order by kind, provider limit ${MAX_ROWS}
  `.execute(db);
  return rows;
}

export interface IncidentRow {
  kind: (typeof INCIDENT_KINDS)[number];
  org_id: string;
  ref: string;
  since: Date | null;
  count: number;
  reason: string | null;
}

/** SQL: the first rows of a list, which has its own index. */
const first = (rows: RawBuilder<unknown>) => sql`select * from (${rows} limit ${MAX_ROWS}) as found`;

/** Lists what a person has to mend, at most 100 of a kind, the newest first. */
export async function listIncidents(db: Db): Promise<IncidentRow[]> {
  const parts = [
    sql`select 'integration_failing' as kind, org_id, kind || '/' || name as ref, failing_since as since, 1 as count, last_error as reason
      from integrations where failing_since is not null order by failing_since desc`,
    sql`select 'webhook_disabled', org_id, id::text, disabled_at, 1, disabled_because from webhook_endpoints
      where disabled_because is not null and deleted_at is null order by disabled_at desc`,
    sql`select 'sequence_paused', org_id, id::text, paused_at, 1, paused_reason from sequences
      where status = 'paused' and paused_reason is not null and deleted_at is null order by paused_at desc`,
    sql`select 'workflow_constraint_error', org_id, id::text, updated_at, 1, last_constraint_error from automations
      where last_constraint_error is not null and deleted_at is null order by updated_at desc`,
    sql`select 'domain_failed', org_id, domain, checked_at, 1, null::text from sending_domains
      where status = 'failed' order by checked_at desc`,
    sql`select 'removals_held', org_id, datasource_id::text, completed_at, held_pages, null::text from crawl_jobs
      where held_pages > 0 order by completed_at desc`,
    sql`select 'runs_failed', org_id, automation_id::text, max(run_ended_at), count(*)::integer, null::text from (
        select org_id, automation_id, run_ended_at from automation_runs
        where run_ended_at > now() - interval '1 hour' and status = 'failed' and not is_test_run
        order by run_ended_at desc limit 10000) as failed
      group by org_id, automation_id order by 4 desc`,
    sql`select 'deliveries_unknown', org_id, org_id::text, null::timestamptz, count, null::text
      from ${countedByOrg(sql`select from deliveries where org_id = orgs.id and status = 'unknown'`)}`,
  ].map(first);
  const { rows } = await sql<IncidentRow>`${sql.join(parts, sql` union all `)}`.execute(db);
  return rows;
}

export interface LimitRow {
  kind: 'bytes_written' | 'ai_budget' | 'active_runs';
  owner: string;
  used: number | null;
  limit: number | null;
  since: Date | null;
}

/** Lists who has reached a bound today: the bytes of the day from four fifths on, budgets of the AI, active runs. */
export async function listLimitsHit(db: Db, bytesPerDay: number): Promise<LimitRow[]> {
  const parts = [
    sql`select 'bytes_written' as kind, writer as owner, bytes::float8 as used, ${bytesPerDay}::float8 as "limit", null::timestamptz as since
      from written_bytes where day = (now() at time zone 'utc')::date and bytes >= ${0.8 * bytesPerDay}::float8 order by bytes desc`,
    sql`select 'ai_budget', org_id::text, null::float8, null::float8, created_at from ai_budget_notices
      where period >= date_trunc('month', now())::date and level = 'exhausted' order by created_at desc`,
    sql`select 'active_runs', org_id::text, count::float8, null::float8, null::timestamptz
      from ${countedByOrg(sql`select from automation_runs where org_id = orgs.id and status = 'idle'`)}`,
  ].map(first);
  const { rows } = await sql<LimitRow>`${sql.join(parts, sql` union all `)}`.execute(db);
  return rows;
}
