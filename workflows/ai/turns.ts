import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { AiTurnActivities } from '../../activities/ai/ai-turns.ts';
import type { NextTurn, SessionRef, StepName, TurnEnd, TurnRef } from '../../src/ai/turns/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { ANSWER_TURN, DATABASE_MOMENT } from '../activity-options.ts';
import { countSignals } from '../signals.ts';
import { setWaitsFor } from '../waits-for.ts';

/** The rest of the wait is in the activity, by the database's clock: timers can be a second late. */
const ACTIVITY_WAIT_MS = 1_000;
const LONGEST_ACTIVITY_WAIT_MS = 2_000;

const { reviewTurns } = proxyLocalActivities<AiTurnActivities>({
  ...DATABASE_MOMENT,
  summary: 'look for unanswered messages',
});
const { answerDueTurn } = proxyLocalActivities<AiTurnActivities>({
  ...DATABASE_MOMENT,
  summary: 'look for unanswered messages, and answer if due',
});
const { assumeResolved } = proxyLocalActivities<AiTurnActivities>({
  ...DATABASE_MOMENT,
  summary: 'resolve the session if the contact stays quiet',
});

/**
 * Answers the messages of a session's contact, one turn at a time. All facts are in the database: a signal means that
 * they have changed. Ends when nothing is left to answer; the next message starts it again.
 */
export async function answerSession(input: SessionRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (;;) {
    const seen = signals();
    const answered = await answerDueTurn(input);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof answerSession>(input);
    if (answered.turn !== null) {
      const end = await finishTurn(input, answered.turn, { signals, seen, soFar: answered.end });
      // Whatever comes after a turn wakes this workflow: without a signal there is nothing more to look for.
      if (end === undefined || end === 'superseded') continue;
    }
    if (signals() > seen) continue;
    if (!answered.mayAssume) return;
    const { waitMs } = await assumeResolved(input);
    if (signals() > seen) continue;
    if (waitMs === null) return;
    setWaitsFor('person');
    setCurrentDetails('answered; the session will be resolved if the contact stays quiet');
    await condition(() => signals() > seen, Math.max(waitMs, 1), { summary: 'waiting for the contact to write again' });
  }
}

/** What operators read while a step is under way. */
const STEPS: Record<StepName['purpose'], string> = {
  gates: 'recognizing requests and thanks',
  search: 'searching the knowledge',
  plan: 'asking the model what to do',
  call: 'calling an action',
  answer: 'asking the model for an answer',
};

/** Does what needs no third party. `isDue`: nothing has to be waited for. */
function answer(ref: TurnRef, number: number, isDue: boolean): Promise<TurnEnd | StepName> {
  const summary = `turn ${number}: decide the answer`;
  const { answerTurn } = proxyActivities<AiTurnActivities>({ ...ANSWER_TURN, summary });
  const { answerAtOnce } = proxyLocalActivities<AiTurnActivities>({ ...DATABASE_MOMENT, summary });
  return isDue ? answerAtOnce(ref) : answerTurn(ref);
}

/** Takes each step with a third party in an activity of its own. */
async function takeSteps(ref: TurnRef, number: number, first: TurnEnd | StepName): Promise<TurnEnd> {
  let next = first;
  while (typeof next === 'object') {
    const doing = STEPS[next.purpose];
    setCurrentDetails(`turn ${number}: ${doing}`);
    const { takeStep } = proxyActivities<AiTurnActivities>({ ...ANSWER_TURN, summary: `turn ${number}: ${doing}` });
    next = await takeStep(ref);
  }
  return next;
}

interface Watching {
  /** How the turn ended, or its next step, if it was begun already. */
  soFar: TurnEnd | StepName | undefined;
  signals: () => number;
  /** The signals that the turn was found after. */
  seen: number;
}

/** Does what is left of a turn. Returns how it ended, or undefined if it has not. */
async function finishTurn(session: SessionRef, turn: NextTurn, watching: Watching): Promise<TurnEnd | undefined> {
  const { soFar } = watching;
  const end = typeof soFar === 'string' ? soFar : await doTurn({ ...session, turnId: turn.turnId }, turn, watching);
  if (end !== undefined) setCurrentDetails(`turn ${turn.number}: ${end.replaceAll('_', ' ')}`);
  return end;
}

/** Waits until the contact has finished writing, and answers. Returns how the turn ended, or undefined if it has not. */
async function doTurn(ref: TurnRef, { number, dueInMs }: NextTurn, watching: Watching): Promise<TurnEnd | undefined> {
  const { signals, seen, soFar } = watching;
  const waitMs = dueInMs - ACTIVITY_WAIT_MS;
  setCurrentDetails(`turn ${number}: waiting until the contact has finished writing`);
  if (
    dueInMs > LONGEST_ACTIVITY_WAIT_MS &&
    (await condition(() => signals() > seen, waitMs, { summary: 'waiting until the contact has finished writing' }))
  ) {
    return undefined;
  }
  setCurrentDetails(`turn ${number}: looking for an answer`);
  return unlessGivenUp(
    async () => takeSteps(ref, number, soFar ?? (await answer(ref, number, dueInMs <= 0))),
    () => untilGivenUp(ref, watching),
  );
}

/**
 * Waits until a change makes the work on a turn useless: people have the session, or a newer message is to be answered
 * instead. A turn that has done something, or was given up often enough, goes on whatever the contact writes.
 */
async function untilGivenUp(ref: TurnRef, { signals, seen }: Watching): Promise<void> {
  for (let known = seen; ; ) {
    await condition(() => signals() > known);
    known = signals();
    const turn = await reviewTurns({ orgId: ref.orgId, sessionId: ref.sessionId });
    if (turn?.turnId !== ref.turnId || turn.dueInMs > 0) return;
  }
}

/** Does `work` unless `givenUp` resolves before: then cancels it, and returns undefined. */
async function unlessGivenUp<Result>(
  work: () => Promise<Result>,
  givenUp: () => Promise<void>,
): Promise<Result | undefined> {
  const working = new CancellationScope();
  const watching = new CancellationScope();
  const done = working.run(work);
  const watched = watching.run(givenUp).then(() => working.cancel());
  try {
    return await Promise.race([done, watched.then(() => done)]);
  } catch (error) {
    if (!(working.consideredCancelled && isCancellation(error))) throw error;
    return undefined;
  } finally {
    watching.cancel();
  }
}
