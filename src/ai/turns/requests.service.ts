import { getAutopilot } from '../../autopilot/service.ts';
import { listAiStates } from '../../conversations/ai/service.ts';
import { redactionsOf } from '../../conversations/redaction/service.ts';
import type { Trx } from '../../db/connect.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { WAKE } from '../../temporal/contract.ts';
import { ANSWER_SESSION } from './contract.ts';
import { deleteDecisions, listSessionsWithOpenTurn, outdateTurns } from './queries.ts';

/** Asks for a turn in each of the sessions. One under way looks at the session again. */
export const wakeTurns = (trx: Trx, orgId: string, sessionIds: string[]): Promise<void> =>
  enqueue(
    trx,
    orgId,
    ...sessionIds.map((sessionId) =>
      signalWithStart(ANSWER_SESSION, { orgId, sessionId }, WAKE, {
        subjectId: sessionId,
        summary: 'Answer the messages of the session’s contact',
      }),
    ),
  );

/**
 * Asks for a turn after messages of contacts on a channel with autopilot, unless people have taken over. In Assist Mode
 * the AI writes drafts for them all the same.
 */
export const requestTurns: Reaction<'message-created'> = async (trx, orgId, events) => {
  const said = events.filter(({ payload }) => payload.sender === 'contact');
  if (said.length === 0) return;
  const autopilot = await getAutopilot(trx, orgId);
  if (autopilot.isOffEverywhere) return;
  const sessions = await listAiStates(trx, orgId, [...new Set(said.map(({ subject_id }) => subject_id))]);
  const asked = sessions.filter(
    ({ channel, ai_state, assist_mode }) =>
      autopilot.versionOn(channel) !== undefined && (ai_state !== 'paused' || assist_mode),
  );
  await wakeTurns(
    trx,
    orgId,
    asked.map(({ id }) => id),
  );
};

/** Wakes the turns under way in sessions taken over or closed by people, to end them at once. */
export async function interruptTurns(trx: Trx, orgId: string, events: { subject_id: string }[]): Promise<void> {
  const ids = [...new Set(events.map(({ subject_id }) => subject_id))];
  await wakeTurns(trx, orgId, await listSessionsWithOpenTurn(trx, orgId, ids));
}

/**
 * A reaction to `session-redacted`: removes models' decisions on the texts of the sessions, and wakes the turns under
 * way, to begin again with the remaining texts. This includes turns begun after the redaction: they may have read
 * earlier decisions of models.
 */
export const redactTurns: Reaction<'session-redacted'> = async (trx, orgId, events) => {
  const sessionIds = [...new Set(events.map(({ subject_id }) => subject_id))];
  await deleteDecisions(trx, orgId, sessionIds);
  await outdateTurns(trx, orgId, sessionIds, redactionsOf);
  await interruptTurns(trx, orgId, events);
};
