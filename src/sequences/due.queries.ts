import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Move, StoredStep } from './rules.ts';

export interface DueEnrollment {
  id: string;
  step_id: string;
}

interface MoveColumns {
  after: string[];
  stepIds: (string | null)[];
  delays: number[];
}

/** The beginning of a sequence is written as the sequence's own id, so that one index serves it too. */
function columnsOf(sequenceId: string, moves: Move<StoredStep>[]): MoveColumns {
  return {
    after: moves.map((move) => move.after ?? sequenceId),
    stepIds: moves.map((move) => move.next?.id ?? null),
    delays: moves.map((move) => move.next?.delay_in_minutes ?? 0),
  };
}

/** Enrollments whose next step is due, oldest first within a step. Reads only as many as it gives, however many wait. */
export async function listDue(
  db: Db,
  orgId: string,
  sequenceId: string,
  moves: Move<StoredStep>[],
  limit: number,
): Promise<DueEnrollment[]> {
  const { after, stepIds, delays } = columnsOf(
    sequenceId,
    moves.filter((move) => move.next !== null),
  );
  const { rows } = await sql<DueEnrollment>`
    with moves as (select * from unnest(${after}::uuid[], ${stepIds}::uuid[], ${delays}::float8[]) as move (place, step_id, delay))
    (
      select due.id, moves.step_id from moves cross join lateral (
        select id from enrollments
        where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active' and held_until is null
          and coalesce(last_step_id, sequence_id) = moves.place and anchor_at <= now() - moves.delay * interval '1 minute'
        order by anchor_at limit ${limit}
      ) as due limit ${limit}
    ) union all (
      select held.id, moves.step_id from (
        select id, coalesce(last_step_id, sequence_id) as place from enrollments
        where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active' and held_until <= now()
        order by held_until limit ${limit}
      ) as held join moves using (place)
    )
    limit ${limit}
  `.execute(db);
  return rows;
}

/** Milliseconds until something is due, zero or less when something is; null when nothing waits. */
export async function findNextDue(
  db: Db,
  orgId: string,
  sequenceId: string,
  moves: Move<StoredStep>[],
): Promise<number | null> {
  const { after, delays } = columnsOf(
    sequenceId,
    moves.filter((move) => move.next !== null),
  );
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from min(at) - now())::float8 * 1000 as ms from (
      select (
        select anchor_at from enrollments
        where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active' and held_until is null
          and coalesce(last_step_id, sequence_id) = move.place
        order by anchor_at limit 1
      ) + move.delay * interval '1 minute' as at
      from unnest(${after}::uuid[], ${delays}::float8[]) as move (place, delay)
      union all
      select min(held_until) from enrollments
      where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active' and held_until is not null
    ) as due
  `.execute(db);
  const ms = rows[0]?.ms ?? null;
  return ms === null ? null : Math.ceil(ms);
}

/** Ends enrollments that stand behind the last step, as after an edit that took steps away. */
export async function completeBehindLastStep(
  db: Db,
  orgId: string,
  sequenceId: string,
  moves: Move<StoredStep>[],
): Promise<void> {
  const { after } = columnsOf(
    sequenceId,
    moves.filter((move) => move.next === null),
  );
  await sql`
    update enrollments set status = 'complete', ended_at = now()
    where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active' and held_until is null
      and coalesce(last_step_id, sequence_id) = any(${after}::uuid[])
  `.execute(db);
}

/** Ends the enrollments of runs that were canceled. */
export async function endCanceledRuns(db: Db, orgId: string, sequenceId: string): Promise<void> {
  await sql`
    update enrollments set status = 'canceled', ended_at = now()
    from sequence_runs as run
    where run.org_id = ${orgId} and run.sequence_id = ${sequenceId} and run.canceled_at is not null
      and enrollments.org_id = run.org_id and enrollments.run_id = run.id and enrollments.status = 'active'
  `.execute(db);
}

export async function hasActiveEnrollments(db: Db, orgId: string, sequenceId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from enrollments
    where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active' limit 1
  `.execute(db);
  return rows.length > 0;
}
