import type { ActionDeps } from '../src/automations/actions/action.ts';
import { ACTIONS } from '../src/automations/actions/registry.ts';
import type { NextStep, RunInput, RunRef } from '../src/automations/runs/contract.ts';
import { doFirstSteps } from '../src/automations/runs/first-steps.service.ts';
import { cancelStoppedRun } from '../src/automations/runs/reconcile.service.ts';
import {
  checkWait,
  continueRun,
  doStep,
  failStep,
  findResumePoint,
  type RunStepRef,
} from '../src/automations/runs/steps.service.ts';

export type AutomationActivityDeps = ActionDeps;

export type AutomationActivities = ReturnType<typeof createAutomationActivities>;

export const createAutomationActivities = (outside: AutomationActivityDeps) => {
  const deps = { ...outside, actions: ACTIONS };
  return {
    /**
     * Runs an action of a run and returns the next step. If this runs twice, our own data changes once, and the called
     * service gets the same dedupe key.
     */
    doStep: (at: RunStepRef) => doStep(deps, at),

    /** Runs the first steps of a run as far as they go within some seconds, and returns the next step. */
    doFirstSteps: (input: RunInput): Promise<NextStep> => doFirstSteps(deps, input),

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

    /** Records that the run's workflow was canceled in Temporal. */
    recordRunCancellation: (ref: RunRef): Promise<boolean> => cancelStoppedRun(deps.db, ref),
  };
};
