import type { Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findEmbeddingModel } from '../../knowledge/embedding/service.ts';
import type { SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import { answerBegun, answerTurn, type BegunTurn, beginTurn } from './answering.service.ts';
import { loadContext, type TurnContext } from './context.service.ts';
import type { FoundTurn, SessionRef, StepName, TurnEnd, TurnRef } from './contract.ts';
import type { DecisionLimits } from './decision/decision.service.ts';
import type { TurnDeps } from './deps.ts';
import { type ReviewedTurn, reviewLocked } from './review.service.ts';
import { StepNeeded } from './steps.service.ts';

/**
 * Goes on with a turn that is due as far as it needs no third party at all, and returns how it ended, or its next step.
 * Repeated, it does nothing that was done.
 */
export const answerAtOnce = (deps: TurnDeps, ref: TurnRef, signal: AbortSignal): Promise<TurnEnd | StepName> =>
  answerTurn(withoutThirdParties(deps), ref, limitsOf(signal));

/**
 * Returns the turn to do next, as `reviewTurns` does. One that is due is done at once, as far as it needs no third party:
 * then it says how the turn ended, or its next step. Repeated, it does nothing that was done.
 */
export async function answerDueTurn(deps: TurnDeps, ref: SessionRef, signal: AbortSignal): Promise<FoundTurn> {
  const { turn, begun, mayAssume } = await inTransaction(deps.db, async (trx) => {
    const context = await loadContext(trx, ref);
    const reviewed = await reviewLocked(trx, ref, context, { beginsDue: true });
    const isDue = reviewed !== null && reviewed.dueInMs <= 0;
    return {
      turn: reviewed,
      begun: isDue ? await beginReviewed(trx, ref, context, reviewed) : undefined,
      mayAssume: context.settings.assume_resolved_after_minutes !== null,
    };
  });
  if (turn === null) return { turn, mayAssume };
  const { isBegun: _, ...next } = turn;
  if (begun === undefined) return { turn: next, mayAssume };
  const turnRef = { ...ref, turnId: turn.turnId };
  const end = await answerBegun(withoutThirdParties(deps), turnRef, begun, limitsOf(signal));
  return { turn: next, end, mayAssume };
}

/** Marks a reviewed turn as running, if it is not. What it answers is as reviewed, or as of its beginning. */
async function beginReviewed(
  trx: Trx,
  ref: SessionRef,
  context: TurnContext,
  { turnId, isBegun }: ReviewedTurn,
): Promise<BegunTurn | undefined> {
  if (isBegun) return { context, tries: 1 };
  const { open } = context;
  const isRunning = open?.id === turnId && open.state === 'running';
  return beginTurn(trx, { ...ref, turnId }, context, isRunning ? open.last_seq : Infinity);
}

const limitsOf = (signal: AbortSignal): DecisionLimits => ({ steps: 0, callsOut: false, signal });

/** The same with a search by words, which leaves the turn to another step where the org has an embedding model to ask. */
const withoutThirdParties = (deps: TurnDeps): TurnDeps => ({ ...deps, semantics: wordsAtOnce(deps) });

const wordsAtOnce = ({ secrets }: TurnDeps): SemanticSearch => ({
  async similarities(db, orgId) {
    if ((await findEmbeddingModel(db, secrets, orgId)) !== undefined)
      throw new StepNeeded({ step: 2, purpose: 'search' });
    return new Map();
  },
});
