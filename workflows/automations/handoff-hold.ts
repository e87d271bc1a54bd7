import { condition, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { TriggerActivities } from '../../activities/triggers.ts';
import type { HandoffHoldRef } from '../../src/automations/handoff-hold/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { DATABASE_BATCH } from '../activity-options.ts';
import { countSignals } from '../signals.ts';

const MAX_HOLD_MS = 30_000;

const { countPendingRuns } = proxyActivities<TriggerActivities>({
  ...DATABASE_BATCH,
  summary: 'count the workflow runs that the handoff waits for',
});
const { releaseHandoff } = proxyActivities<TriggerActivities>({ ...DATABASE_BATCH, summary: 'release the handoff' });

/** Releases a handoff as soon as the workflow runs before it have ended, and after 30 s at the latest. */
export async function holdHandoff(input: HandoffHoldRef): Promise<'ended' | 'timed out'> {
  const signals = countSignals(WAKE);
  const until = Date.now() + MAX_HOLD_MS;
  let outcome: 'ended' | 'timed out' = 'ended';
  for (;;) {
    const seen = signals();
    const remaining = await countPendingRuns(input);
    if (remaining === 0) break;
    setCurrentDetails(`Waiting for ${remaining} workflow runs to end before the handoff`);
    const summary = 'waiting for the workflow runs before the handoff';
    if (await condition(() => signals() > seen, Math.max(1, until - Date.now()), { summary })) continue;
    outcome = 'timed out';
    break;
  }
  await releaseHandoff(input);
  return outcome;
}
