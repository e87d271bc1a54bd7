import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { onlyRow } from '../db/rows.ts';

/** A count of the installation with the name of what is counted. No name is of a customer. */
export interface Figure {
  name: string;
  count: number;
}

/** The state of the whole installation, as the metrics show it. */
export interface Figures {
  outbox_rows: number;
  /** Null where nothing waits. Parked events do not count: they wait for an operator. */
  outbox_oldest_seconds: number | null;
  parked_events: number;
  paused_sequences: Figure[];
  unknown_deliveries: Figure[];
  failed_runs: Figure[];
  sla_breaches: Figure[];
  due_work: Figure[];
  waiting_turns: Figure[];
  inbound_oldest_seconds: Figure[];
}

/** More rows are not counted: that would take longer than a scrape waits. */
const MAX_OUTBOX_COUNT = 1_000_000;
const WINDOW = sql`now() - interval '10 minutes'`;

const secondsSinceFirst = (created: RawBuilder<unknown>) =>
  sql`greatest(extract(epoch from clock_timestamp() - ${created}), 0)::float8`;

/** Returns the named counts of a query as a JSON array. */
const figures = (query: RawBuilder<unknown>) =>
  sql`coalesce((select jsonb_agg(jsonb_build_object('name', name, 'count', count)) from (${query}) as figure), '[]')`;

/**
 * SQL: the named counts of each org's rows, added up. Each org is a look-up in an index that begins with org_id: no row of
 * others is read, and no further index has to be written at each insert.
 */
const ofAllOrgs = (name: string, rows: RawBuilder<unknown>) => sql`
  select ${sql.ref(`own.${name}`)} as name, count(*) as count from orgs cross join lateral (${rows}) as own group by 1`;

/**
 * SQL: the age of the first row that still waits. Of the outbox it is the first in the order of the primary key. An event
 * that is parked is passed over.
 */
const OLDEST_OF_OUTBOX = sql`(
  select ${secondsSinceFirst(sql`created_at`)} from outbox where available_at <> 'infinity' order by id limit 1)`;

const PAUSED_SEQUENCES = sql`
  select case when paused_reason is null then 'person' else 'problem' end as name, count(*) as count
  from sequences where status = 'paused' and deleted_at is null group by 1`;

const UNKNOWN_DELIVERIES = ofAllOrgs(
  'channel',
  sql`select channel from deliveries where org_id = orgs.id and status = 'unknown'`,
);

const FAILED_RUNS = sql`
  select 'workflow' as name, count(*) as count from automation_runs
  where run_ended_at > ${WINDOW} and status = 'failed' and not is_test_run
  union all
  select 'crawl', count(*) from crawl_jobs where completed_at > ${WINDOW} and status = 'failed'`;

const SLA_BREACHES = ofAllOrgs(
  'metric',
  sql`select metric from sla_clocks where org_id = orgs.id and decided_at > ${WINDOW} and outcome = 'breached'`,
);

const DUE_WORK = sql`select kind as name, count(*) as count from due_work group by 1`;

const WAITING_TURNS = sql`select state as name, count(*) as count from ai_turns where ended_at is null group by 1`;

const INBOUND_OLDEST = sql`
  select 'crm' as name, ${secondsSinceFirst(sql`created_at`)} as count from (
    select created_at from crm_events where state = 'queued' order by created_at, id limit 1) as waiting
  union all
  select 'email', ${secondsSinceFirst(sql`min(received_at)`)} from inbound_emails where processed_at is null
  having min(received_at) is not null`;

/** Reads all figures in one statement. */
export async function readFigures(db: Db): Promise<Figures> {
  const read = await sql<Figures>`select
    (select count(*) from (select from outbox limit ${MAX_OUTBOX_COUNT}) as waiting) as outbox_rows,
    ${OLDEST_OF_OUTBOX} as outbox_oldest_seconds,
    (select count(*) from outbox where kind = 'event' and interruptions > 0 and available_at = 'infinity') as parked_events,
    ${figures(PAUSED_SEQUENCES)} as paused_sequences,
    ${figures(UNKNOWN_DELIVERIES)} as unknown_deliveries,
    ${figures(FAILED_RUNS)} as failed_runs,
    ${figures(SLA_BREACHES)} as sla_breaches,
    ${figures(DUE_WORK)} as due_work,
    ${figures(WAITING_TURNS)} as waiting_turns,
    ${figures(INBOUND_OLDEST)} as inbound_oldest_seconds
  `.execute(db);
  return onlyRow(read);
}
