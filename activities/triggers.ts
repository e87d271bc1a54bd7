import { getClient } from '@temporalio/activity';
import type { HandoffHoldRef } from '../src/automations/handoff-hold/contract.ts';
import { releaseHandoff } from '../src/automations/handoff-hold/service.ts';
import { countPendingRuns } from '../src/automations/handoff-hold.queries.ts';
import {
  type AutomationRef,
  type InactivityInput,
  type InactivityProgress,
  START_SCHEDULED_RUN,
  scheduleIdOf,
} from '../src/automations/triggers/contract.ts';
import { announceInactiveSessions } from '../src/automations/triggers/inactivity.service.ts';
import { findSchedule, fireSchedule } from '../src/automations/triggers/schedules.service.ts';
import type { Db } from '../src/db/connect.ts';
import { deleteSchedule, putSchedule } from '../src/temporal/schedules.ts';

export interface TriggerActivityDeps {
  db: Db;
}

export type TriggerActivities = ReturnType<typeof createTriggerActivities>;

export const createTriggerActivities = ({ db }: TriggerActivityDeps) => ({
  /**
   * Creates, updates or deletes the Schedule of a workflow according to its active version. Running it twice does no
   * harm.
   */
  async setSchedule(ref: AutomationRef): Promise<'set' | 'none'> {
    const { orgId, automationId } = ref;
    const schedule = await findSchedule(db, ref);
    if (schedule === undefined) {
      await deleteSchedule(getClient(), scheduleIdOf(ref));
      return 'none';
    }
    const { cron, timezone, missed, name } = schedule;
    await putSchedule(getClient(), {
      scheduleId: scheduleIdOf(ref),
      orgId,
      subjectId: automationId,
      times: { cron, timezone },
      catchupWindow: missed === 'skip' ? '1 minute' : '365 days',
      summary: `Scheduled run of "${name.slice(0, 150)}"`,
      contract: START_SCHEDULED_RUN,
      input: ref,
    });
    return 'set';
  },

  /**
   * Starts the run of a workflow for a scheduled time. Each scheduled time starts one run, however often this is
   * called.
   */
  startRun: ({ scheduledAt, ...ref }: AutomationRef & { scheduledAt: string }): Promise<string | null> =>
    fireSchedule(db, ref, new Date(scheduledAt), new Date()),

  /** Announces inactive sessions, and returns the delay until the next check. */
  announceInactiveSessions: ({ orgId }: InactivityInput): Promise<InactivityProgress> =>
    announceInactiveSessions(db, orgId),

  /** Returns the number of runs before a handoff that have not ended. */
  countPendingRuns: ({ orgId, holdId }: HandoffHoldRef): Promise<number> => countPendingRuns(db, orgId, holdId),

  /** Releases a handoff. Running it twice announces it once. */
  releaseHandoff: (ref: HandoffHoldRef): Promise<void> => releaseHandoff(db, ref),
});
