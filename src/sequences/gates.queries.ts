import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import type { Recipient } from '../deliveries/sending/quiet-hours.rules.ts';
import { eligibilityOf, type SendRule } from './eligibility.queries.ts';
import type { EffectiveGates, SenderRate } from './gates/rules.ts';

/**
 * SQL: whether a turn of its sender is kept for a held delivery. One that is a minute late, as after a pause, is lost: else all that waited
 * would go out at once.
 */
export const hasReservedSlot = (delivery: string): RawBuilder<SqlBool> =>
  sql`(${sql.ref(delivery)}.status = 'held' and ${sql.ref(delivery)}.gate = 'sends_per_minute'
    and ${sql.ref(delivery)}.not_before > now() - interval '1 minute')`;

/** What of a step the gates look at. */
export interface GatedSend extends SendRule {
  stepId: string;
  /** Where those stand whose next step it is: the last step done, or the sequence's own id. A late batch moves nobody who has gone on. */
  positions: string[];
  /** Marks the rows of this attempt. */
  lease: string;
  gates: EffectiveGates;
  /** Address or number that the step goes out from. */
  sender: string | null;
}

export interface GateCandidate extends Recipient {
  enrollment_id: string;
  contact_id: string;
  now: Date;
  /** Its turn among the sends of its sender has come: it was held for it, and waits no longer. */
  has_slot: boolean;
  /** This very attempt has begun its send already, and its answer was lost. */
  is_begun: boolean;
}

/** Those of the enrollments that a step would reach if no gate held it. Their contacts are locked, so that nobody else counts them at once. */
export async function lockGateCandidates(
  trx: Trx,
  orgId: string,
  send: GatedSend,
  enrollmentIds: string[],
): Promise<GateCandidate[]> {
  const { verdict } = eligibilityOf(orgId, send);
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
    cross join lateral (${verdict}) as verdict
    where enrollment.org_id = ${orgId} and enrollment.id = any(${enrollmentIds}::uuid[]) and enrollment.status = 'active'
      and coalesce(enrollment.last_step_id, enrollment.sequence_id) = any(${send.positions}::uuid[])
      and run.canceled_at is null and verdict.status = 'sending'
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

/** How many messages of sequences each contact got, or may have got, on a day. */
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

/** The state of a sender whose sends a minute are limited, locked until the end of the transaction. */
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

/** The states of senders, as far as they are limited. */
export async function findSenderRates(db: Db, orgId: string, senders: string[]): Promise<Map<string, SenderRate>> {
  const rows = await db
    .selectFrom('sender_rates')
    .select(['sender', 'slot_at', 'used'])
    .where('org_id', '=', orgId)
    .where('sender', '=', sql<string>`any(${senders}::text[])`)
    .execute();
  return new Map(rows.map(({ sender, slot_at, used }) => [sender, { slotAt: slot_at, used }]));
}

/** Gives back the turns of a sender behind the last that something still waits for. */
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

/** Of a group of sends. */
const NO_SLOT_LEFT = 2_147_483_647;

/** The senders of whom a sequence has turns. */
export async function listSendersWithSlots(db: Db, orgId: string, sequenceId: string): Promise<string[]> {
  const { rows } = await sql<{ sender: string }>`
    select distinct sender from deliveries
    where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'held' and gate = 'sends_per_minute' and sender is not null
    order by sender
  `.execute(db);
  return rows.map(({ sender }) => sender);
}
