import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { eligibilityOf, type SendRule } from '../sending/eligibility.shared.queries.ts';

export interface Eligibility {
  status: string;
  reason: string | null;
  /** The gate that ends the enrollment. */
  gate: string | null;
}

/** Returns whether a step would be sent to a contact now, and if not why. Undefined for an unknown contact. */
export async function findEligibility(
  db: Db,
  orgId: string,
  { contactId, enrollmentId, rule }: { contactId: string; enrollmentId: string | null; rule: SendRule },
): Promise<Eligibility | undefined> {
  const { rows } = await sql<Eligibility>`
    select eligibility.* from contacts as contact
    left join enrollments as enrollment on enrollment.org_id = contact.org_id and enrollment.id = ${enrollmentId}::uuid
    cross join lateral (${eligibilityOf(orgId, rule).eligibility}) as eligibility
    where contact.org_id = ${orgId} and contact.id = ${contactId}::uuid
  `.execute(db);
  return rows[0];
}
