import { type AiTurnActivityDeps, turnDepsOf } from '../activities/ai-turns.ts';
import { answerWithoutWorkflow } from '../src/ai/turns/answering-at-once.service.ts';
import { ANSWER_SESSION } from '../src/ai/turns/contract.ts';
import { runAsWriter } from '../src/db/current-work.ts';
import { type WorkAtOnce, workOf } from '../src/outbox/at-once.ts';

/** Returns the work that the relay does without its workflow where that is possible. */
export function createWorkAtOnce(given: AiTurnActivityDeps): WorkAtOnce {
  const deps = turnDepsOf(given);
  return new Map([
    workOf(ANSWER_SESSION, (ref, signal) => runAsWriter(ref.orgId, () => answerWithoutWorkflow(deps, ref, signal))),
  ]);
}
