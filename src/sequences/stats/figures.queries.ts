import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

export interface SequenceCounts {
  id: string;
  due: number;
  held: number;
  sent: number;
  delivered: number;
  failed: number;
  skipped: number;
  unknown: number;
  held_by: { gate: string | null; reason: string | null; until: string } | null;
}

/** Counts the enrollments and deliveries of several sequences, and says why the first deferred enrollment of each waits. */
export async function countSequences(db: Db, orgId: string, ids: string[]): Promise<SequenceCounts[]> {
  const { rows } = await sql<SequenceCounts>`
    select listed.id, ready.count + deferred.count as due, deferred.count as held, outcome.*, first_held.held_by
    from unnest(${ids}::uuid[]) as listed (id)
    cross join lateral (
      select count(*) as count from enrollments
      where org_id = ${orgId} and sequence_id = listed.id and status = 'active' and held_until is null
    ) as ready
    cross join lateral (
      select count(*) as count from enrollments
      where org_id = ${orgId} and sequence_id = listed.id and status = 'active' and held_until is not null
    ) as deferred
    cross join lateral (
      select count(*) filter (where status in ('accepted', 'sent', 'delivered', 'read')) as sent,
        count(*) filter (where status in ('delivered', 'read')) as delivered,
        count(*) filter (where status in ('failed', 'bounced')) as failed,
        count(*) filter (where status in ('skipped', 'suppressed', 'canceled')) as skipped,
        count(*) filter (where status = 'unknown') as unknown
      from deliveries where org_id = ${orgId} and sequence_id = listed.id and step_id is not null
    ) as outcome
    left join lateral (
      select jsonb_build_object('gate', delivery.gate, 'reason', delivery.reason, 'until', enrollment.held_until) as held_by
      from (
        select id, held_until from enrollments
        where org_id = ${orgId} and sequence_id = listed.id and status = 'active' and held_until is not null
        order by held_until limit 1
      ) as enrollment
      join deliveries as delivery on delivery.org_id = ${orgId} and delivery.enrollment_id = enrollment.id
        and delivery.status in ('held', 'queued')
      limit 1
    ) as first_held on true
  `.execute(db);
  return rows;
}

export interface NextMove {
  sequence_id: string;
  /** The id of the last step done, or the sequence's own. */
  position: string;
  delay_in_minutes: number;
}

/** Returns when the next message of each sequence is due. Sequences of which nothing waits are left out. */
export async function findNextDueTimes(db: Db, orgId: string, moves: NextMove[]): Promise<Map<string, Date>> {
  const { rows } = await sql<{ sequence_id: string; at: Date }>`
    with move as (
      select * from unnest(${moves.map(({ sequence_id }) => sequence_id)}::uuid[], ${moves.map(({ position }) => position)}::uuid[],
        ${moves.map(({ delay_in_minutes }) => delay_in_minutes)}::float8[]) as move (sequence_id, position, delay)
    )
    select sequence_id, min(at) as at from (
      select move.sequence_id, (
        select anchor_at from enrollments
        where org_id = ${orgId} and sequence_id = move.sequence_id and status = 'active' and held_until is null
          and coalesce(last_step_id, sequence_id) = move.position
        order by anchor_at limit 1
      ) + move.delay * interval '1 minute' as at
      from move
      union all
      select listed.sequence_id, (
        select held_until from enrollments
        where org_id = ${orgId} and sequence_id = listed.sequence_id and status = 'active' and held_until is not null
        order by held_until limit 1
      )
      from (select distinct sequence_id from move) as listed
    ) as due
    where at is not null
    group by sequence_id
  `.execute(db);
  return new Map(rows.map(({ sequence_id, at }) => [sequence_id, at]));
}
