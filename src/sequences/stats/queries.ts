import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';

export interface StepCounts {
  step_id: string;
  sent: number;
  delivered: number;
  failed: number;
  skipped: number;
  unknown: number;
}

/** Counts the deliveries of a sequence by step and outcome. Delivered messages count as sent too. */
export async function countDeliveries(db: Db, orgId: string, sequenceId: string): Promise<StepCounts[]> {
  const { rows } = await sql<StepCounts>`
    select step_id,
      count(*) filter (where status in ('accepted', 'sent', 'delivered', 'read')) as sent,
      count(*) filter (where status in ('delivered', 'read')) as delivered,
      count(*) filter (where status in ('failed', 'bounced')) as failed,
      count(*) filter (where status in ('skipped', 'suppressed', 'canceled')) as skipped,
      count(*) filter (where status = 'unknown') as unknown
    from deliveries where org_id = ${orgId} and sequence_id = ${sequenceId} and step_id is not null
    group by step_id
  `.execute(db);
  return rows;
}

export interface GateCount {
  gate: string;
  count: number;
}

/** Counts the held deliveries of a sequence by gate, at most `limit` of them. */
export async function countHeld(db: Db, orgId: string, sequenceId: string, limit: number): Promise<GateCount[]> {
  const { rows } = await sql<GateCount>`
    select gate, count(*) as count from (
      select gate from deliveries
      where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'held' and gate is not null limit ${limit}
    ) as held
    group by gate order by 2 desc, 1
  `.execute(db);
  return rows;
}

export async function countEnrollments(db: Db, orgId: string, sequenceId: string) {
  const counted = await sql<{ active: number; complete: number; canceled: number; exited: number }>`
    select count(*) filter (where status = 'active') as active, count(*) filter (where status = 'complete') as complete,
      count(*) filter (where status = 'canceled') as canceled, count(*) filter (where status = 'exited') as exited
    from enrollments where org_id = ${orgId} and sequence_id = ${sequenceId}
  `.execute(db);
  return onlyRow(counted);
}
