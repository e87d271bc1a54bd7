import { getClient } from '@temporalio/activity';
import type { GateRef } from '../src/automations/gates.contract.ts';
import { countHeld } from '../src/automations/gates.queries.ts';
import { openGate } from '../src/automations/gates.service.ts';
import { fireSchedule, scheduleOf } from '../src/automations/schedules.service.ts';
import { announceSilences } from '../src/automations/silence.service.ts';
import {
  type AutomationRef,
  FIRE_SCHEDULE,
  type SilenceInput,
  type SilenceProgress,
  scheduleIdOf,
} from '../src/automations/triggers.contract.ts';
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
    const schedule = await scheduleOf(db, ref);
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
      summary: `Time of "${name.slice(0, 150)}"`,
      contract: FIRE_SCHEDULE,
      input: ref,
    });
    return 'set';
  },

  /** Starts a run of a workflow whose time has come. A time starts one, however often this is called. */
  startScheduledRun: ({ scheduledAt, ...ref }: AutomationRef & { scheduledAt: string }): Promise<string | null> =>
    fireSchedule(db, ref, new Date(scheduledAt), new Date()),

  /** Tells of sessions that have become silent for long enough, and says when to look again. */
  announceSilences: ({ orgId }: SilenceInput): Promise<SilenceProgress> => announceSilences(db, orgId),

  /** How many runs a handoff still waits for. */
  countRunsBefore: ({ orgId, gateId }: GateRef): Promise<number> => countHeld(db, orgId, gateId),

  /** Has a handoff go on. Doing it twice tells of it once. */
  openGate: (ref: GateRef): Promise<void> => openGate(db, ref),
});
