import { condition, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { TriggerActivities } from '../activities/triggers.ts';
import { type GateRef, RUN_ENDED } from '../src/automations/gates.contract.ts';
import { BATCH_OF_ROWS } from './activity-options.ts';
import { countSignals } from './signals.ts';

const MOST_PATIENCE_MS = 30_000;

const { countRunsBefore } = proxyActivities<TriggerActivities>({
  ...BATCH_OF_ROWS,
  summary: 'see how many runs are to end before',
});
const { openGate } = proxyActivities<TriggerActivities>({ ...BATCH_OF_ROWS, summary: 'go on with the handoff' });

/** Has a handoff go on once the workflows that run before it have ended, or after 30 s. */
export async function holdHandoff(input: GateRef): Promise<'ended' | 'timed out'> {
  const signals = countSignals(RUN_ENDED);
  const until = Date.now() + MOST_PATIENCE_MS;
  let outcome: 'ended' | 'timed out' = 'ended';
  for (;;) {
    const seen = signals();
    const left = await countRunsBefore(input);
    if (left === 0) break;
    setCurrentDetails(`Waits for ${left} runs that are to end before the handoff`);
    const summary = 'until the workflows before the handoff have ended, at the latest';
    if (await condition(() => signals() > seen, Math.max(1, until - Date.now()), { summary })) continue;
    outcome = 'timed out';
    break;
  }
  await openGate(input);
  return outcome;
}
