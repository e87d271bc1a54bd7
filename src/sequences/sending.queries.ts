import { type RawBuilder, sql } from 'kysely';
import { type Db, PLANNED_EACH_TIME } from '../db/connect.ts';
import type { DeliveryStatus } from '../deliveries/contract.ts';
import { newId } from '../ids.ts';
import { type SendRule, verdictOn } from './verdict.queries.ts';

export interface StepSend extends SendRule {
  sequenceId: string;
  stepId: string;
  /** Marks the rows of this attempt. */
  lease: string;
}

/** SQL: whether no step of the sequence comes after this one, by what holds at this moment. */
const isLastStep = (orgId: RawBuilder<unknown>, stepId: RawBuilder<unknown>) => sql`(not exists (
  select from sequence_steps as done join sequence_steps as later on later.org_id = done.org_id
    and later.sequence_id = done.sequence_id and later.position > done.position and later.deleted_at is null
  where done.org_id = ${orgId} and done.id = ${stepId}
))`;

export interface BegunDelivery {
  id: string;
  enrollment_id: string;
  to: string;
  status: DeliveryStatus;
  attempts: number;
}

/**
 * Writes the delivery of each enrollment for a step before anything is sent, deciding by what holds at this moment: the sequence runs, the
 * run was not canceled, the contact can be reached and may be written to. Gives the rows written, and as `settled` the enrollments whose
 * delivery had its outcome before. Called again with the same lease, as when the answer was lost, it gives the same. Like marking, it is
 * planned each time and joins on the org: a plan kept from small tables takes seconds on larger ones.
 */
export async function beginDeliveries(
  db: Db,
  orgId: string,
  send: StepSend,
  enrollmentIds: string[],
): Promise<{ begun: BegunDelivery[]; settled: string[] }> {
  const { address, verdict } = verdictOn(orgId, send);
  const { rows } = await sql<BegunDelivery & { was_settled: boolean }>`
    ${sql.raw(PLANNED_EACH_TIME)}
    with wanted as materialized (
      select ${orgId}::uuid as org_id, w.*
      from unnest(${enrollmentIds}::uuid[], ${enrollmentIds.map(newId)}::uuid[]) as w (enrollment_id, delivery_id)
    ),
    decided as (
      select wanted.*, enrollment.contact_id, ${address} as address, verdict.status, verdict.reason
      from wanted
      join enrollments as enrollment on enrollment.org_id = wanted.org_id and enrollment.id = wanted.enrollment_id
        and enrollment.status not in ('complete', 'canceled')
      join sequences as sequence on sequence.org_id = enrollment.org_id and sequence.id = enrollment.sequence_id and sequence.status = 'active'
      join contacts as contact on contact.org_id = enrollment.org_id and contact.id = enrollment.contact_id
      left join sequence_runs as run on run.org_id = enrollment.org_id and run.id = enrollment.run_id
      cross join lateral (${verdict}) as verdict
      where run.canceled_at is null
    ),
    written as (
      insert into deliveries (org_id, id, channel, sequence_id, enrollment_id, step_id, contact_id, "to", status, reason, attempts, lease)
      select ${orgId}::uuid, delivery_id, ${send.channel}, ${send.sequenceId}::uuid, enrollment_id, ${send.stepId}::uuid, contact_id, address,
        status, reason, case status when 'sending' then 1 else 0 end, ${send.lease}::uuid
      from decided
      on conflict on constraint deliveries_once_a_step do update set
        status = excluded.status, reason = excluded.reason, "to" = excluded."to", lease = excluded.lease,
        attempts = deliveries.attempts + case deliveries.status when 'queued' then excluded.attempts else 0 end, updated_at = now()
      where deliveries.status = 'queued' or (deliveries.status = 'sending' and deliveries.lease = excluded.lease)
      returning id, enrollment_id, "to", status, attempts
    )
    select *, false as was_settled from written
    union all
    select delivery.id, delivery.enrollment_id, delivery."to", delivery.status, delivery.attempts, true
    from wanted join deliveries as delivery on delivery.org_id = wanted.org_id and delivery.enrollment_id = wanted.enrollment_id
      and delivery.step_id = ${send.stepId}
    where delivery.status not in ('queued', 'sending')
  `.execute(db);
  return {
    begun: rows.filter((row) => !row.was_settled),
    settled: rows.filter((row) => row.was_settled).map((row) => row.enrollment_id),
  };
}

/** Moves enrollments behind a step without a send, as theirs was settled. */
export async function passStep(
  db: Db,
  orgId: string,
  { stepId }: Pick<StepSend, 'stepId'>,
  enrollmentIds: string[],
): Promise<void> {
  if (enrollmentIds.length === 0) return;
  const isLast = isLastStep(sql`${orgId}`, sql`${stepId}`);
  await sql`
    update enrollments set last_step_id = ${stepId}::uuid, anchor_at = now(), held_until = null,
      status = case when ${isLast} then 'complete' else status end,
      ended_at = case when ${isLast} then now() end
    where org_id = ${orgId} and id = any(${enrollmentIds}::uuid[]) and status = 'active'
  `.execute(db);
}

/**
 * Moves enrollments on as their sends are written down: behind the step, or to the time of the next try. `marking` is the beginning of
 * the statement, and writes down the sends.
 */
export async function settleDeliveries(db: Db, marking: RawBuilder<unknown>): Promise<void> {
  const isOver = sql`marked.status <> 'queued' and ${isLastStep(sql`marked.org_id`, sql`marked.step_id`)}`;
  await sql`
    ${marking}
    update enrollments as enrollment set
      last_step_id = case when marked.status = 'queued' then enrollment.last_step_id else marked.step_id end,
      anchor_at = case when marked.status = 'queued' then enrollment.anchor_at else now() end,
      held_until = case when marked.status = 'queued' and marked.delay_ms > 0 then now() + marked.delay_ms * interval '1 millisecond' end,
      status = case when ${isOver} then 'complete' else enrollment.status end,
      ended_at = case when ${isOver} then now() end
    from marked
    where enrollment.org_id = marked.org_id and enrollment.id = marked.enrollment_id and enrollment.status not in ('complete', 'canceled')
  `.execute(db);
}

/**
 * Settles what an attempt that ended in the middle had under way. Nobody knows whether those mails were taken: they are `unknown` and
 * not sent again, but for transactional ones, which go again under the same Message-ID.
 */
export async function settleInterrupted(db: Db, orgId: string, sequenceId: string, lease: string): Promise<number> {
  const isLast = isLastStep(sql`marked.org_id`, sql`marked.step_id`);
  const { rows } = await sql<{ unknown: number }>`
    with marked as (
      update deliveries as delivery set
        status = case when (step.action #>> '{data,email_is_transactional}')::boolean then 'queued' else 'unknown' end,
        reason = 'the worker stopped while it was being sent', lease = null, updated_at = now()
      from sequence_steps as step
      where delivery.org_id = ${orgId} and delivery.sequence_id = ${sequenceId} and delivery.status = 'sending'
        and delivery.lease <> ${lease}::uuid
        and step.org_id = delivery.org_id and step.id = delivery.step_id
      returning delivery.org_id, delivery.enrollment_id, delivery.step_id, delivery.status
    ),
    moved as (
      update enrollments as enrollment set last_step_id = marked.step_id, anchor_at = now(), held_until = null,
        status = case when ${isLast} then 'complete' else enrollment.status end,
        ended_at = case when ${isLast} then now() end
      from marked
      where enrollment.org_id = marked.org_id and enrollment.id = marked.enrollment_id and enrollment.status not in ('complete', 'canceled')
        and marked.status = 'unknown'
    )
    select count(*) filter (where status = 'unknown') as unknown from marked
  `.execute(db);
  return rows[0]?.unknown ?? 0;
}

/**
 * Ends what waits for another try and will never have one: its step was taken away, its enrollment is over or its contact was deleted. An
 * enrollment that waited for it goes on.
 */
export async function dropStrandedDeliveries(db: Db, orgId: string, sequenceId: string): Promise<void> {
  await sql`
    with stranded as (
      update deliveries as delivery set status = 'canceled', updated_at = now()
      where delivery.org_id = ${orgId} and delivery.sequence_id = ${sequenceId} and delivery.status = 'queued' and (
        exists (
          select from sequence_steps as step
          where step.org_id = delivery.org_id and step.id = delivery.step_id and step.deleted_at is not null
        ) or not exists (
          select from enrollments as enrollment
          where enrollment.org_id = delivery.org_id and enrollment.id = delivery.enrollment_id and enrollment.status = 'active'
        )
      )
      returning delivery.org_id, delivery.enrollment_id
    )
    update enrollments as enrollment set held_until = null from stranded
    where enrollment.org_id = stranded.org_id and enrollment.id = stranded.enrollment_id
  `.execute(db);
}

/** Ends what still waited for another try when the sequence was canceled. */
export async function cancelWaitingDeliveries(db: Db, orgId: string, sequenceId: string): Promise<void> {
  await sql`
    update deliveries set status = 'canceled', updated_at = now()
    where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'queued'
  `.execute(db);
}
