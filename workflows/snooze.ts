import { condition, continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { SnoozeActivities } from '../activities/snooze.ts';
import type { SnoozeRef } from '../src/conversations/snooze/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { DATABASE_BATCH } from './activity-options.ts';
import { countSignals } from './signals.ts';

const { endDueSnooze } = proxyActivities<SnoozeActivities>({
  ...DATABASE_BATCH,
  summary: 'end the snooze if it is due',
});

/** Ends the snooze of a session at its time. A signal has it read the time again. Ends with the snooze. */
export async function wakeSnoozedSession(input: SnoozeRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (;;) {
    const seen = signals();
    const { endsInMs } = await endDueSnooze(input);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof wakeSnoozedSession>(input);
    if (signals() > seen) continue;
    if (endsInMs === null) return;
    setCurrentDetails('The session is snoozed.');
    await condition(() => signals() > seen, Math.max(Math.ceil(endsInMs), 1), {
      summary: 'waiting for the end of the snooze',
    });
  }
}
