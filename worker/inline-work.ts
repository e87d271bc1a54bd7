import { type AiTurnActivityDeps, turnDepsOf } from '../activities/ai/ai-turns.ts';
import { answerWithoutWorkflow } from '../src/ai/turns/answering-inline.service.ts';
import { ANSWER_SESSION } from '../src/ai/turns/contract.ts';
import { hasFastPaths } from '../src/db/fast-paths.ts';
import { type InlineWork, inlineWorkOf } from '../src/outbox/inline-work.ts';
import { runAsWriter } from '../src/processes/current-work.ts';

/** Returns the work that the relay does without its workflow where that is possible: none if fast paths are off. */
export function createInlineWork(given: AiTurnActivityDeps): InlineWork {
  if (!hasFastPaths(given.db)) return new Map();
  const deps = turnDepsOf(given);
  return new Map([
    inlineWorkOf(ANSWER_SESSION, (ref, signal) =>
      runAsWriter(ref.orgId, () => answerWithoutWorkflow(deps, ref, signal)),
    ),
  ]);
}
