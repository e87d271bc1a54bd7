import { listLastSequences } from '../../conversations/history/service.ts';
import type { Trx } from '../../db/connect.ts';
import { enqueue, signalWithStart, start } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { EXTRACT_INSIGHTS } from './contract.ts';
import { listWaiting } from './queries.ts';

const SUMMARY = 'Find out what the customer ran into';
/** More of them go on by themselves, after some hours at most. */
const MAX_WOKEN = 5_000;

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

/** Wakes extractions that wait for the settings of the llm integration, once these are changed or gone. */
export async function wakeExtractions(
  trx: Trx,
  orgId: string,
  events: readonly { payload: { kind: string } }[],
): Promise<void> {
  if (!events.some(({ payload }) => payload.kind === 'llm')) return;
  const waiting = await listWaiting(trx, orgId, MAX_WOKEN);
  const commands = waiting.map(({ session_id, number }) => {
    const input = { orgId, sessionId: session_id, number };
    return signalWithStart(EXTRACT_INSIGHTS, input, WAKE, { subjectId: session_id, summary: SUMMARY });
  });
  await enqueue(trx, orgId, ...commands);
}
