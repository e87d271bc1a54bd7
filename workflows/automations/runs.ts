import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { AutomationActivities } from '../../activities/automations.ts';
import type { NextAction, NextStep, RunInput } from '../../src/automations/runs/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { DATABASE_BATCH, FIRST_STEPS, RUN_STEP } from '../activity-options.ts';
import { recordingCancellation } from '../cancellation.ts';
import { countSignals } from '../signals.ts';
import { setWaitsFor } from '../waits-for.ts';

/** Errors in the code of an action. A retry does not fix them. */
const PROGRAMMING_ERRORS = new Set(['TypeError', 'RangeError', 'SyntaxError', 'ReferenceError']);

/** Delay after a failure of the worker or the database. Such a failure is not the step's own. */
const INFRASTRUCTURE_RETRY_MS = 5_000;

/** Delay of the second retry, and twice as long with each more. */
const LATER_RETRY_INTERVAL = '2 seconds';

/** The heartbeat timeout detects a dead worker soon. */
const RUN_ROWS_OPTIONS = { ...DATABASE_BATCH, heartbeatTimeout: '15 seconds' } as const;

const { failStep } = proxyActivities<AutomationActivities>({
  ...RUN_ROWS_OPTIONS,
  summary: 'record that the step failed',
});
const { checkWait } = proxyActivities<AutomationActivities>({
  ...RUN_ROWS_OPTIONS,
  summary: 'check whether the wait is over',
});
const { findResumePoint } = proxyActivities<AutomationActivities>({
  ...RUN_ROWS_OPTIONS,
  summary: 'check whether the run was retried',
});
const { continueRun } = proxyActivities<AutomationActivities>({
  ...RUN_ROWS_OPTIONS,
  summary: 'evaluate the next blocks',
});

const { doFirstSteps } = proxyLocalActivities<AutomationActivities>({ ...FIRST_STEPS, summary: 'do the first steps' });

const { recordRunCancellation } = proxyActivities<AutomationActivities>({
  ...DATABASE_BATCH,
  summary: 'record that the run was canceled in Temporal',
});

/**
 * Runs the steps of a customer's workflow, one after the other. Inputs and outputs are in the database; this workflow
 * only knows the current step.
 */
export async function runAutomation(input: RunInput): Promise<void> {
  const { orgId, runId } = input;
  await recordingCancellation(
    () => runSteps(input),
    () => recordRunCancellation({ orgId, runId }),
  );
}

async function runSteps({ next, isAtOnce, ...run }: RunInput): Promise<void> {
  const signals = countSignals(WAKE);
  let seen = 0;
  let before = 0;
  let isRepeated = false;
  for (let at = isAtOnce ? await runFirstSteps({ ...run, next }) : next; ; ) {
    const isToLook = signals() > seen;
    // A repeated action looks at the database by itself. Elsewhere, continue-as-new would lose a signal.
    if (workflowInfo().continueAsNewSuggested && (isRepeated || !isToLook))
      await continueAsNew<typeof runAutomation>({ ...run, next: at });
    if (!isRepeated) before = signals();
    switch (at.kind) {
      case 'end':
      case 'failed': {
        const resumed = before > seen ? await findResumePoint(run) : null;
        if (resumed === null && signals() > before) break; // another signal arrived meanwhile
        if (resumed !== null) at = resumed;
        else if (at.kind === 'failed') throw ApplicationFailure.nonRetryable(at.error, 'StepFailed');
        else return;
        break;
      }
      case 'continue':
        at = await continueRun({ ...run, path: at.path });
        break;
      case 'action': {
        const after = await runAction(run, at);
        isRepeated = after === undefined;
        at = after ?? withoutDelay(at);
        break;
      }
      case 'wait':
      case 'wait-for-event':
        setCurrentDetails(`Now: ${at.title}`);
        if (at.ms > 0) setWaitsFor(at.kind === 'wait' ? 'timer' : 'event');
        if (at.ms > 0) await condition(() => signals() > seen, at.ms, { summary: at.title });
        seen = signals();
        at = await checkWait({ ...run, path: at.path });
        continue;
    }
    seen = before;
  }
}

/** Runs the first steps within this workflow task. Returns the step to go on with, which is the first after an error. */
async function runFirstSteps(input: RunInput): Promise<NextStep> {
  if (input.next.kind !== 'action' && input.next.kind !== 'continue') return input.next;
  try {
    return await doFirstSteps(input);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return input.next;
  }
}

/** Returns an action without the delay that was before it. */
const withoutDelay = ({ delayMs, ...action }: NextAction): NextAction => action;

/**
 * Runs an action, with as many attempts as the step allows, and returns the next step. Returns undefined if the action
 * is to be repeated, as the worker or the database failed.
 */
async function runAction(
  run: Omit<RunInput, 'next'>,
  { path, title, attempts, delayMs, failure }: NextAction,
): Promise<NextStep | undefined> {
  setCurrentDetails(`Now: ${title}`);
  if (failure !== undefined) return failStep({ ...run, path, error: failure });
  if (delayMs !== undefined) await sleep(delayMs, { summary: `waiting to retry: ${title}` });
  const initialInterval = delayMs === undefined ? RUN_STEP.retry?.initialInterval : LATER_RETRY_INTERVAL;
  const retry = { ...RUN_STEP.retry, initialInterval, maximumAttempts: attempts };
  const { doStep } = proxyActivities<AutomationActivities>({ ...RUN_STEP, retry, summary: title });
  try {
    return await doStep({ ...run, path });
  } catch (error) {
    const failure = failureOfStep(error);
    if (failure !== undefined) return failStep({ ...run, path, error: failure });
    await sleep(INFRASTRUCTURE_RETRY_MS, { summary: `waiting to retry: ${title}` });
    return undefined;
  }
}

/**
 * Returns the error of a step after its last attempt or a permanent failure. Returns undefined if the worker or the
 * database failed, not the step.
 */
function failureOfStep(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  if (cause?.name === 'CancelledFailure') throw error;
  if (!(cause instanceof ApplicationFailure)) return undefined;
  const isItsOwn =
    cause.nonRetryable === true || cause.type === 'ProviderUnavailable' || PROGRAMMING_ERRORS.has(cause.type ?? '');
  return isItsOwn ? cause.message : undefined;
}
