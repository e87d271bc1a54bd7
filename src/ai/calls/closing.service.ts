import { listAiStates } from '../../conversations/ai/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { expireOpenCalls, redactCalls, settleInterrupted } from './queries.ts';

const SETTLED_PER_BATCH = 500;

/** Ends the unsent calls of sessions taken over or closed by people. */
export async function closeOpenCalls(trx: Trx, orgId: string, events: { subject_id: string }[]): Promise<void> {
  const ids = [...new Set(events.map(({ subject_id }) => subject_id))];
  const states = await listAiStates(trx, orgId, ids);
  const taken = states.filter(({ ai_state, assist_mode }) => ai_state === 'paused' && !assist_mode);
  const takenIds = taken.map(({ id }) => id);
  if (takenIds.length > 0) await expireOpenCalls(trx, orgId, takenIds, 'people_have_it');
}

/** Ends the unsent calls of resolved sessions. */
export async function closeCallsOfResolved(trx: Trx, orgId: string, events: { subject_id: string }[]): Promise<void> {
  const ids = [...new Set(events.map(({ subject_id }) => subject_id))];
  await expireOpenCalls(trx, orgId, ids, 'resolved');
}

/** Settles some interrupted calls of phone calls if nobody has asked for them again. Returns their number. */
export const settleInterruptedCalls = (db: Db): Promise<number> =>
  settleInterrupted(db, {
    reason: 'The call was interrupted before its answer was seen',
    limit: SETTLED_PER_BATCH,
  });

/** Reaction to `session-redacted`: removes the arguments and answers of the session's calls. */
export const redactSessionCalls: Reaction<'session-redacted'> = async (trx, orgId, events) => {
  for (const { subject_id, payload } of events) await redactCalls(trx, orgId, subject_id, payload.message_id);
};
