import { DomainError, messageOf, ProviderError } from '../../errors.ts';
import type { Action } from '../actions/action.ts';
import { isLongAction } from '../blocks/long-actions.rules.ts';
import type { NextAction, NextStep, RunInput, RunRef } from './contract.ts';
import { createCallLimit } from './pacing/call-limit.ts';
import { attemptStep, continueRun, failStep, loadStep, type StepDeps } from './steps.service.ts';

/** No step begins later: others wait for the task of the workflow. */
const MAX_MS = 2_000;
/** A call may hang for a minute: then other tasks of workflows, and other orgs, still have their share. */
const MAX_CONCURRENT_CALLS = 6;
const CALLS_PER_ORG = 3;
/** The first delay of the policy of retries. */
export const FIRST_RETRY_MS = 1_000;

const calls = createCallLimit({ atOnce: MAX_CONCURRENT_CALLS, perOrg: CALLS_PER_ORG });

/**
 * Runs the first steps of a run, one after the other, until a wait, an action that takes long or the end. `isStopped` ends
 * them between two steps. Returns the next step. A failed action is the next step with its other attempts, after a delay.
 */
export async function doFirstSteps(
  deps: StepDeps,
  { next, ...run }: RunInput,
  isStopped: () => boolean,
): Promise<NextStep> {
  const until = performance.now() + MAX_MS;
  let at = next;
  while (performance.now() < until && !isStopped()) {
    const after = await stepOn(deps, run, at);
    if (after === undefined) return at;
    at = after;
  }
  return at;
}

/** Does the next step. Returns undefined if this has to be done elsewhere. */
async function stepOn(deps: StepDeps, run: RunRef, at: NextStep): Promise<NextStep | undefined> {
  if (at.kind === 'continue') return continueRun(deps, { ...run, path: at.path });
  return at.kind === 'action' && !isFailed(at) ? tryAction(deps, run, at) : undefined;
}

/** Whether an attempt has failed, so that the workflow does what comes next. */
export const isFailed = ({ delayMs, failure }: NextAction): boolean => delayMs !== undefined || failure !== undefined;

async function tryAction(deps: StepDeps, run: RunRef, at: NextAction): Promise<NextStep | undefined> {
  const ref = { ...run, path: at.path };
  const loaded = await loadStep(deps, ref);
  if (loaded === undefined) return { kind: 'end' };
  const release = isLongAction(loaded.step) ? undefined : reserve(run.orgId, deps.actions.get(loaded.step.type));
  if (release === undefined) return undefined;
  try {
    return await attemptStep(deps, ref, { ...loaded, round: { left: at.attempts, delayMs: FIRST_RETRY_MS } });
  } catch (error) {
    return nextAfterFailure(deps, run, at, error);
  } finally {
    release();
  }
}

/** Reserves a place for an action. Returns undefined if too many calls are under way. */
function reserve(orgId: string, action: Action | undefined): (() => void) | undefined {
  if (action === undefined || !('call' in action)) return () => undefined;
  return calls.reserve(orgId);
}

/**
 * Returns the other attempts of a failed action, or the step after its last one. Undefined if the failure is not its
 * own.
 */
export async function nextAfterFailure(
  deps: StepDeps,
  run: RunRef,
  at: NextAction,
  error: unknown,
): Promise<NextStep | undefined> {
  const isPermanent = error instanceof DomainError || (error instanceof ProviderError && !error.transient);
  const isRetried = error instanceof ProviderError && error.transient && !error.isOwnLimit;
  if (isPermanent || (isRetried && at.attempts <= 1)) {
    const failure = messageOf(error);
    return failStep(deps, { ...run, path: at.path, error: failure }).catch(() => ({ ...at, failure }));
  }
  if (!isRetried) return undefined;
  return { ...at, attempts: at.attempts - 1, delayMs: error.retryAfterMs ?? FIRST_RETRY_MS };
}
