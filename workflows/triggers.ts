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
import type { AutomationRef, InactivityInput } from '../src/automations/triggers/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { DATABASE_BATCH } from './activity-options.ts';
import { untilUnchanged } from './signals.ts';

const CHECKS_PER_RUN = 500;
const SCHEDULED_AT = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

const wake = defineSignal(WAKE);
const { setSchedule } = proxyActivities<TriggerActivities>({
  ...DATABASE_BATCH,
  summary: 'sync the schedule with the workflow',
});
const { startRun } = proxyActivities<TriggerActivities>({ ...DATABASE_BATCH, summary: 'start a scheduled run' });
const { announceInactiveSessions } = proxyActivities<TriggerActivities>({
  ...DATABASE_BATCH,
  summary: 'announce inactive sessions',
});

/** Has a customer's workflow have the Schedule that its active version asks for. */
export async function syncSchedule(ref: AutomationRef): Promise<void> {
  await untilUnchanged(WAKE, () => setSchedule(ref));
}

/** Is begun by a Schedule, and starts the run of the customer's workflow for that time. */
export async function startScheduledRun(ref: AutomationRef): Promise<string | null> {
  const { typedSearchAttributes, startTime } = workflowInfo();
  const scheduledAt = (typedSearchAttributes.get(SCHEDULED_AT) ?? startTime).toISOString();
  return startRun({ ...ref, scheduledAt });
}

/** Sleeps until the next session of an org may have become silent for long enough. Ends where no workflow asks, until one is activated. */
export async function watchInactivity(input: InactivityInput): Promise<void> {
  let isWoken = false;
  setHandler(wake, () => {
    isWoken = true;
  });
  for (let looks = 1; ; looks++) {
    isWoken = false;
    const { hasMore, nextInMs } = await announceInactiveSessions(input);
    if (looks >= CHECKS_PER_RUN || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof watchInactivity>(input);
    if (hasMore || isWoken) continue;
    if (nextInMs === null) return;
    await condition(() => isWoken, Math.max(nextInMs, 1), {
      summary: 'waiting for the next session to become inactive',
    });
  }
}
