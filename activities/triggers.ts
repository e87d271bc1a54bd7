import { getClient } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { HandoffHoldRef } from '../src/automations/handoff-hold/contract.ts';
import { releaseHandoff } from '../src/automations/handoff-hold/service.ts';
import { countPendingRuns } from '../src/automations/handoff-hold/shared.queries.ts';
import {
  type AutomationRef,
  clockChangeScheduleIdOf,
  type InactivityInput,
  type InactivityProgress,
  START_SCHEDULED_RUN,
  scheduleIdOf,
} from '../src/automations/triggers/contract.ts';
import { timesAroundClockChanges } from '../src/automations/triggers/cron-times.ts';
import { announceInactiveSessions } from '../src/automations/triggers/inactivity.service.ts';
import { findSchedule, fireSchedule, recordScheduleError } from '../src/automations/triggers/schedules.service.ts';
import type { Db } from '../src/db/connect.ts';
import { deleteSchedule, putSchedule, refusalOf } from '../src/temporal/schedules.ts';

export interface TriggerActivityDeps {
  db: Db;
}

export type TriggerActivities = ReturnType<typeof createTriggerActivities>;

export const createTriggerActivities = ({ db }: TriggerActivityDeps) => ({
  /**
   * Creates, updates or deletes the Schedules of a workflow according to its active version. If Temporal refuses one, the
   * workflow says why. Running it twice does no harm.
   */
  async setSchedule(ref: AutomationRef): Promise<'set' | 'none' | 'refused'> {
    const client = getClient();
    const schedule = await findSchedule(db, ref);
    if (schedule === undefined) {
      await deleteSchedules(client, ref);
      await recordScheduleError(db, ref);
      return 'none';
    }
    const refusal = await putSchedules(client, ref, schedule).then(() => undefined, refusalOf);
    if (refusal !== undefined) await deleteSchedules(client, ref); // of the version before
    await recordScheduleError(db, ref, refusal);
    return refusal === undefined ? 'set' : 'refused';
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

type Schedule = NonNullable<Awaited<ReturnType<typeof findSchedule>>>;

/** Puts the Schedule of a workflow, and that of its times around clock changes if it has any. */
async function putSchedules(client: Client, ref: AutomationRef, schedule: Schedule): Promise<void> {
  const { cron, timezone, missed, name } = schedule;
  const common = {
    orgId: ref.orgId,
    subjectId: ref.automationId,
    catchupWindow: missed === 'skip' ? '1 minute' : '365 days',
    summary: `Scheduled run of "${name.slice(0, 150)}"`,
    contract: START_SCHEDULED_RUN,
    input: ref,
  } as const;
  await putSchedule(client, { ...common, scheduleId: scheduleIdOf(ref), times: { cron, timezone } });

  const scheduleId = clockChangeScheduleIdOf(ref);
  const minutes = timesAroundClockChanges(schedule, new Date());
  if (minutes.length === 0) await deleteSchedule(client, scheduleId);
  else await putSchedule(client, { ...common, scheduleId, times: { minutes } });
}

async function deleteSchedules(client: Client, ref: AutomationRef): Promise<void> {
  await deleteSchedule(client, scheduleIdOf(ref));
  await deleteSchedule(client, clockChangeScheduleIdOf(ref));
}
