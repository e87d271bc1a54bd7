import { condition, continueAsNew, defineSignal, proxyActivities, setHandler, sleep } from '@temporalio/workflow';
import type { LookUpActivities } from '../activities/look-ups.ts';
import { LOOK, type LookUpInput } from '../src/deliveries/contract.ts';
import { SEND_BATCH } from './activity-options.ts';

const ROUNDS_A_RUN = 200;
/** A provider's list may lag behind its answers. */
const FIRST_LOOK_MS = 5_000;

const look = defineSignal(LOOK);
const { askProviders } = proxyActivities<LookUpActivities>({
  ...SEND_BATCH,
  summary: 'ask providers about sends whose answer was lost',
});

/** Asks providers what became of sends whose answer was lost, until nothing is left to ask for. */
export async function lookUpSends(input: LookUpInput): Promise<{ found: number }> {
  let isWoken = false;
  setHandler(look, () => {
    isWoken = true;
  });
  await sleep(FIRST_LOOK_MS, { summary: 'until providers list what they took' });
  for (let rounds = 1, found = 0; ; rounds++) {
    isWoken = false;
    const progress = await askProviders(input);
    found += progress.found;
    if (rounds >= ROUNDS_A_RUN) await continueAsNew<typeof lookUpSends>(input);
    if (progress.nextInMs === null && !isWoken) return { found };
    await condition(() => isWoken, progress.nextInMs ?? FIRST_LOOK_MS, { summary: 'until providers are asked again' });
    if (isWoken) await sleep(FIRST_LOOK_MS, { summary: 'until providers list what they took' });
  }
}
