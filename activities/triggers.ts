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
  /** Has a workflow's Schedule be as its active version says, or not be. Doing it twice does no harm. */
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

  /** Starts a run of a workflow whose time has come. A time starts one, however often this is called. */
  startRun: ({ scheduledAt, ...ref }: AutomationRef & { scheduledAt: string }): Promise<string | null> =>
    fireSchedule(db, ref, new Date(scheduledAt), new Date()),

  /** Tells of sessions that have become silent for long enough, and says when to look again. */
  announceInactiveSessions: ({ orgId }: InactivityInput): Promise<InactivityProgress> =>
    announceInactiveSessions(db, orgId),

  /** How many runs a handoff still waits for. */
  countPendingRuns: ({ orgId, holdId }: HandoffHoldRef): Promise<number> => countPendingRuns(db, orgId, holdId),

  /** Has a handoff go on. Doing it twice tells of it once. */
  releaseHandoff: (ref: HandoffHoldRef): Promise<void> => releaseHandoff(db, ref),
});
