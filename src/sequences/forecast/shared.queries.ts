import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import type { Recipient } from '../../deliveries/sending/quiet-hours.rules.ts';
import { hasReservedSlot } from '../gates/shared.queries.ts';
import { eligibilityOf, type SendRule } from '../sending/eligibility.shared.queries.ts';

/** The number of contacts at a position of the sequence, and the time at which the first of them arrived there. */
export interface PositionCount {
  position: string;
  count: number;
  since: Date;
}

/**
 * Counts the active enrollments at each position. A position is the id of the last step done, or of the sequence at its
 * beginning.
 */
export async function countByPosition(db: Db, orgId: string, sequenceId: string): Promise<PositionCount[]> {
  const { rows } = await sql<PositionCount>`
    select coalesce(last_step_id, sequence_id) as position, count(*) as count, min(anchor_at) as since from enrollments
    where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active'
    group by 1
  `.execute(db);
  return rows;
}

/** A contact with steps of a sequence left, and its present eligibility under each rule. */
export interface ForecastContact extends Recipient {
  contact_id: string;
  enrolled: boolean;
  /** Its position: the id of the last step done, or the sequence's own. */
  position: string;
  anchor_at: Date;
  held_until: Date | null;
  /** The gate it is waiting for now. */
  held_by: string | null;
  /** It is waiting for a reserved slot of its sender. */
  has_slot: boolean;
  eligibilities: { status: string; reason: string | null; gate: string | null }[];
}

/**
 * Returns a page of the active enrollments of a sequence by contact. With a `condition`, returns the contacts to be
 * enrolled if the sequence were started at `now`: all of them at the same time, however long reading takes. `eligibilities`
 * follow the order of the rules.
 */
export async function listForecastContacts(
  db: Db,
  orgId: string,
  sequenceId: string,
  {
    rules,
    condition,
    now,
    after,
    limit,
  }: { rules: SendRule[]; condition: Expression<SqlBool> | null; now: Date; after: string; limit: number },
): Promise<ForecastContact[]> {
  const eligibilities = sql.join(
    rules.map((rule) => sql`(select to_jsonb(v) from (${eligibilityOf(orgId, rule).eligibility}) as v)`),
  );
  const source =
    condition === null
      ? sql`
          select enrollment.contact_id, true as enrolled, coalesce(enrollment.last_step_id, enrollment.sequence_id) as position, enrollment.created_at,
            enrollment.anchor_at, enrollment.held_until, enrollment.id
          from enrollments as enrollment
          where enrollment.org_id = ${orgId} and enrollment.sequence_id = ${sequenceId} and enrollment.status = 'active'
            and enrollment.contact_id > ${after}::uuid
          order by enrollment.contact_id limit ${limit}`
      : sql`
          select contacts.id as contact_id, false as enrolled, ${sequenceId}::uuid as position, null::timestamptz as created_at, ${now}::timestamptz as anchor_at,
            null::timestamptz as held_until, null::uuid as id
          from contacts where contacts.org_id = ${orgId} and contacts.id > ${after}::uuid and ${condition}
          order by contacts.id limit ${limit}`;
  const { rows } = await sql<ForecastContact>`
    select contact.id as contact_id, enrollment.enrolled, enrollment.position, enrollment.anchor_at, enrollment.held_until, contact.phone_number,
      jsonb_build_object('timezone', contact.custom_data->'timezone') as custom_data, jsonb_build_array(${eligibilities}) as eligibilities,
      held.gate as held_by, coalesce(held.has_slot, false) as has_slot
    from (${source}) as enrollment
    join contacts as contact on contact.org_id = ${orgId} and contact.id = enrollment.contact_id
    left join lateral (
      select delivery.gate, ${hasReservedSlot('delivery')} as has_slot from deliveries as delivery
      where delivery.org_id = ${orgId} and delivery.enrollment_id = enrollment.id and delivery.status = 'held' limit 1
    ) as held on true
    order by contact.id
  `.execute(db);
  return rows;
}

export async function findDatabaseTime(db: Db): Promise<Date> {
  return onlyRow(await sql<{ now: Date }>`select now()`.execute(db)).now;
}

/** Counts the contacts that listForecastContacts returns in all its pages. */
export async function countForecastContacts(
  db: Db,
  orgId: string,
  sequenceId: string,
  condition: Expression<SqlBool> | null,
): Promise<number> {
  const counted =
    condition === null
      ? sql<{ count: string }>`
          select count(*) from enrollments
          where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active'`
      : sql<{ count: string }>`select count(*) from contacts where contacts.org_id = ${orgId} and ${condition}`;
  return Number(onlyRow(await counted.execute(db)).count);
}
