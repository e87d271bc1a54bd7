import type { ActionDeps } from '../src/automations/actions/action.ts';
import { ACTIONS } from '../src/automations/actions/registry.ts';
import type { NextStep, RunRef } from '../src/automations/runs/contract.ts';
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
    /** Does a step of a run and gives what is next. Run twice, our own data is changed once, and what is called gets the same dedupe key. */
    doStep: (at: RunStepRef) => doStep(deps, at),

    /** Ends a step whose tries all failed. */
    failStep: (at: RunStepRef & { error: string }) => failStep(deps, at),

    /** Looks whether a wait is over. */
    checkWait: (at: RunStepRef) => checkWait(deps, at),

    /** Goes on where there is nothing to do but to decide. */
    continueRun: (at: RunStepRef) => continueRun(deps, at),

    /** Where a run goes on that was retried before its workflow had ended; null where it was not. */
    findResumePoint: (ref: RunRef): Promise<NextStep | null> => findResumePoint(deps, ref),
  };
};
