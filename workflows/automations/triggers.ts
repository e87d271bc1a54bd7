import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TriggerActivities } from '../../activities/triggers.ts';
import type { AutomationRef, InactivityInput } from '../../src/automations/triggers/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { DATABASE_BATCH } from '../activity-options.ts';
import { untilUnchanged } from '../signals.ts';

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

/** Creates, updates or deletes the Schedule of a customer's workflow according to its active version. */
export async function syncSchedule(ref: AutomationRef): Promise<void> {
  await untilUnchanged(WAKE, () => setSchedule(ref));
}

/** Starts the scheduled run of a customer's workflow. The workflow's Schedule starts this workflow. */
export async function startScheduledRun(ref: AutomationRef): Promise<string | null> {
  const { typedSearchAttributes, startTime } = workflowInfo();
  const scheduledAt = (typedSearchAttributes.get(SCHEDULED_AT) ?? startTime).toISOString();
  return startRun({ ...ref, scheduledAt });
}

/**
 * Announces the inactive sessions of an org, and sleeps until the next session may become inactive. Ends when no active
 * workflow waits for inactivity; activating one starts it again.
 */
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
