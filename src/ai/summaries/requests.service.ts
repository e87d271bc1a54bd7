import type { Trx } from '../../db/connect.ts';
import { readSettings } from '../../orgs/service.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { WAKE } from '../../temporal/contract.ts';
import { isModelInUse } from '../settings/model-availability.service.ts';
import { SUMMARIZE_SESSION, type SummaryRef } from './contract.ts';

/** A reaction to `ticket-resolved`: asks for summaries by the org's model if the resolution made one. */
export const summarizeResolutions: Reaction<'ticket-resolved'> = (trx, orgId, events) =>
  request(
    trx,
    orgId,
    'resolution',
    events.filter(({ payload }) => payload.summarizes === true),
  );

/**
 * A reaction to `ticket-handoff`: asks for summaries by the org's model. The handoff to a ticketing system asks by itself,
 * before it makes the ticket.
 */
export const summarizeHandoffs: Reaction<'ticket-handoff'> = async (trx, orgId, events) => {
  const { handoff_target } = await readSettings(trx, orgId);
  const hasTicketing = handoff_target !== null && handoff_target !== 'none';
  const wanted = events.filter(({ payload }) => payload.isExternal || !hasTicketing);
  await request(trx, orgId, 'handoff', wanted);
};

async function request(
  trx: Trx,
  orgId: string,
  occasion: SummaryRef['occasion'],
  events: { subject_id: string }[],
): Promise<void> {
  if (events.length === 0 || !(await isModelInUse(trx, orgId))) return;
  const sessionIds = [...new Set(events.map(({ subject_id }) => subject_id))];
  await enqueue(
    trx,
    orgId,
    ...sessionIds.map((sessionId) =>
      signalWithStart(SUMMARIZE_SESSION, { orgId, sessionId, occasion }, WAKE, {
        subjectId: sessionId,
        summary: `Summarize the session at its ${occasion}`,
      }),
    ),
  );
}
