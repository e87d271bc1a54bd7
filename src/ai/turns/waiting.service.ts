import { getAutopilot } from '../../autopilot/service.ts';
import { createWakeUps } from '../../concurrency/wake-ups.ts';
import { findAiMessage, listAiStates } from '../../conversations/ai/service.ts';
import type { AnswersPort, AutopilotAnswer } from '../../conversations/answers.port.ts';
import type { Db } from '../../db/connect.ts';
import { type CallRow, listCallsById } from '../calls/service.ts';
import { findTurnOf } from './queries.ts';

/** More requests do not wait: each holds memory and a connection of its client. */
const MAX_WAITING = 500;
/** Notifications can be lost. */
const SWEEP_MS = 1_000;

interface Log {
  warn(fields: object, message: string): void;
}

export interface CallWaiters {
  /** Waits until a call of a session has ended, for `waitMs` at most. Returns undefined if it has not, or if the wait cannot continue. */
  waitForCall(
    db: Db,
    call: { orgId: string; sessionId: string; callId: string },
    waitMs: number,
  ): Promise<CallRow | undefined>;
}

export interface TurnWaiters extends AnswersPort, CallWaiters {
  /** Looks again at the turns of the sessions named in the hints, or of all if there are none. */
  wake(hints: string): void;
}

/**
 * Creates the waiters of a process for ends of turns. Once the process is closing, a wait ends as if its time were
 * over: the message is stored, and a cut connection would make its client send it again. For the same reason a failing
 * wait ends without an answer.
 */
export function createTurnWaiters(closing: AbortSignal, log: Log): TurnWaiters {
  const { sleep, wake } = createWakeUps(closing);
  let count = 0;

  /** Looks after each possible change in a session, until it finds its result or the time is over. */
  const waitFor = async <Found>(
    sessionId: string,
    waitMs: number,
    look: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> => {
    if (count >= MAX_WAITING) return undefined;
    count++;
    try {
      const giveUpAt = Date.now() + waitMs;
      for (;;) {
        const left = giveUpAt - Date.now();
        if (left <= 0 || closing.aborted) return undefined;
        const woken = sleep(sessionId, Math.min(left, SWEEP_MS)); // before the look: none is missed
        const found = await look();
        if (found !== undefined) return found;
        await woken;
      }
    } finally {
      count--;
    }
  };

  const wait: AnswersPort['waitForAnswer'] = async (db, message, waitMs) =>
    (await refusalOf(db, message)) ?? (await waitFor(message.sessionId, waitMs, () => findAnswer(db, message))) ?? {};

  return {
    wake,
    waitForAnswer: (db, message, waitMs) =>
      wait(db, message, waitMs).catch((error: unknown) => {
        log.warn({ err: error, session: message.sessionId }, 'the wait for an answer failed; the message is stored');
        return {};
      }),
    waitForCall: (db, { orgId, sessionId, callId }, waitMs) =>
      waitFor(sessionId, waitMs, async () => {
        const [call] = await listCallsById(db, orgId, [callId]);
        return call === undefined || call.ended_at === null ? undefined : call;
      }),
  };
}

/** Returns an answer at once if the AI does not answer: nothing if it is off, or the reason of its silence. */
async function refusalOf(
  db: Db,
  { orgId, sessionId }: { orgId: string; sessionId: string },
): Promise<AutopilotAnswer | undefined> {
  const autopilot = await getAutopilot(db, orgId);
  if (autopilot.isOffEverywhere) return {};
  const [session] = await listAiStates(db, orgId, [sessionId]);
  if (session === undefined || autopilot.versionOn(session.channel) === undefined) return {};
  return session.ai_state === 'paused' || session.assist_mode ? { code: 'session_assigned_to_human_agent' } : undefined;
}

/** Returns the result of a message's turn, or undefined while it is open. */
async function findAnswer(
  db: Db,
  { orgId, sessionId, messageId }: { orgId: string; sessionId: string; messageId: string },
): Promise<AutopilotAnswer | undefined> {
  const turn = await findTurnOf(db, orgId, sessionId, messageId);
  if (turn === undefined || turn.ended_at === null) return undefined;
  const isHandedOff = turn.state === 'handed_off';
  const said = await findAiMessage(db, orgId, turn.message_id);
  if (said !== undefined)
    return {
      isHandedOff,
      autopilotResponse: {
        type: 'text',
        value: { error: false, content: said.text },
        id: turn.message_id,
        mightSolveUserIssue: turn.state === 'answered',
        completelyAndFullyCoveredUserIssue: turn.state === 'answered' && turn.reason === null,
        citations: said.citations,
      },
    };
  if (isHandedOff || turn.reason === 'people_have_it') return { isHandedOff, code: 'session_assigned_to_human_agent' };
  return { code: turn.state === 'skipped' ? 'skipping_unuseful_response' : 'response_cancelled' };
}
