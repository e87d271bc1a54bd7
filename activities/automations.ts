import { Context, type Info } from '@temporalio/activity';
import type { ActionDeps } from '../src/automations/actions/action.ts';
import { ACTIONS } from '../src/automations/actions/registry.ts';
import type { BatchEnd, BatchRef } from '../src/automations/runs/batches/contract.ts';
import { releaseBatch } from '../src/automations/runs/batches/release.service.ts';
import { runBatch } from '../src/automations/runs/batches/service.ts';
import type { NextStep, RunInput, RunRef } from '../src/automations/runs/contract.ts';
import { doFirstSteps, FIRST_RETRY_MS } from '../src/automations/runs/first-steps.service.ts';
import type { AttemptRound } from '../src/automations/runs/pacing/retry-times.ts';
import { cancelStoppedRun } from '../src/automations/runs/repair.service.ts';
import {
  checkWait,
  continueRun,
  doStep,
  failStep,
  findResumePoint,
  type RunStepRef,
} from '../src/automations/runs/steps.service.ts';
import type { WriteQuota } from '../src/db/write-quota.ts';

export type AutomationActivityDeps = ActionDeps & {
  /** Aborted when the worker stops: no further run of a batch begins. */
  stopping: AbortSignal;
  quota: Pick<WriteQuota, 'isUsed'>;
};

export type AutomationActivities = ReturnType<typeof createAutomationActivities>;

/** Returns which attempts of an activity follow if this one fails, by the policy that Temporal retries it with. */
function roundOf({ attempt, retryPolicy = {} }: Info): AttemptRound {
  const { maximumAttempts = Number.POSITIVE_INFINITY, backoffCoefficient = 2 } = retryPolicy;
  const [initialMs, maximumMs] = [retryPolicy.initialInterval, retryPolicy.maximumInterval].map(Number);
  const delayMs = (initialMs || FIRST_RETRY_MS) * backoffCoefficient ** (attempt - 1);
  return { left: maximumAttempts - attempt + 1, delayMs: Math.min(delayMs, maximumMs || delayMs) };
}

export const createAutomationActivities = (outside: AutomationActivityDeps) => {
  const deps = { ...outside, actions: ACTIONS };
  const isStopped = () => outside.stopping.aborted || Context.current().cancellationSignal.aborted;
  return {
    /**
     * Runs an action of a run and returns the next step. If this runs twice, our own data changes once, and the called
     * service gets the same dedupe key.
     */
    doStep: (at: RunStepRef) => doStep(deps, at, roundOf(Context.current().info)),

    /**
     * Runs the first steps of a run as far as they go within some seconds and the org's write quota, and returns the next
     * step.
     */
    doFirstSteps: (input: RunInput): Promise<NextStep> =>
      doFirstSteps(deps, input, () => outside.quota.isUsed(input.orgId)),

    /** Records the failure of a step after its last attempt. */
    failStep: (at: RunStepRef & { error: string }) => failStep(deps, at),

    /** Checks whether a wait has ended. */
    checkWait: (at: RunStepRef) => checkWait(deps, at),

    /** Evaluates the next blocks of a run until an action, a wait or the end. */
    continueRun: (at: RunStepRef) => continueRun(deps, at),

    /**
     * Returns the next step of a run retried before its Temporal workflow ended. Returns null if the run was not
     * retried.
     */
    findResumePoint: (ref: RunRef): Promise<NextStep | null> => findResumePoint(deps, ref),

    /**
     * Does the runs of a batch, within the org's write quota. If this runs again, runs that had begun go on in workflows of
     * their own.
     */
    runBatch: (batch: BatchRef): Promise<BatchEnd> =>
      runBatch(deps, batch, () => isStopped() || outside.quota.isUsed(batch.orgId)),

    /** Releases the runs of a batch that was stopped: those that had begun go on, the others wait again. */
    releaseBatch: (batch: BatchRef): Promise<BatchEnd> => releaseBatch(deps.db, batch),

    /** Records that the run's workflow was canceled in Temporal. */
    recordRunCancellation: (ref: RunRef): Promise<boolean> => cancelStoppedRun(deps.db, ref),
  };
};
