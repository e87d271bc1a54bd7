import { listLastSeqs } from '../../conversations/history/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { addDueWork, deleteDueWork } from '../../outbox/due-work.ts';
import { type Command, enqueue, signalWithStart, start } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { EXTRACT_INSIGHTS, type ExtractionInput } from './contract.ts';
import { listExtractions, listWaiting } from './queries.ts';

const SUMMARY = 'Extract insights of a session';
/** More of them go on by themselves, after some hours at most. */
const MAX_WOKEN = 5_000;

/** Returns the command to wake an extraction, or to begin it again. */
export const wakeExtraction = (input: ExtractionInput): Command =>
  signalWithStart(EXTRACT_INSIGHTS, input, WAKE, { subjectId: input.sessionId, summary: SUMMARY });

/** Ends the work requested by requestExtraction. */
export const finishExtraction = (db: Db, { orgId, sessionId, number }: ExtractionInput): Promise<void> =>
  deleteDueWork(db, orgId, 'insight-extraction', { subjectId: sessionId, number });

/**
 * Reaction to resolutions and handoffs: requests the statements of the sessions' customers. They are due until they are
 * in insights. A session without a new event since its last extraction is left out.
 */
export async function requestExtraction(
  trx: Trx,
  orgId: string,
  events: readonly { subject_id: string }[],
): Promise<void> {
  const ids = [...new Set(events.map(({ subject_id }) => subject_id))];
  const extracted = await listExtractions(trx, orgId, ids);
  const isExtracted = (id: string, seq: number) =>
    extracted.some(({ session_id, number }) => session_id === id && number === seq);
  const sessions = (await listLastSeqs(trx, orgId, ids)).filter(({ id, last_seq }) => !isExtracted(id, last_seq));
  const commands = sessions.map(({ id, last_seq }) => {
    const input = { orgId, sessionId: id, number: last_seq };
    return start(EXTRACT_INSIGHTS, input, { subjectId: id, summary: SUMMARY });
  });
  const due = sessions.map(({ id, last_seq }) => ({ subjectId: id, number: last_seq }));
  await addDueWork(trx, orgId, 'insight-extraction', due);
  await enqueue(trx, orgId, ...commands);
}

/** Wakes extractions waiting for the settings of the llm integration, once these are changed or gone. */
export async function wakeExtractions(
  trx: Trx,
  orgId: string,
  events: readonly { payload: { kind: string } }[],
): Promise<void> {
  if (!events.some(({ payload }) => payload.kind === 'llm')) return;
  const waiting = await listWaiting(trx, orgId, MAX_WOKEN);
  const commands = waiting.map(({ session_id, number }) => wakeExtraction({ orgId, sessionId: session_id, number }));
  await enqueue(trx, orgId, ...commands);
}
