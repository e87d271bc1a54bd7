import { condition, continueAsNew, defineSignal, proxyActivities, setHandler, sleep } from '@temporalio/workflow';
import type { ReconciliationActivities } from '../../activities/reconciliation.ts';
import type { ReconcileSendsInput } from '../../src/deliveries/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { SEND_BATCH } from '../activity-options.ts';

const ROUNDS_PER_RUN = 200;
/** Accepted messages may appear late in a provider's list. */
const FIRST_DELAY_MS = 5_000;

const look = defineSignal(WAKE);
const { reconcileBatch } = proxyActivities<ReconciliationActivities>({
  ...SEND_BATCH,
  summary: 'reconcile sends without a known outcome',
});

/** Asks providers for the outcome of sends without a known answer, until all are reconciled. */
export async function reconcileSends({
  found: earlier = 0,
  ...input
}: ReconcileSendsInput): Promise<{ found: number }> {
  let isWoken = false;
  setHandler(look, () => {
    isWoken = true;
  });
  await sleep(FIRST_DELAY_MS, { summary: 'waiting for the providers to list accepted messages' });
  for (let rounds = 1, found = earlier; ; rounds++) {
    isWoken = false;
    const progress = await reconcileBatch(input);
    found += progress.found;
    if (rounds >= ROUNDS_PER_RUN) await continueAsNew<typeof reconcileSends>({ ...input, found });
    if (progress.nextInMs === null && !isWoken) return { found };
    await condition(() => isWoken, progress.nextInMs ?? FIRST_DELAY_MS, {
      summary: 'waiting for the next reconciliation',
    });
    if (isWoken) await sleep(FIRST_DELAY_MS, { summary: 'waiting for the providers to list accepted messages' });
  }
}
