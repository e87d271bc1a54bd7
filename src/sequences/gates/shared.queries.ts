import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { Recipient } from '../../deliveries/sending/quiet-hours.rules.ts';
import { eligibilityOf, type SendRule } from '../sending/eligibility.shared.queries.ts';
import type { EffectiveGates, SenderRate } from './rules.ts';

/**
 * SQL: whether a held delivery has a valid slot of its sender. A slot is lost a minute after its time, as after a
 * pause. Otherwise everything waiting would go out at once.
 */
export const hasReservedSlot = (delivery: string): RawBuilder<SqlBool> =>
  sql`(${sql.ref(delivery)}.status = 'held' and ${sql.ref(delivery)}.gate = 'sends_per_minute'
    and ${sql.ref(delivery)}.not_before > now() - interval '1 minute')`;

/** The properties of a step evaluated by the gates. */
export interface GatedSend extends SendRule {
  stepId: string;
  /**
   * The positions before this step: ids of the last step done, or the sequence's own id. A late batch does not move
   * enrollments that have advanced.
   */
  positions: string[];
  /** Identifies the rows of this attempt. */
  lease: string;
  gates: EffectiveGates;
  /** The sending address or number of the step. */
  sender: string | null;
}

export interface GateCandidate extends Recipient {
  enrollment_id: string;
  contact_id: string;
  now: Date;
  /** Its slot among the sends of its sender has come: it was deferred until then, and waits no longer. */
  has_slot: boolean;
  /** This attempt has begun its send already, and the response was lost. */
  is_begun: boolean;
}

/**
 * Returns the enrollments that a step would reach if no gate deferred it. Locks their contacts against concurrent
 * counting.
 */
export async function lockGateCandidates(
  trx: Trx,
  orgId: string,
  send: GatedSend,
  enrollmentIds: string[],
): Promise<GateCandidate[]> {
  const { eligibility } = eligibilityOf(orgId, send);
  const { rows } = await sql<GateCandidate>`
    select enrollment.id as enrollment_id, contact.id as contact_id, contact.phone_number,
      jsonb_build_object('timezone', contact.custom_data->'timezone') as custom_data, now() as now,
      coalesce(${hasReservedSlot('delivery')} and delivery.not_before <= now() and delivery.sender = ${send.sender}, false) as has_slot,
      coalesce(delivery.lease = ${send.lease}::uuid, false) as is_begun
    from enrollments as enrollment
    join contacts as contact on contact.org_id = enrollment.org_id and contact.id = enrollment.contact_id
    join sequences as sequence on sequence.org_id = enrollment.org_id and sequence.id = enrollment.sequence_id and sequence.status = 'active'
    left join sequence_runs as run on run.org_id = enrollment.org_id and run.id = enrollment.run_id
    left join deliveries as delivery on delivery.org_id = enrollment.org_id and delivery.enrollment_id = enrollment.id
      and delivery.step_id = ${send.stepId}
    cross join lateral (${eligibility}) as eligibility
    where enrollment.org_id = ${orgId} and enrollment.id = any(${enrollmentIds}::uuid[]) and enrollment.status = 'active'
      and coalesce(enrollment.last_step_id, enrollment.sequence_id) = any(${send.positions}::uuid[])
      and run.canceled_at is null and eligibility.status = 'sending'
      and (delivery.status is null or delivery.status in ('queued', 'held') or delivery.lease = ${send.lease}::uuid)
    order by contact.id
    for no key update of contact
  `.execute(trx);
  return rows;
}

export interface ContactDay {
  contact_id: string;
  start: Date;
  end: Date;
}

/** Counts the sequence messages sent, or possibly sent, to each contact on a day. */
export async function countSentOn(db: Db, orgId: string, days: ContactDay[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ contact_id: string; count: number }>`
    select day.contact_id, count(*) as count
    from unnest(${days.map(({ contact_id }) => contact_id)}::uuid[], ${days.map(({ start }) => start)}::timestamptz[],
      ${days.map(({ end }) => end)}::timestamptz[]) as day (contact_id, starts_at, ends_at)
    join deliveries as delivery on delivery.org_id = ${orgId} and delivery.contact_id = day.contact_id
      and delivery.sequence_id is not null and delivery.began_at >= day.starts_at and delivery.began_at < day.ends_at
    where delivery.status in ('sending', 'accepted', 'sent', 'delivered', 'read', 'bounced', 'unknown')
    group by 1
  `.execute(db);
  return new Map(rows.map(({ contact_id, count }) => [contact_id, count]));
}

/** Returns the rate of a limited sender, locked until the end of the transaction. */
export async function lockSenderRate(trx: Trx, orgId: string, sender: string): Promise<SenderRate | undefined> {
  await trx
    .insertInto('sender_rates')
    .values({ org_id: orgId, sender, slot_at: new Date(0), used: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await trx
    .selectFrom('sender_rates')
    .select(['slot_at', 'used'])
    .where('org_id', '=', orgId)
    .where('sender', '=', sender)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return row.slot_at.getTime() === 0 ? undefined : { slotAt: row.slot_at, used: row.used };
}

export async function upsertSenderRate(
  trx: Trx,
  orgId: string,
  sender: string,
  { slotAt, used }: SenderRate,
): Promise<void> {
  await trx
    .updateTable('sender_rates')
    .set({ slot_at: slotAt, used })
    .where('org_id', '=', orgId)
    .where('sender', '=', sender)
    .execute();
}

/** Returns the rates of those senders with limited sends. */
export async function findSenderRates(db: Db, orgId: string, senders: string[]): Promise<Map<string, SenderRate>> {
  const rows = await db
    .selectFrom('sender_rates')
    .select(['sender', 'slot_at', 'used'])
    .where('org_id', '=', orgId)
    .where('sender', '=', sql<string>`any(${senders}::text[])`)
    .execute();
  return new Map(rows.map(({ sender, slot_at, used }) => [sender, { slotAt: slot_at, used }]));
}

/** Releases the slots of a sender after the last one still waited for. */
export async function releaseUnusedSlots(trx: Trx, orgId: string, sender: string): Promise<void> {
  await lockSenderRate(trx, orgId, sender);
  await sql`
    update sender_rates set used = ${NO_SLOT_LEFT}, slot_at = greatest(now(), (
      select max(not_before) from deliveries
      where org_id = ${orgId} and status = 'held' and gate = 'sends_per_minute' and sender = ${sender}
    ))
    where org_id = ${orgId} and sender = ${sender} and slot_at > now()
  `.execute(trx);
}

/** A value of `used` that makes a group of sends count as full. */
const NO_SLOT_LEFT = 2_147_483_647;

/** Returns the senders with slots reserved for a sequence. */
export async function listSendersWithSlots(db: Db, orgId: string, sequenceId: string): Promise<string[]> {
  const { rows } = await sql<{ sender: string }>`
    select distinct sender from deliveries
    where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'held' and gate = 'sends_per_minute' and sender is not null
    order by sender
  `.execute(db);
  return rows.map(({ sender }) => sender);
}
