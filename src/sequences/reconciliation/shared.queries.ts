import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import { NIL_UUID } from '../../ids.ts';
import { announcing } from '../../outbox/announcing.ts';
import { ANNOUNCE_COMPLETED, MOVED_COLUMNS } from '../enrollment/completion.shared.queries.ts';
import type { StepTransition, StoredStep } from '../steps/rules.ts';

/** Limits the rows changed by one statement, so that it ends soon. */
const MAX_ROWS_PER_STATEMENT = 5_000;

/** The final status of a waiting send: nothing was sent, unless an attempt of it was interrupted. */
const ENDED_STATUS = sql`case when delivery.may_have_gone then 'unknown' else 'canceled' end`;

/** The reason of ENDED_STATUS. A send that may have gone keeps what made that unknown. */
const endedReason = (reason: RawBuilder<unknown>) =>
  sql`case when delivery.may_have_gone then delivery.reason else ${reason} end`;

/** Repeats a statement of at most MAX_ROWS_PER_STATEMENT rows until it finds none. */
async function inChunks(change: () => Promise<number>): Promise<void> {
  while ((await change()) > 0);
}

/** Ends the enrollments of canceled runs. */
export const endCanceledRuns = (db: Db, orgId: string, sequenceId: string): Promise<void> =>
  inChunks(async () => {
    const { rows } = await sql`
      with ending as (
        select enrollments.id from sequence_runs as run
        join enrollments on enrollments.org_id = run.org_id and enrollments.run_id = run.id and enrollments.status = 'active'
        where run.org_id = ${orgId} and run.sequence_id = ${sequenceId} and run.canceled_at is not null
        limit ${MAX_ROWS_PER_STATEMENT}
      )
      update enrollments set status = 'canceled', ended_at = now()
      where org_id = ${orgId} and id in (select id from ending)
      returning id
    `.execute(db);
    return rows.length;
  });

/** Completes enrollments past the last step, as after an edit that deletes or reorders steps. */
export async function completePastLastStep(
  db: Db,
  orgId: string,
  sequenceId: string,
  moves: StepTransition<StoredStep>[],
): Promise<void> {
  for (const { after, next } of moves) {
    if (next !== null) continue;
    await inChunks(async () => {
      const { rows } = await announcing(
        db,
        sql`
        with moved as (
          update enrollments as enrollment set status = 'complete', ended_at = now(), held_until = null
          where org_id = ${orgId} and id in (
            select id from enrollments
            where org_id = ${orgId} and sequence_id = ${sequenceId} and status = 'active'
              and coalesce(last_step_id, sequence_id) = ${after ?? sequenceId}::uuid
            limit ${MAX_ROWS_PER_STATEMENT}
          )
          returning ${MOVED_COLUMNS}
        ),
        announced as (${ANNOUNCE_COMPLETED})
        select id from moved
      `.execute(db),
      );
      return rows.length;
    });
  }
}

/** SQL: why a waiting delivery is obsolete, by its `enrollment`, which is null if its contact was deleted. */
const WHY_OBSOLETE = sql`case when enrollment.id is null then 'the contact was deleted'
  when enrollment.status = 'canceled' then 'the run was canceled' when enrollment.status = 'exited' then enrollment.exit_reason
  else 'the step no longer comes next' end`;

/**
 * Ends waiting deliveries that will never be sent: the enrollment has ended or is past the step, or the step is deleted.
 * A delivery of a step that others precede now is kept without its deferral, and is sent when the step comes next. Either
 * way, enrollments deferred for such a delivery continue. Returns the senders of any slots they had. As in settlingOf,
 * joins are on the org, and `coalesce` keeps the indexes of active enrollments and waiting deliveries out of the plan.
 * The statement is planned each time. Otherwise it takes minutes for thousands of rows inserted just before.
 */
export async function cancelObsoleteDeliveries(
  db: Db,
  orgId: string,
  sequenceId: string,
  moves: StepTransition<StoredStep>[],
): Promise<Set<string>> {
  const senders = new Set<string>();
  let after: string | undefined = NIL_UUID;
  while (after !== undefined) {
    const { rows }: { rows: { last: string | null; senders: string[] | null }[] } = await sql<{
      last: string | null;
      senders: string[] | null;
    }>`
      ${sql.raw(PLANNED_EACH_TIME)}
      with move as (
        select * from unnest(${moves.map((move) => move.after ?? sequenceId)}::uuid[], ${moves.map((move) => move.next?.id ?? null)}::uuid[])
          with ordinality as move (position, step_id, turn)
      ),
      present as (select step_id, max(turn) as last_turn from move where step_id is not null group by step_id),
      waiting as (
        select org_id, id, step_id, enrollment_id, gate, sender from deliveries
        where org_id = ${orgId} and sequence_id = ${sequenceId} and status in ('queued', 'held') and id > ${after}::uuid
        order by id limit ${MAX_ROWS_PER_STATEMENT}
      ),
      misplaced as (
        select waiting.org_id, waiting.id, waiting.enrollment_id, waiting.gate, waiting.sender, move.step_id as next_step_id,
          coalesce(move.turn <= present.last_turn, false) as is_ahead, ${WHY_OBSOLETE} as why_obsolete
        from waiting
        left join enrollments as enrollment on enrollment.org_id = waiting.org_id and enrollment.id = waiting.enrollment_id
        left join move on coalesce(enrollment.status, '') = 'active' and move.position = coalesce(enrollment.last_step_id, enrollment.sequence_id)
        left join present on present.step_id = waiting.step_id
        where move.step_id is distinct from waiting.step_id
      ),
      ended as (
        update deliveries as delivery set status = ${ENDED_STATUS}, updated_at = now(), reason = ${endedReason(sql`misplaced.why_obsolete`)}
        from misplaced
        where delivery.org_id = misplaced.org_id and delivery.id = misplaced.id and coalesce(delivery.status, '') in ('queued', 'held')
          and not misplaced.is_ahead
      ),
      kept as (
        update deliveries as delivery set status = 'queued', gate = null, not_before = null, updated_at = now(),
          reason = ${endedReason(sql`'another step comes first'`)}
        from misplaced
        where delivery.org_id = misplaced.org_id and delivery.id = misplaced.id and misplaced.is_ahead
          and (coalesce(delivery.status, '') = 'held' or (coalesce(delivery.status, '') = 'queued' and delivery.not_before is not null))
      ),
      freed as (
        update enrollments as enrollment set held_until = null from misplaced
        where enrollment.org_id = misplaced.org_id and enrollment.id = misplaced.enrollment_id
          and coalesce(enrollment.held_until, '-infinity') > '-infinity'
          and not exists (
            select from deliveries as of_next where of_next.org_id = misplaced.org_id and of_next.enrollment_id = misplaced.enrollment_id
              and of_next.step_id = misplaced.next_step_id and coalesce(of_next.status, '') in ('queued', 'held') offset 0
          )
      )
      select (select max(id::text) from waiting) as last,
        (select array_agg(distinct sender) from misplaced where gate = 'sends_per_minute' and sender is not null) as senders
    `.execute(db);
    for (const sender of rows[0]?.senders ?? []) senders.add(sender);
    after = rows[0]?.last ?? undefined;
  }
  return senders;
}

/**
 * Ends those of the deliveries that wait although their enrollment has ended. The transaction that ends an enrollment
 * does not see a delivery that another one lets wait at that moment, so both call this after their change. Waits for the
 * other one, as enrollments are locked.
 */
export async function cancelDeliveriesOfEnded(
  trx: Trx,
  orgId: string,
  of: { deliveryIds: string[] } | { enrollmentIds: string[] },
): Promise<void> {
  const [column, ids] = 'deliveryIds' in of ? ['id', of.deliveryIds] : ['enrollment_id', of.enrollmentIds];
  if (ids.length === 0) return;
  await sql`
    with concerned as (
      select org_id, id, enrollment_id from deliveries where org_id = ${orgId} and ${sql.ref(column)} = any(${ids}::uuid[])
    ),
    enrollment as materialized (
      select org_id, id, status, exit_reason from enrollments
      where org_id = ${orgId} and id in (select enrollment_id from concerned) for share
    ),
    stranded as (
      select concerned.org_id, concerned.id, ${WHY_OBSOLETE} as why_obsolete,
        starts_with(enrollment.exit_reason, 'exit_on_reply:') as is_by_reply
      from concerned left join enrollment on enrollment.org_id = concerned.org_id and enrollment.id = concerned.enrollment_id
      where coalesce(enrollment.status, '') <> 'active'
    )
    update deliveries as delivery set status = ${ENDED_STATUS}, reason = ${endedReason(sql`stranded.why_obsolete`)}, updated_at = now(),
      gate = case when stranded.is_by_reply then 'exit_on_reply' else delivery.gate end
    from stranded
    where delivery.org_id = stranded.org_id and delivery.id = stranded.id and delivery.status in ('queued', 'held')
  `.execute(trx);
}

/** Ends the waiting deliveries of a canceled sequence. Resolves to the senders of any slots they had. */
export async function cancelWaitingDeliveries(db: Db, orgId: string, sequenceId: string): Promise<Set<string>> {
  const senders = new Set<string>();
  await inChunks(async () => {
    const { rows } = await sql<{ sender: string | null; gate: string | null }>`
      update deliveries as delivery set status = ${ENDED_STATUS}, updated_at = now(),
        reason = ${endedReason(sql`'the sequence was canceled'`)}
      where org_id = ${orgId} and id in (
        select id from deliveries where org_id = ${orgId} and sequence_id = ${sequenceId} and status in ('queued', 'held') limit ${MAX_ROWS_PER_STATEMENT}
      )
      returning gate, sender
    `.execute(db);
    for (const { gate, sender } of rows) if (gate === 'sends_per_minute' && sender !== null) senders.add(sender);
    return rows.length;
  });
  return senders;
}

/**
 * Re-evaluates deferred sends at once. A send waiting for its sender keeps its slot, without which it would wait behind
 * all others. If slots are `stale`, it reserves another.
 */
export async function releaseDeferrals(
  db: Db,
  orgId: string,
  sequenceId: string,
  turns: 'kept' | 'stale',
): Promise<void> {
  let after: string | undefined = NIL_UUID;
  while (after !== undefined) {
    const { rows }: { rows: { last: string | null }[] } = await sql<{ last: string | null }>`
      ${sql.raw(PLANNED_EACH_TIME)}
      with waiting as (
        select org_id, id, enrollment_id, gate from deliveries
        where org_id = ${orgId} and sequence_id = ${sequenceId} and status in ('queued', 'held') and id > ${after}::uuid
        order by id limit ${MAX_ROWS_PER_STATEMENT}
      ),
      held as (
        select * from waiting where gate is not null and (gate <> 'sends_per_minute' or ${turns === 'stale'}::boolean)
      ),
      dropped as (
        update deliveries as delivery set not_before = null, updated_at = now() from held
        where delivery.org_id = held.org_id and delivery.id = held.id and coalesce(delivery.status, '') = 'held' and held.gate = 'sends_per_minute'
      ),
      released as (
        update enrollments as enrollment set held_until = now() from held
        where enrollment.org_id = held.org_id and enrollment.id = held.enrollment_id and coalesce(enrollment.status, '') = 'active'
          and coalesce(enrollment.held_until, now()) > now()
      )
      select max(id::text) as last from waiting
    `.execute(db);
    after = rows[0]?.last ?? undefined;
  }
}

/** Records that sequences have to be reconciled: steps or gates changed, a run was canceled, or contacts were deleted. */
export async function markChanged(db: Db, orgId: string, sequenceIds: string[]): Promise<void> {
  await sql`
    update sequences set changes_to_apply = changes_to_apply + 1 where org_id = ${orgId} and id = any(${sequenceIds}::uuid[])
  `.execute(db);
}

/** Records that a sequence was reconciled. Changes made since it was read stay recorded. */
export async function markReconciled(
  db: Db,
  orgId: string,
  { id, changes_to_apply }: { id: string; changes_to_apply: number },
): Promise<void> {
  await sql`
    update sequences set changes_to_apply = 0, has_stale_turns = false
    where org_id = ${orgId} and id = ${id} and changes_to_apply = ${changes_to_apply}
  `.execute(db);
}

/** Records a change for all sequences of the org with deferred sends. Returns the active ones. */
export async function markChangedWhereDeferred(db: Db, orgId: string): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string; status: string }>`
    update sequences as sequence set changes_to_apply = changes_to_apply + 1
    where org_id = ${orgId} and status in ('active', 'paused') and exists (
      select from deliveries as delivery
      where delivery.org_id = ${orgId} and delivery.sequence_id = sequence.id and delivery.status in ('queued', 'held')
    )
    returning id, name, status
  `.execute(db);
  return rows.filter(({ status }) => status === 'active');
}

/** Ends the waiting deliveries of deleted contacts. */
export const cancelOrphanedDeliveries = (db: Db, orgId: string): Promise<void> =>
  inChunks(async () => {
    const { rows } = await sql`
      update deliveries as delivery set status = ${ENDED_STATUS}, updated_at = now(),
        reason = ${endedReason(sql`'the contact was deleted'`)}
      where org_id = ${orgId} and id in (
        select id from deliveries
        where org_id = ${orgId} and status in ('queued', 'held') and sequence_id is not null and enrollment_id is null
        limit ${MAX_ROWS_PER_STATEMENT}
      )
      returning id
    `.execute(db);
    return rows.length;
  });
