import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { TemplateContact } from '../../contacts/templates/rules.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { SHORT_LIVED_PLAN } from '../../db/connections/preparing-client.ts';
import type { DeliveryStatus } from '../../deliveries/contract.ts';
import type { SettlingContinuation } from '../../deliveries/sending/settling.rules.ts';
import { newId } from '../../ids.ts';
import { announcing } from '../../outbox/announcing.ts';
import { ANNOUNCE_COMPLETED, MOVED_COLUMNS } from '../enrollment/completion.shared.queries.ts';
import type { GateEvaluation } from '../gates/rules.ts';
import type { GatedSend } from '../gates/shared.queries.ts';
import { cancelDeliveriesOfEnded } from '../reconciliation/shared.queries.ts';
import { type AddressRule, eligibilityOf, isSuppressing } from './eligibility.shared.queries.ts';

export interface StepSend extends GatedSend {
  sequenceId: string;
  /** Its texts refer to the contact. */
  isPersonal: boolean;
}

/** SQL: whether this is now the last step of the sequence. */
const isLastStep = (orgId: RawBuilder<unknown>, stepId: RawBuilder<unknown>) => sql`(not exists (
  select from sequence_steps as done join sequence_steps as later on later.org_id = done.org_id
    and later.sequence_id = done.sequence_id and later.position > done.position and later.deleted_at is null
  where done.org_id = ${orgId} and done.id = ${stepId}
))`;

/** Enrollments whose sends are claimed together. */
export interface Chunk {
  enrollmentIds: string[];
  /** The turn of the first among those that the attempt claims ahead. If null, all begin now. */
  firstPosition: number | null;
}

export interface BegunDelivery {
  id: string;
  enrollment_id: string;
  contact_id: string | null;
  to: string;
  status: DeliveryStatus;
  /** The gate that deferred it or ended its enrollment. */
  gate: string | null;
  reason: string | null;
  attempts: number;
  /** Its turn among those that the attempt has claimed ahead. */
  lease_position: number | null;
  /** For a personal step: the contact's values for its templates. */
  contact: TemplateContact | null;
  /** Whether the contact has a session on the channel of the step. */
  has_session: boolean;
}

/**
 * Writes the delivery of each enrollment for a step before anything is sent. It is sent only if, at this moment, the
 * sequence is active, the run is not canceled, the contact is eligible, and no gate defers it. Enrollments not
 * evaluated by the gates, as they were not eligible a moment ago, wait for the next batch. Returns the rows written,
 * and as `settled` the enrollments whose delivery already had an outcome. A second call with the same lease, as after a
 * lost response, returns the same. Its plan is short-lived: a plan made for small tables takes seconds on larger ones.
 * `offset 0` forces look-ups by key. With outdated statistics, reading all deliveries of the step looked equally cheap.
 */
export async function beginDeliveries(
  db: Db,
  orgId: string,
  send: StepSend,
  { enrollmentIds, firstPosition, deferrals, evaluated }: GateEvaluation & Chunk,
): Promise<{ begun: BegunDelivery[]; settled: string[] }> {
  const { address, eligibility } = eligibilityOf(orgId, send);
  const held = enrollmentIds.map((id) => deferrals.get(id));
  const { rows } = await sql<BegunDelivery & { was_settled: boolean }>`
    ${sql.raw(SHORT_LIVED_PLAN)}
    with wanted as materialized (
      select ${orgId}::uuid as org_id, w.*
      from unnest(
        ${enrollmentIds}::uuid[], ${enrollmentIds.map(newId)}::uuid[], ${held.map((deferral) => deferral?.until ?? null)}::timestamptz[],
        ${held.map((deferral) => deferral?.gate ?? null)}::text[], ${held.map((deferral) => deferral?.reason ?? null)}::text[],
        ${enrollmentIds.map((id) => evaluated === 'all' || evaluated.has(id))}::boolean[]
      ) with ordinality as w (enrollment_id, delivery_id, held_until, held_by, held_because, is_judged, turn)
    ),
    decided as (
      select wanted.org_id, wanted.enrollment_id, wanted.delivery_id, ${firstPosition}::integer + wanted.turn - 1 as lease_position, enrollment.contact_id, ${address} as address,
        case when is_held then 'held' else eligibility.status end as status,
        case when is_held then wanted.held_because else eligibility.reason end as reason,
        case when is_held then wanted.held_by else eligibility.gate end as gate,
        case when is_held then wanted.held_until end as not_before
      from wanted
      cross join lateral (
        select * from enrollments where enrollments.org_id = wanted.org_id and enrollments.id = wanted.enrollment_id offset 0
      ) as enrollment
      cross join lateral (
        select * from contacts where contacts.org_id = enrollment.org_id and contacts.id = enrollment.contact_id offset 0
      ) as contact
      cross join lateral (${eligibility}) as eligibility
      cross join lateral (select eligibility.status = 'sending' and wanted.held_by is not null as is_held) as holding
      where enrollment.status not in ('complete', 'canceled', 'exited')
        and coalesce(enrollment.last_step_id, enrollment.sequence_id) = any(${send.positions}::uuid[])
        and exists (select from sequences where org_id = ${orgId} and id = ${send.sequenceId} and status = 'active')
        and not exists (
          select from sequence_runs as run where run.org_id = enrollment.org_id and run.id = enrollment.run_id and run.canceled_at is not null
        )
        and (wanted.is_judged or eligibility.status <> 'sending')
    ),
    written as (
      insert into deliveries (org_id, id, channel, sequence_id, enrollment_id, step_id, contact_id, "to", sender, status, reason, gate,
        not_before, attempts, lease, lease_position, began_at)
      select ${orgId}::uuid, delivery_id, ${send.channel}, ${send.sequenceId}::uuid, enrollment_id, ${send.stepId}::uuid, contact_id, address,
        ${send.sender}, status, reason, gate, not_before, case status when 'sending' then 1 else 0 end,
        case status when 'sending' then ${send.lease}::uuid end, case status when 'sending' then lease_position end,
        case status when 'sending' then now() end
      from decided
      on conflict on constraint deliveries_once_a_step do update set
        status = case when deliveries.may_have_gone and excluded.status not in ('sending', 'held') then 'unknown' else excluded.status end,
        reason = excluded.reason, gate = excluded.gate, not_before = excluded.not_before, channel = excluded.channel, "to" = excluded."to",
        content = excluded.content, sender = excluded.sender, lease = excluded.lease,
        lease_position = excluded.lease_position, began_at = coalesce(excluded.began_at, deliveries.began_at),
        attempts = deliveries.attempts + case when deliveries.status in ('queued', 'held') then excluded.attempts else 0 end, updated_at = now()
      where deliveries.status in ('queued', 'held') or (deliveries.status = 'sending' and deliveries.lease = ${send.lease}::uuid)
      returning org_id, id, enrollment_id, contact_id, "to", status, gate, reason, attempts, lease_position
    )
    select written.id, written.enrollment_id, written.contact_id, written."to", written.status, written.gate, written.reason, written.attempts,
      written.lease_position, false as was_settled, case when ${send.isPersonal}::boolean then jsonb_build_object('id', contact.id, 'name', contact.name,
        'email', contact.email, 'phone_number', contact.phone_number, 'custom_data', contact.custom_data) end as contact,
      exists (
        select from sessions where sessions.org_id = ${orgId} and sessions.contact_id = written.contact_id and sessions.channel = ${send.channel} offset 0
      ) as has_session
    from written left join contacts as contact on contact.org_id = written.org_id and contact.id = written.contact_id
      and ${send.isPersonal}::boolean
    union all
    select delivery.id, delivery.enrollment_id, delivery.contact_id, delivery."to", delivery.status, null, null, delivery.attempts, null, true, null, false
    from wanted cross join lateral (
      select * from deliveries as of_step
      where of_step.org_id = wanted.org_id and of_step.enrollment_id = wanted.enrollment_id and of_step.step_id = ${send.stepId}
      offset 0
    ) as delivery
    where delivery.status not in ('queued', 'held', 'sending') and delivery.lease is null
  `.execute(db);
  return {
    begun: rows.filter((row) => !row.was_settled),
    settled: rows.filter((row) => row.was_settled).map((row) => row.enrollment_id),
  };
}

/** Stores the content of deliveries. */
export async function updateContents(
  db: Db,
  orgId: string,
  contents: { id: string; content: unknown }[],
): Promise<void> {
  await sql`
    update deliveries as delivery set content = kept.content
    from jsonb_to_recordset(${JSON.stringify(contents)}::jsonb) as kept (id uuid, content jsonb)
    where delivery.org_id = ${orgId} and delivery.id = kept.id
  `.execute(db);
}

/** Defers enrollments, each until its time. Returns their number: one that has ended meanwhile is not deferred. */
export async function deferEnrollments(
  db: Db,
  orgId: string,
  deferrals: { id: string; until: Date }[],
): Promise<number> {
  if (deferrals.length === 0) return 0;
  const { numAffectedRows = 0n } = await sql`
    update enrollments as enrollment set held_until = deferral.until
    from unnest(${deferrals.map(({ id }) => id)}::uuid[], ${deferrals.map(({ until }) => until)}::timestamptz[]) as deferral (id, until)
    where enrollment.org_id = ${orgId} and enrollment.id = deferral.id and enrollment.status = 'active'
  `.execute(db);
  return Number(numAffectedRows);
}

/** Ends enrollments before their last step, each with its reason, together with their waiting deliveries. */
export async function exitEnrollments(
  trx: Trx,
  orgId: string,
  { stepId, positions }: Pick<StepSend, 'stepId' | 'positions'>,
  exits: { id: string; reason: string | null }[],
): Promise<void> {
  if (exits.length === 0) return;
  await sql`
    update enrollments as enrollment set status = 'exited', exit_reason = leaving.reason, last_step_id = ${stepId}::uuid,
      held_until = null, ended_at = now()
    from unnest(${exits.map(({ id }) => id)}::uuid[], ${exits.map(({ reason }) => reason)}::text[]) as leaving (id, reason)
    where enrollment.org_id = ${orgId} and enrollment.id = leaving.id and enrollment.status = 'active'
      and coalesce(enrollment.last_step_id, enrollment.sequence_id) = any(${positions}::uuid[])
  `.execute(trx);
  await cancelDeliveriesOfEnded(trx, orgId, { enrollmentIds: exits.map(({ id }) => id) });
}

/**
 * Advances enrollments past a step without a send, as their delivery was settled. Enrollments that have advanced
 * meanwhile are not changed.
 */
export async function advancePastStep(
  db: Db,
  orgId: string,
  { stepId, positions }: Pick<StepSend, 'stepId' | 'positions'>,
  enrollmentIds: string[],
): Promise<void> {
  if (enrollmentIds.length === 0) return;
  const isLast = isLastStep(sql`${orgId}`, sql`${stepId}`);
  await announcing(
    db,
    sql`
    with moved as (
      update enrollments as enrollment set last_step_id = ${stepId}::uuid, anchor_at = now(), held_until = null,
        status = case when ${isLast} then 'complete' else status end,
        ended_at = case when ${isLast} then now() end
      where org_id = ${orgId} and id = any(${enrollmentIds}::uuid[]) and status = 'active'
        and coalesce(last_step_id, sequence_id) = any(${positions}::uuid[])
      returning ${MOVED_COLUMNS}
    )
    ${ANNOUNCE_COMPLETED}
  `.execute(db),
  );
}

/**
 * SQL: the part of a settling statement that advances the enrollments of a step: past the step, or to the time of the
 * next try. Announces completed ones.
 */
export const advanceSettled =
  (orgId: string, stepId: string): SettlingContinuation =>
  (settled) => {
    const isQueued = sql`${settled.status} = 'queued'`;
    const isOver = sql`not ${isQueued} and ${isLastStep(sql`${orgId}`, sql`${stepId}`)}`;
    return sql`,
    moved as (
      update enrollments as enrollment set
        last_step_id = case when ${isQueued} then enrollment.last_step_id else ${stepId}::uuid end,
        anchor_at = case when ${isQueued} then enrollment.anchor_at else now() end,
        held_until = case when ${isQueued} and ${settled.delayMs} > 0 then now() + ${settled.delayMs} * interval '1 millisecond' end,
        status = case when ${isOver} then 'complete' else enrollment.status end,
        ended_at = case when ${isOver} then now() end
      from ${settled.rows}
      where enrollment.org_id = ${settled.orgId} and enrollment.id = ${settled.enrollmentId}
        and enrollment.status not in ('complete', 'canceled', 'exited')
      returning ${MOVED_COLUMNS}
    ),
    announced as (${ANNOUNCE_COMPLETED} returning id)`;
  };

/** An attempt at sending what is due of a sequence. */
export interface SequenceAttempt {
  sequenceId: string;
  lease: string;
}

/** Replaces the attempt of a sequence: no other begins a send from now on. Returns the former one, if it was another. */
async function replaceAttempt(trx: Trx, orgId: string, { sequenceId, lease }: SequenceAttempt) {
  const { rows } = await sql<{ lease: string | null; begun_through: number | null }>`
    insert into sequence_attempts (org_id, sequence_id, lease)
    select org_id, id, ${lease}::uuid from sequences where org_id = ${orgId} and id = ${sequenceId}
    on conflict (org_id, sequence_id) do update set lease = excluded.lease, begun_through = 0
      where sequence_attempts.lease <> excluded.lease
    returning old.lease, old.begun_through
  `.execute(trx);
  return { lease: rows[0]?.lease ?? null, begunThrough: rows[0]?.begun_through ?? null };
}

/** The next sends of an attempt that were claimed ahead. */
export interface BeginningSends extends AddressRule {
  sends: { deliveryId: string; to: string }[];
  /** The turn of the last of them. */
  position: number;
  /** Whether nothing of the batch has begun before. */
  isFirst: boolean;
  /** SQL: whether the operator has paused all sending. */
  isSendingPaused: RawBuilder<SqlBool>;
}

/**
 * Records that the sends claimed ahead up to a position begin now. Returns undefined if none of them may: another attempt has
 * replaced this one, the sequence is no longer active, or the operator has paused all sending. Unless it is the first of a
 * batch, also if a change of the sequence has to be applied first. Otherwise returns the deliveries whose address was
 * suppressed since they were claimed: they must not be sent.
 */
export async function beginThrough(
  db: Db,
  orgId: string,
  { sequenceId, lease }: SequenceAttempt,
  { sends, position, isFirst, isSendingPaused, ...rule }: BeginningSends,
): Promise<string[] | undefined> {
  const { rows } = await sql<{ suppressed: string[] }>`
    update sequence_attempts as attempt set begun_through = greatest(begun_through, ${position}::integer)
    where org_id = ${orgId} and sequence_id = ${sequenceId} and lease = ${lease}::uuid and exists (
      select from sequences as sequence
      where sequence.org_id = ${orgId} and sequence.id = ${sequenceId} and status = 'active' and (changes_to_apply = 0 or ${isFirst}::boolean)
    ) and not ${isSendingPaused}
    returning array(
      select address from suppressions as suppression
      where ${isSuppressing(orgId, rule)} and address = any(${sends.map(({ to }) => to)}::text[])
    ) as suppressed
  `.execute(db);
  const suppressed = rows[0]?.suppressed;
  return suppressed && sends.filter(({ to }) => suppressed.includes(to)).map(({ deliveryId }) => deliveryId);
}

/**
 * Settles the deliveries of an interrupted attempt, and ends those to be sent again whose enrollment has ended.
 * `interruption` builds the changes of a delivery. The former attempt is replaced by a statement of its own before: what it
 * has begun is visible to the next one. Returns the number of `unknown` deliveries.
 */
export async function settleInterrupted(
  trx: Trx,
  orgId: string,
  { sequenceId, lease }: SequenceAttempt,
  interruption: (isTransactional: RawBuilder<SqlBool>, hasBegun: RawBuilder<SqlBool>) => RawBuilder<unknown>,
): Promise<number> {
  const former = await replaceAttempt(trx, orgId, { sequenceId, lease });
  const isTransactional = sql<SqlBool>`(step.action #>> '{data,email_is_transactional}')::boolean`;
  const hasBegun = sql<SqlBool>`(delivery.lease_position is null or coalesce(
    delivery.lease = ${former.lease}::uuid and delivery.lease_position <= ${former.begunThrough}::integer, false))`;
  const isLast = isLastStep(sql`settled.org_id`, sql`settled.step_id`);
  const { rows } = await announcing(
    trx,
    sql<{ unknown: number; queued: string[] | null }>`
    with settled as (
      update deliveries as delivery set ${interruption(isTransactional, hasBegun)}
      from sequence_steps as step
      where delivery.org_id = ${orgId} and delivery.sequence_id = ${sequenceId} and delivery.lease <> ${lease}::uuid
        and delivery.status not in ('skipped', 'suppressed') and step.org_id = delivery.org_id and step.id = delivery.step_id
      returning delivery.org_id, delivery.id, delivery.enrollment_id, delivery.step_id, delivery.status
    ),
    moved as (
      update enrollments as enrollment set last_step_id = settled.step_id, anchor_at = now(), held_until = null,
        status = case when ${isLast} then 'complete' else enrollment.status end,
        ended_at = case when ${isLast} then now() end
      from settled
      where enrollment.org_id = settled.org_id and enrollment.id = settled.enrollment_id
        and enrollment.status not in ('complete', 'canceled', 'exited') and settled.status <> 'queued'
      returning ${MOVED_COLUMNS}
    ),
    announced as (${ANNOUNCE_COMPLETED})
    select count(*) filter (where status = 'unknown') as unknown, array_agg(id) filter (where status = 'queued') as queued from settled
  `.execute(trx),
  );
  const { unknown = 0, queued } = rows[0] ?? {};
  await cancelDeliveriesOfEnded(trx, orgId, { deliveryIds: queued ?? [] });
  return unknown;
}
