import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { SlaActivities } from '../activities/sla.ts';
import type { SlaRef } from '../src/sla/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { EVALUATE_CLOCKS } from './activity-options.ts';

/** A timer may fire up to this late. The workflow wakes this much early, and the activity waits for the rest. */
const MAX_TIMER_LATENESS_MS = 2_000;

const wake = defineSignal(WAKE);
const { evaluateClocks } = proxyActivities<SlaActivities>({ ...EVALUATE_CLOCKS, summary: 'evaluate the SLA clocks' });

/**
 * Watches the SLA clocks of a session: wakes at the next warning or due time, or when a signal arrives. Ends when no
 * clock has a next time; the next signal starts it again. All facts are in the database; this workflow only keeps the
 * time.
 */
export async function watchSla(input: SlaRef): Promise<void> {
  let isWoken = false;
  setHandler(wake, () => {
    isWoken = true;
  });
  for (;;) {
    isWoken = false;
    const { next, details } = await evaluateClocks(input);
    setCurrentDetails(details);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof watchSla>(input);
    if (isWoken) continue;
    if (next === null) return;
    await condition(() => isWoken, Math.max(next.inMs - MAX_TIMER_LATENESS_MS, 1), { summary: next.what });
  }
}
