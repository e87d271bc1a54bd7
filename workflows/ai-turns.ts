import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { AiTurnActivities } from '../activities/ai-turns.ts';
import type { NextTurn, SessionRef, StepName, TurnEnd, TurnRef } from '../src/ai/turns/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { ANSWER_TURN, DATABASE_BATCH } from './activity-options.ts';
import { countSignals } from './signals.ts';

/** The rest of the wait is in the activity, by the database's clock: timers can be a second late. */
const ACTIVITY_WAIT_MS = 1_000;

const { reviewTurns } = proxyActivities<AiTurnActivities>({
  ...DATABASE_BATCH,
  summary: 'look for messages to answer',
});
const { assumeResolved } = proxyActivities<AiTurnActivities>({
  ...DATABASE_BATCH,
  summary: 'resolve if the contact is quiet',
});

/**
 * Answers the messages of a session's contact, one turn at a time. All facts are in the database: a signal means that
 * they have changed. Ends when nothing is left to answer; the next message starts it again.
 */
export async function answerSession(input: SessionRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (;;) {
    const seen = signals();
    const turn = await reviewTurns(input);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof answerSession>(input);
    if (turn !== null) {
      await doTurn(input, turn, () => signals() > seen);
      continue;
    }
    if (signals() > seen) continue;
    const { waitMs } = await assumeResolved(input);
    if (signals() > seen) continue;
    if (waitMs === null) return;
    setCurrentDetails('answered; the session will be resolved if the contact stays quiet');
    await condition(() => signals() > seen, Math.max(waitMs, 1), { summary: 'waiting for the contact to write again' });
  }
}

/** What operators read while a step is under way. */
const STEPS: Record<StepName['purpose'], string> = {
  gates: 'looking at the message',
  search: 'searching',
  plan: 'asking the model what to do',
  call: 'calling an action',
  answer: 'asking the model for an answer',
};

/** Does a turn: what needs no third party in one activity, and each step that does in one of its own. */
async function takeSteps(ref: TurnRef, number: number): Promise<TurnEnd> {
  const { answerTurn } = proxyActivities<AiTurnActivities>({ ...ANSWER_TURN, summary: `answer, turn ${number}` });
  let next = await answerTurn(ref);
  while (typeof next === 'object') {
    const doing = STEPS[next.purpose];
    setCurrentDetails(`turn ${number}: ${doing}`);
    const summary = `${doing}, turn ${number}`;
    const { takeStep } = proxyActivities<AiTurnActivities>({ ...ANSWER_TURN, summary });
    next = await takeStep(ref);
  }
  return next;
}

/** Waits until the contact has finished writing, and answers. A change meanwhile ends it early: the caller looks again. */
async function doTurn(input: SessionRef, { turnId, number, dueInMs }: NextTurn, isChanged: () => boolean) {
  const waitMs = dueInMs - ACTIVITY_WAIT_MS;
  setCurrentDetails(`turn ${number}: waiting until the contact has finished writing`);
  if (
    waitMs > 0 &&
    (await condition(isChanged, waitMs, { summary: 'waiting until the contact has finished writing' }))
  ) {
    return;
  }
  setCurrentDetails(`turn ${number}: looking for an answer`);
  const scope = new CancellationScope();
  const done = scope.run(() => takeSteps({ ...input, turnId }, number));
  const watched = CancellationScope.cancellable(() => condition(isChanged).then(() => scope.cancel()));
  try {
    const end = await Promise.race([done, watched.then(() => done)]);
    setCurrentDetails(`turn ${number}: ${end.replaceAll('_', ' ')}`);
  } catch (error) {
    if (!(scope.consideredCancelled && isCancellation(error))) throw error; // else the caller looks at what has changed
  }
}
