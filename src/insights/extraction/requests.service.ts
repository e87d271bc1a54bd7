import { listLastSequences } from '../../conversations/history/service.ts';
import type { Trx } from '../../db/connect.ts';
import { enqueue, start } from '../../outbox/outbox.ts';
import { EXTRACT_INSIGHTS } from './contract.ts';

const SUMMARY = 'Find out what the customer ran into';

/** Reaction to resolutions and handoffs: requests what the sessions' customers said. */
export async function requestExtraction(
  trx: Trx,
  orgId: string,
  events: readonly { subject_id: string }[],
): Promise<void> {
  const ids = [...new Set(events.map(({ subject_id }) => subject_id))];
  const sessions = await listLastSequences(trx, orgId, ids);
  const commands = sessions.map(({ id, last_seq }) => {
    const input = { orgId, sessionId: id, number: last_seq };
    return start(EXTRACT_INSIGHTS, input, { subjectId: id, summary: SUMMARY });
  });
  await enqueue(trx, orgId, ...commands);
}
