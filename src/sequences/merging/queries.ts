import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import type { EnrollmentConflict, EnrollmentState } from './rules.ts';

const MERGED = 'merged: another enrollment of the contact continues';

/** Locks and returns the enrollments of two contacts, with how far each is. */
export async function lockEnrollmentsOf(trx: Trx, orgId: string, contactIds: string[]): Promise<EnrollmentState[]> {
  const { rows } = await sql<EnrollmentState>`
    select enrollment.id, enrollment.sequence_id, enrollment.contact_id, enrollment.status, coalesce((
      select max(step.position) from sequence_steps as step
      where step.org_id = enrollment.org_id and step.sequence_id = enrollment.sequence_id and (step.id = enrollment.last_step_id or exists (
        select from deliveries as delivery
        where delivery.org_id = enrollment.org_id and delivery.enrollment_id = enrollment.id and delivery.step_id = step.id
          and delivery.status not in ('queued', 'held', 'canceled')
      ))
    ), -1) as reached
    from enrollments as enrollment
    where enrollment.org_id = ${orgId} and enrollment.contact_id = any(${contactIds}::uuid[])
    order by enrollment.id
    for update of enrollment
  `.execute(trx);
  return rows;
}

/**
 * Ends enrollments of a person who has another one in the sequence. They keep what they were and what was sent by them.
 */
export async function endMergedEnrollments(trx: Trx, orgId: string, toId: string, ids: string[]): Promise<void> {
  await sql`
    update enrollments set contact_id = null, merged_contact_id = ${toId}::uuid, held_until = null,
      exit_reason = case status when 'active' then ${MERGED} else exit_reason end,
      ended_at = coalesce(ended_at, now()), status = case status when 'active' then 'exited' else status end
    where org_id = ${orgId} and id = any(${ids}::uuid[])
  `.execute(trx);
}

/**
 * Makes the sends of an ended enrollment those of the one that continues. No step of theirs is sent again, as a step has
 * one delivery. What waits of such a step does not go. Both keep what they have of one step, and what is being sent stays.
 */
export async function moveSends(trx: Trx, orgId: string, conflicts: EnrollmentConflict[]): Promise<void> {
  if (conflicts.length === 0) return;
  const pairs = sql`unnest(${conflicts.map(({ keptId }) => keptId)}::uuid[], ${conflicts.map(({ endedId }) => endedId)}::uuid[])
    as pair (kept_id, ended_id)`;
  await sql`
    update deliveries as waiting set status = case when waiting.may_have_gone then 'unknown' else 'canceled' end, not_before = null,
      reason = case when waiting.may_have_gone then waiting.reason else 'the step was sent to the contact before' end, updated_at = now()
    from ${pairs} join deliveries as sent on sent.org_id = ${orgId} and sent.enrollment_id = pair.ended_id
      and sent.status not in ('queued', 'held', 'canceled')
    where waiting.org_id = ${orgId} and waiting.enrollment_id = pair.kept_id and waiting.step_id = sent.step_id
      and waiting.status in ('queued', 'held')
  `.execute(trx);
  await sql`
    update deliveries as sent set enrollment_id = pair.kept_id from ${pairs}
    where sent.org_id = ${orgId} and sent.enrollment_id = pair.ended_id and sent.status not in ('queued', 'held', 'sending', 'canceled')
      and not exists (
        select from deliveries as own
        where own.org_id = sent.org_id and own.enrollment_id = pair.kept_id and own.step_id = sent.step_id
      )
  `.execute(trx);
}
