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

/** A timer may fire that late: the activity waits for what is left. */
const MAX_TIMER_LATENESS_MS = 2_000;

const wake = defineSignal(WAKE);
const { evaluateClocks } = proxyActivities<SlaActivities>({ ...EVALUATE_CLOCKS, summary: 'evaluate the SLA clocks' });

/**
 * Watches the clocks of a session: wakes when one comes to its warning or due time, or when something happened. Ends where no clock runs
 * towards anything, until it is signalled again. All facts are in the database; this holds only the time.
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
