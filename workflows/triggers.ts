import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TriggerActivities } from '../activities/triggers.ts';
import { type AutomationRef, LOOK_AGAIN, type SilenceInput } from '../src/automations/triggers.contract.ts';
import { BATCH_OF_ROWS } from './activity-options.ts';
import { untilUnchanged } from './signals.ts';

const LOOKS_A_RUN = 500;
const SCHEDULED_AT = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

const lookAgain = defineSignal(LOOK_AGAIN);
const { setSchedule } = proxyActivities<TriggerActivities>({
  ...BATCH_OF_ROWS,
  summary: 'make the schedule as the workflow says, or delete it',
});
const { startScheduledRun } = proxyActivities<TriggerActivities>({ ...BATCH_OF_ROWS, summary: 'start a run' });
const { announceSilences } = proxyActivities<TriggerActivities>({
  ...BATCH_OF_ROWS,
  summary: 'tell of sessions in which nobody speaks',
});

/** Has a customer's workflow have the Schedule that its active version asks for. */
export async function keepSchedule(ref: AutomationRef): Promise<void> {
  await untilUnchanged(LOOK_AGAIN, () => setSchedule(ref));
}

/** Is begun by a Schedule, and starts the run of the customer's workflow for that time. */
export async function fireSchedule(ref: AutomationRef): Promise<string | null> {
  const { typedSearchAttributes, startTime } = workflowInfo();
  const scheduledAt = (typedSearchAttributes.get(SCHEDULED_AT) ?? startTime).toISOString();
  return startScheduledRun({ ...ref, scheduledAt });
}

/** Sleeps until the next session of an org may have become silent for long enough. Ends where no workflow asks, until one is activated. */
export async function watchSilence(input: SilenceInput): Promise<void> {
  let isWoken = false;
  setHandler(lookAgain, () => {
    isWoken = true;
  });
  for (let looks = 1; ; looks++) {
    isWoken = false;
    const { hasMore, nextInMs } = await announceSilences(input);
    if (looks >= LOOKS_A_RUN || workflowInfo().continueAsNewSuggested) await continueAsNew<typeof watchSilence>(input);
    if (hasMore || isWoken) continue;
    if (nextInMs === null) return;
    await condition(() => isWoken, Math.max(nextInMs, 1), { summary: 'until nobody has spoken for long enough' });
  }
}
