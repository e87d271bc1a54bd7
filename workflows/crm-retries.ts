import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  continueAsNew,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';

export const RETRY_ROUND_INTERVAL_MS = 15 * 60_000;
/** The worker or the database went away under an activity: that is no answer of the CRM. */
const INFRASTRUCTURE_RETRY_MS = 5_000;

/** What ended a round of tries: the CRM's own trouble; undefined where it was ours, or something that must not be caught. */
export function outageOf(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return undefined;
  return error.cause.type === 'ProviderUnavailable' ? error.cause.message : undefined;
}

/** What an activity gave, or why it failed. */
export async function outcomeOf<T>(call: Promise<T>): Promise<{ result?: T; error?: unknown }> {
  try {
    return { result: await call };
  } catch (error) {
    return { error };
  }
}

/**
 * Does something until it succeeds: another round of tries follows a quarter of an hour after one that failed, or with the next signal. After
 * weeks of that the workflow begins anew with its input.
 */
export async function retryUntilDone<T>(
  what: string,
  work: () => Promise<T>,
  { input, signals }: { input: object; signals: () => number },
): Promise<T> {
  for (;;) {
    const seen = signals();
    try {
      return await work();
    } catch (error) {
      await waitForRetryRound(what, error, () => signals() > seen);
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<(input: object) => Promise<T>>(input);
  }
}

/** Waits after a round that failed. Throws what is no matter of waiting. */
export async function waitForRetryRound(what: string, error: unknown, isWoken: () => boolean): Promise<void> {
  if (!(error instanceof ActivityFailure) || isPermanent(error)) throw error;
  const outage = outageOf(error);
  if (outage === undefined) {
    await sleep(INFRASTRUCTURE_RETRY_MS, { summary: `waiting to retry: ${what}` });
    return;
  }
  setCurrentDetails(`Waiting for the CRM to ${what}. ${outage}`);
  await condition(isWoken, RETRY_ROUND_INTERVAL_MS, { summary: `waiting for the CRM: next retry to ${what}` });
}

/** Cancelled, or refused in a way that no other try changes. */
function isPermanent({ cause }: ActivityFailure): boolean {
  if (cause instanceof ApplicationFailure) return cause.nonRetryable === true;
  return cause?.name === 'CancelledFailure';
}
