import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import { onlyRow } from '../../db/rows.ts';
import { CONDITIONS, type ConditionKind, orgsWith } from '../../overview/attention/conditions.ts';

/** Counts of one org end here. */
const MAX_COUNT = 1_000;
/** More rows of the outbox are not counted. */
const MAX_OUTBOX_COUNT = 10_000;
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

const IS_PARKED = sql`kind = 'event' and interruptions > 0 and available_at = 'infinity'`;
const countedRows = (rows: RawBuilder<unknown>) =>
  sql`(select count(*)::integer from (${rows} limit ${MAX_OUTBOX_COUNT}) as found)`;

/**
 * Returns what waits for the relay, counted to 10,000 by indexes. Parked events do not count towards the oldest: they wait
 * for an operator.
 */
export async function readOutbox(db: Db): Promise<OutboxState> {
  return onlyRow(
    await sql<OutboxState>`select
      ${countedRows(sql`select from outbox order by id`)} as waiting,
      (select greatest(extract(epoch from clock_timestamp() - created_at), 0)::float8 from outbox
        where available_at <> 'infinity' order by id limit 1) as oldest_seconds,
      ${countedRows(sql`select from outbox where attempts > 0 and available_at <> 'infinity'`)} as failing,
      ${countedRows(sql`select from outbox where ${IS_PARKED}`)} as parked
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
    where ${IS_PARKED} and id > ${after}::bigint order by id limit ${limit}
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
  kind: ConditionKind;
  org_id: string;
  ref: string;
  since: Date | null;
  count: number;
  reason: string | null;
}

/** Kinds whose objects the operator knows by their names, which are no texts of customers. */
const NAMED: ReadonlySet<ConditionKind> = new Set(['domain_broken']);

/** SQL: the first rows of a list, which has its own index. */
const first = (rows: RawBuilder<unknown>) => sql`select * from (${rows} limit ${MAX_ROWS}) as found`;

/** Lists what a person has to mend, at most 100 of a kind, the newest first. The kinds in their order. */
export async function listIncidents(db: Db, kinds: readonly ConditionKind[]): Promise<IncidentRow[]> {
  const parts = kinds.map((kind) =>
    first(sql`
      select ${kind}::text as kind, org_id, ${NAMED.has(kind) ? sql`name` : sql`id`} as ref, since, count, reason
      from (${CONDITIONS[kind]()}) as condition (org_id, id, name, reason, since, count) order by since desc nulls last`),
  );
  const { rows } = await sql<IncidentRow>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    ${sql.join(parts, sql` union all `)}
  `.execute(db);
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
    sql`select 'active_runs', org.id::text, ${counted(sql`select from automation_runs where org_id = org.id and status = 'idle'`)}::float8,
        null::float8, null::timestamptz
      from ${orgsWith(sql`automation_runs where status = 'idle'`)} as org`,
  ].map(first);
  const { rows } = await sql<LimitRow>`${sql.join(parts, sql` union all `)}`.execute(db);
  return rows;
}
