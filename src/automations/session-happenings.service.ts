import { contentsOf, type ShownSession } from '../conversations/showing.service.ts';
import type { Db } from '../db/connect.ts';
import { policiesOf } from '../desk/showing.service.ts';
import type { ClaimedEvent } from '../outbox/claim.ts';
import type { Json, TriggerType } from './blocks.schema.ts';

type Output = { [key: string]: Json };

/** What triggers say beside the session and its contact, for each event in order. */
export async function moreOfSession(
  trx: Db,
  orgId: string,
  type: TriggerType,
  events: Pick<ClaimedEvent, 'subject_id' | 'payload'>[],
  sessions: Map<string, ShownSession>,
): Promise<Output[]> {
  const payloads = events.map(({ payload }) => payload as Output);
  switch (type) {
    case 'ticket-reassigned':
      return payloads.map(({ before, assignee_id, team_id }) => ({
        from: before ?? null,
        to: { assignee_id: assignee_id ?? null, team_id: team_id ?? null },
      }));
    case 'ticket-resolved':
      return events.map(({ subject_id }) => ({
        session_closed_payload: (sessions.get(subject_id)?.closedPayload ?? null) as Json,
      }));
    case 'pre-ticket-handoff':
    case 'ticket-handoff':
      return events.map(({ subject_id }) => ({ handoff: (sessions.get(subject_id)?.shown.handoff ?? null) as Json }));
    case 'ticket-tag-added':
      return payloads.map(({ tag_name }) => ({ tag: tag_name ?? null }));
    case 'ticket-inactive':
      return payloads.map(({ inactive_minutes }) => ({ inactive_minutes: inactive_minutes ?? null }));
    case 'csat-score-submit':
      return scoresOf(trx, orgId, payloads);
    case 'sla-first-reply-breached':
    case 'sla-next-reply-breached':
    case 'sla-resolution-breached':
      return breachesOf(trx, orgId, payloads);
    default:
      return payloads.map(() => ({}));
  }
}

/** A comment that was redacted meanwhile is null. */
async function scoresOf(trx: Db, orgId: string, payloads: Output[]): Promise<Output[]> {
  const ids = payloads.map(({ score_id }) => score_id as string);
  const comments = await contentsOf(trx, orgId, ids);
  return payloads.map(({ score }, n) => ({ score: score ?? null, comment: comments.get(ids[n] as string) ?? null }));
}

/** Of a policy that is gone, its id is left. */
async function breachesOf(trx: Db, orgId: string, payloads: Output[]): Promise<Output[]> {
  const ids = payloads.map(({ policy_id }) => policy_id as string);
  const policies = await policiesOf(trx, orgId, ids);
  return payloads.map(({ due_at }, n) => {
    const id = ids[n] as string;
    return { policy: (policies.get(id) ?? { id }) as Json, due_at: due_at ?? null };
  });
}
