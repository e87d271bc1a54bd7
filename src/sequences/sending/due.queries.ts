import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { StepTransition, StoredStep } from '../steps/rules.ts';

export interface DueEnrollment {
  id: string;
  step_id: string;
}

interface TransitionColumns {
  after: string[];
  stepIds: (string | null)[];
  delays: number[];
}

/** The beginning of a sequence is written as the sequence's own id, so that one index serves it too. */
function transitionColumnsOf(sequenceId: string, moves: StepTransition<StoredStep>[]): TransitionColumns {
  return {
    after: moves.map((move) => move.after ?? sequenceId),
    stepIds: moves.map((move) => move.next?.id ?? null),
    delays: moves.map((move) => move.next?.delay_in_minutes ?? 0),
  };
}

/**
 * Returns enrollments with their next step due. They are ordered oldest first within a step and evenly across steps: a
 * step with a failing provider leaves room for the others. Reads only a few times the number of rows returned,
 * regardless of the number waiting.
 */
export async function listDue(
  db: Db,
  orgId: string,
  sequenceId: string,
  { transitions, limit }: { transitions: StepTransition<StoredStep>[]; limit: number },
): Promise<DueEnrollment[]> {
  const { after, stepIds, delays } = transitionColumnsOf(
    sequenceId,
    transitions.filter((move) => move.next !== null),
  );
  const { rows } = await sql<DueEnrollment>`
    with moves as (select * from unnest(${after}::uuid[], ${stepIds}::uuid[], ${delays}::float8[]) as move (position, step_id, delay))
    select id, step_id from (
      select due.id, moves.step_id, due.turn from moves cross join lateral (
        select id, row_number() over (order by anchor_at) as turn from enrollments
        where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active' and held_until is null
          and coalesce(last_step_id, sequence_id) = moves.position and anchor_at <= now() - moves.delay * interval '1 minute'
        order by anchor_at limit ${limit}
      ) as due
      union all
      (select enrollments.id, moves.step_id, row_number() over (order by held_until) as turn from enrollments join moves on moves.position = coalesce(last_step_id, sequence_id)
      where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active' and held_until <= now()
      order by held_until limit ${limit})
    ) as waiting
    order by turn limit ${limit}
  `.execute(db);
  return rows;
}

/** What is due next. */
export interface NextDue {
  /** The milliseconds until then: zero or less if it is due now, null when nothing waits. */
  ms: number | null;
  /** The gate that holds it, if one does. */
  gate: string | null;
}

/** Returns what is due next in a sequence. */
export async function findNextDue(
  db: Db,
  orgId: string,
  sequenceId: string,
  moves: StepTransition<StoredStep>[],
): Promise<NextDue> {
  const { after, delays } = transitionColumnsOf(
    sequenceId,
    moves.filter((move) => move.next !== null),
  );
  const { rows } = await sql<{ ms: number; gate: string | null }>`
    select ceil(extract(epoch from at - now())::float8 * 1000) as ms, gate from (
      select (
        select anchor_at from enrollments
        where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active' and held_until is null
          and coalesce(last_step_id, sequence_id) = move.position
        order by anchor_at limit 1
      ) + move.delay * interval '1 minute' as at, null as gate
      from unnest(${after}::uuid[], ${delays}::float8[]) as move (position, delay)
      union all
      select held_until, (
        select gate from deliveries where org_id = ${orgId} and enrollment_id = held.id and status = 'held' limit 1
      ) from (
        select id, held_until from enrollments
        where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active' and held_until is not null
          and coalesce(last_step_id, sequence_id) = any(${after}::uuid[])
        order by held_until limit 1
      ) as held
    ) as due where at is not null order by at limit 1
  `.execute(db);
  return rows[0] ?? { ms: null, gate: null };
}

export async function hasActiveEnrollments(db: Db, orgId: string, sequenceId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from enrollments
    where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active' limit 1
  `.execute(db);
  return rows.length > 0;
}
