import type { Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import { answerBegun, answerTurn, type BegunTurn, beginTurn } from './answering.service.ts';
import { loadContext, type TurnContext } from './context.service.ts';
import type { FoundTurn, SessionRef, StepName, TurnEnd, TurnRef } from './contract.ts';
import type { DecisionLimits } from './decision/stage.ts';
import type { TurnDeps } from './deps.ts';
import { isDue, type ReviewedTurn, reviewLocked } from './review/service.ts';
import { StepNeeded } from './steps.service.ts';

/** Continues a due turn as far as it needs no third party at all. Returns its end, or its next step. Idempotent. */
export const answerInline = (deps: TurnDeps, ref: TurnRef, signal: AbortSignal): Promise<TurnEnd | StepName> =>
  answerTurn(withoutThirdParties(deps), ref, limitsOf(signal));

/**
 * Returns the turn to do next, as `reviewTurns` does. A due one is done at once, as far as it needs no third party:
 * then the result is its end, or its next step. Idempotent.
 */
export async function answerDueTurn(deps: TurnDeps, ref: SessionRef, signal: AbortSignal): Promise<FoundTurn> {
  const look = await inTransaction(deps.db, async (trx) => reviewAndBegin(trx, ref, await loadContext(trx, ref)));
  return answerReviewed(deps, ref, look, signal);
}

/**
 * Does the next turn of a session without its workflow, if none is under way, and it is due and needs no third party.
 * Returns whether nothing is left for the workflow. Repeated, it leaves a begun turn to the workflow: so a turn that
 * ends the process is tried as often as any other.
 */
export async function answerWithoutWorkflow(deps: TurnDeps, ref: SessionRef, signal: AbortSignal): Promise<boolean> {
  const look = await inTransaction(deps.db, async (trx) => {
    const context = await loadContext(trx, ref);
    signal.throwIfAborted();
    return needsWorkflow(context) ? undefined : reviewAndBegin(trx, ref, context);
  });
  if (look === undefined) return false;
  const { turn, end } = await answerReviewed(deps, ref, look, signal);
  return turn === null || (typeof end === 'string' && end !== 'superseded');
}

/** Returns whether a session's workflow may be under way, or has to be: to ask a model, or to wait. */
const needsWorkflow = (context: TurnContext): boolean =>
  context.open !== null ||
  context.isProviderConnected ||
  context.settings.assume_resolved_after_minutes !== null ||
  !isDue(context);

/** The result of a look at a session. A due turn was begun. */
interface Look {
  turn: ReviewedTurn | null;
  begun: BegunTurn | undefined;
  mayAssume: boolean;
}

async function reviewAndBegin(trx: Trx, ref: SessionRef, context: TurnContext): Promise<Look> {
  const turn = await reviewLocked(trx, ref, context, { beginsDue: true });
  return {
    turn,
    begun: turn !== null && turn.dueInMs <= 0 ? await beginReviewed(trx, ref, context, turn) : undefined,
    mayAssume: context.settings.assume_resolved_after_minutes !== null,
  };
}

async function answerReviewed(
  deps: TurnDeps,
  ref: SessionRef,
  { turn, begun, mayAssume }: Look,
  signal: AbortSignal,
): Promise<FoundTurn> {
  if (turn === null) return { turn, mayAssume };
  const { isBegun: _, ...next } = turn;
  if (begun === undefined) return { turn: next, mayAssume };
  const turnRef = { ...ref, turnId: turn.turnId };
  const end = await answerBegun(withoutThirdParties(deps), turnRef, begun, limitsOf(signal));
  return { turn: next, end, mayAssume };
}

/** Marks a reviewed turn as running, if it is not. Its messages are those of the review, or those of its beginning. */
async function beginReviewed(
  trx: Trx,
  ref: SessionRef,
  context: TurnContext,
  { turnId, isBegun }: ReviewedTurn,
): Promise<BegunTurn | undefined> {
  if (isBegun) return { context, begins: 1 };
  const { open } = context;
  const isRunning = open?.id === turnId && open.state === 'running';
  return beginTurn(trx, { ...ref, turnId }, context, isRunning ? open.last_seq : Infinity);
}

const limitsOf = (signal: AbortSignal): DecisionLimits => ({ steps: 0, callsOut: false, signal });

/** The same with a search that leaves the turn to another step if it needs an embedding model over the network. */
const withoutThirdParties = (deps: TurnDeps): TurnDeps => ({ ...deps, semantics: withoutProvider(deps.semantics) });

const withoutProvider = (semantics: SemanticSearch): SemanticSearch => ({
  ...semantics,
  async similarities(db, orgId, text) {
    if (await semantics.asksProvider(db, orgId)) throw new StepNeeded({ step: 2, purpose: 'search' });
    return semantics.similarities(db, orgId, text);
  },
});
