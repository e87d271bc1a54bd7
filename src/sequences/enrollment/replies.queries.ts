import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import { cancelDeliveriesOfEnded } from '../reconciliation/shared.queries.ts';

/** Ends enrollments older than their contact's reply, together with their waiting deliveries. */
export async function exitRepliedEnrollments(
  trx: Trx,
  orgId: string,
  replies: { contact_id: string; channel: string; at: Date }[],
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    with reply as (
      select distinct on (1) coalesce(merge.contact_id, given.contact_id) as contact_id, given.channel, given.at
      from unnest(${replies.map(({ contact_id }) => contact_id)}::uuid[],
        ${replies.map(({ channel }) => channel)}::text[], ${replies.map(({ at }) => at)}::timestamptz[]) as given (contact_id, channel, at)
      left join contact_merges as merge on merge.org_id = ${orgId} and merge.absorbed_id = given.contact_id
      order by 1, given.at desc
    )
    update enrollments as enrollment set status = 'exited', ended_at = now(), held_until = null,
      exit_reason = 'exit_on_reply: the contact replied by ' || reply.channel
    from reply join sequences as sequence on sequence.org_id = ${orgId} and (sequence.gates->>'exit_on_reply')::boolean
      and sequence.status in ('active', 'paused')
    where enrollment.org_id = ${orgId} and enrollment.contact_id = reply.contact_id and enrollment.sequence_id = sequence.id
      and enrollment.status = 'active' and enrollment.created_at < reply.at
    returning enrollment.id
  `.execute(trx);
  await cancelDeliveriesOfEnded(trx, orgId, { enrollmentIds: rows.map(({ id }) => id) });
}
