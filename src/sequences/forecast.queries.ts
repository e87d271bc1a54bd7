import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Move, StoredStep } from './rules.ts';
import { type SendRule, verdictOn } from './verdict.queries.ts';

/** Contacts that stand at a place of the sequence, and when the first of them came there. */
export interface Standing {
  place: string;
  count: number;
  since: Date;
}

/** Where the active enrollments stand. A place is the id of the last step done, or the sequence's own for the beginning. */
export async function countStanding(db: Db, orgId: string, sequenceId: string): Promise<Standing[]> {
  const { rows } = await sql<Standing>`
    select coalesce(last_step_id, sequence_id) as place, count(*) as count, min(anchor_at) as since from enrollments
    where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active'
    group by 1
  `.execute(db);
  return rows;
}

/**
 * What a step would come to, by the rule of the send path: for enrollments that stand before it (`places`), and for contacts that
 * starting would enroll (`condition`, or null).
 */
export async function countVerdicts(
  db: Db,
  orgId: string,
  sequenceId: string,
  rule: SendRule,
  { places, condition }: { places: string[]; condition: Expression<SqlBool> | null },
): Promise<{ status: string; reason: string | null; count: number }[]> {
  const { verdict } = verdictOn(orgId, rule);
  const waiting = condition ?? sql<SqlBool>`false`;
  const { rows } = await sql<{ status: string; reason: string | null; count: number }>`
    select verdict.status, verdict.reason, count(*) as count
    from (
      select contact.* from enrollments as enrollment
      join contacts as contact on contact.org_id = enrollment.org_id and contact.id = enrollment.contact_id
      where enrollment.org_id = ${orgId} and enrollment.sequence_id = ${sequenceId} and enrollment.status = 'active'
        and coalesce(enrollment.last_step_id, enrollment.sequence_id) = any(${places}::uuid[])
      union all
      select contacts.* from contacts where contacts.org_id = ${orgId} and ${waiting}
    ) as contact
    cross join lateral (${verdict}) as verdict
    group by 1, 2
    order by 3 desc
  `.execute(db);
  return rows;
}

/** The places from which enrollments still come to a step. */
export const placesBefore = (sequenceId: string, moves: Move<StoredStep>[], stepId: string): string[] => {
  const end = moves.findIndex((move) => move.after === stepId);
  return moves.slice(0, end).map((move) => move.after ?? sequenceId);
};
