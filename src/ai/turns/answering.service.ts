import { setTimeout as sleep } from 'node:timers/promises';
import { redactionsOf } from '../../conversations/redaction/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { isDatabaseUnavailable } from '../../db/failures.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError, ProviderError } from '../../errors.ts';
import { commitTurn, failTurn } from './commit.service.ts';
import { loadContext, type TurnContext } from './context.service.ts';
import type { StepName, TurnEnd, TurnRef } from './contract.ts';
import { decideTurn } from './decision/decision.service.ts';
import { TurnOutdated } from './decision/effects-guard.service.ts';
import { liveEffects } from './decision/live-effects.service.ts';
import type { DecisionLimits } from './decision/stage.ts';
import type { TurnDeps } from './deps.ts';
import { showState } from './ending.service.ts';
import { countFailure, findTurn, startTurn } from './queries.ts';
import { endRedacted } from './redaction/ending.service.ts';
import { TurnRedacted } from './redaction/guard.service.ts';
import { reviewTurns } from './review/service.ts';
import { StepNeeded } from './steps.service.ts';

/** The failures of a turn. After them, people get the session. */
const MAX_FAILURES = 6;
/** The begins of a turn beyond its steps. More of them may each have ended a process. */
const MAX_BEGINS = 10;

/** A running turn, with the context of its decision. */
export interface BegunTurn {
  context: TurnContext;
  /** The number of its beginnings beyond its steps. */
  begins: number;
}

/**
 * Continues a turn when it is due, and returns how it ended, or the next step with a third party if `limits` allow
 * no more of them. `superseded` also means a turn ended by another call. Idempotent: decisions of steps are stored, and
 * the answer and the end of the turn in one transaction. After repeated failures, a turn hands the session off, as its
 * contact must not wait for ever. An absent database is no failure.
 */
export async function answerTurn(deps: TurnDeps, ref: TurnRef, limits: DecisionLimits): Promise<TurnEnd | StepName> {
  const turn = await beginWhenDue(deps.db, ref, limits.signal);
  return turn === undefined ? 'superseded' : answerBegun(deps, ref, turn, limits);
}

/** Continues a running turn, as `answerTurn` does. */
export async function answerBegun(
  deps: TurnDeps,
  ref: TurnRef,
  turn: BegunTurn,
  limits: DecisionLimits,
): Promise<TurnEnd | StepName> {
  if (turn.begins > MAX_BEGINS) return failTurn(deps, ref);
  try {
    return await decideAndCommit(deps, ref, turn, limits);
  } catch (error) {
    if (error instanceof StepNeeded) return error.step;
    if (error instanceof TurnOutdated) {
      await reviewTurns(deps.db, ref);
      return 'superseded';
    }
    if (limits.signal.aborted || isDatabaseUnavailable(error)) throw retryable(error);
    if ((await countFailure(deps.db, ref)) < MAX_FAILURES) throw retryable(error);
    return failTurn(deps, ref);
  }
}

/** Decides a turn and stores the decision, unless a text it may have read is removed before. */
async function decideAndCommit(
  deps: TurnDeps,
  ref: TurnRef,
  { context }: BegunTurn,
  limits: DecisionLimits,
): Promise<TurnEnd> {
  const { open } = context;
  if (open?.id === ref.turnId && open.is_redacted) return endRedacted(deps, ref, limits);
  try {
    const effects = liveEffects(deps, ref, context);
    const decision = await decideTurn({ deps, ref, context: { ...context, effects }, limits });
    limits.signal.throwIfAborted();
    return await commitTurn(deps, ref, decision);
  } catch (error) {
    if (!(error instanceof TurnRedacted)) throw error;
    return endRedacted(deps, ref, limits);
  }
}

/**
 * Returns an error that lets the turn be tried again. Refusals follow from a change meanwhile, such as a call decided
 * elsewhere by its customer: they must not end the workflow, as the turn would run for ever.
 */
const retryable = (error: unknown): unknown =>
  error instanceof DomainError || error instanceof ProviderError ? new Error(error.message, { cause: error }) : error;

/** Waits until the turn is due, and marks it as running. Returns undefined if it has ended, or is due later now. */
async function beginWhenDue(db: Db, ref: TurnRef, signal: AbortSignal): Promise<BegunTurn | undefined> {
  const turn = await findTurn(db, ref.orgId, ref.turnId);
  if (turn === undefined || turn.ended_at !== null) return undefined;
  if (turn.due_in_ms > 0) await sleep(turn.due_in_ms, undefined, { signal });
  return inTransaction(db, async (trx) => {
    const context = await loadContext(trx, ref);
    const lastSeq = context.unanswered.at(-1)?.seq ?? 0;
    if (turn.state === 'waiting' && lastSeq > turn.last_seq) return undefined; // the contact goes on writing
    return beginTurn(trx, ref, context, turn.last_seq);
  });
}

/** Marks a turn as running, for messages up to `lastSeq`. Returns undefined if it has ended. */
export async function beginTurn(
  trx: Trx,
  ref: TurnRef,
  context: TurnContext,
  lastSeq: number,
): Promise<BegunTurn | undefined> {
  const begins = await startTurn(trx, ref, {
    version: context.settings.version,
    redactions: redactionsOf(ref.orgId, ref.sessionId),
  });
  if (begins === undefined) return undefined;
  if (begins === 1) await showState(trx, ref, 'running');
  const unanswered = context.unanswered.filter(({ seq }) => seq <= lastSeq);
  return { context: { ...context, unanswered }, begins };
}
