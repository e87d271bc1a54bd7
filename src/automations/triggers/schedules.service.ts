import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type Command, enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { WAKE } from '../../temporal/contract.ts';
import { startRuns } from '../runs/start-runs.service.ts';
import { problemsOfTrigger } from '../validation/trigger.ts';
import { CronConfiguration } from './configuration.schema.ts';
import { type AutomationRef, type InactivityInput, SYNC_SCHEDULE, scheduleIdOf, WATCH_INACTIVITY } from './contract.ts';
import { isLastAroundClockChange, isMisplaced, lastTimeUpTo } from './cron-times.ts';
import {
  findTrigger,
  hasScheduledRun,
  isInactivityWatched,
  listPossiblyScheduled,
  skipInactiveUntil,
  skipTimesUntil,
  updateScheduleError,
} from './queries.ts';

export { type CronTrigger, listCronTriggers, listOrgsWatchingInactivity, listScheduledWorkflows } from './queries.ts';

/** Scheduled times later than this count as missed. */
const MISSED_AFTER_MS = 60_000;

/** Reaction to `workflow-changed`: syncs the Schedules of changed workflows, and the inactivity timer of the org. */
export const syncTriggers: Reaction<'workflow-changed'> = async (trx, orgId, events) => {
  const ids = await listPossiblyScheduled(
    trx,
    orgId,
    events.map(({ subject_id }) => subject_id),
  );
  const syncs = ids.map((automationId) => syncWorkflowSchedule({ orgId, automationId }));
  await enqueue(trx, orgId, ...syncs, ...((await isInactivityWatched(trx, orgId)) ? [watchInactivity({ orgId })] : []));
};

/** Returns the command to sync the Schedule of a workflow with its active version. */
export const syncWorkflowSchedule = (ref: AutomationRef): Command =>
  signalWithStart(SYNC_SCHEDULE, ref, WAKE, {
    subjectId: ref.automationId,
    summary: 'Sync the schedule of a workflow',
  });

/** Returns the command to look for the inactive sessions of an org. */
export const watchInactivity = (ref: InactivityInput): Command =>
  signalWithStart(WATCH_INACTIVITY, ref, WAKE, { subjectId: ref.orgId, summary: 'Announce inactive sessions' });

/** Returns the id of the Schedule of a workflow, and the workflow as its subject. */
export const scheduleOfWorkflow = (ref: AutomationRef) => ({
  scheduleId: scheduleIdOf(ref),
  subjectId: ref.automationId,
});

/** Returns the schedule of a workflow, or undefined if it has none, is inactive, or has one that is not valid. */
export async function findSchedule(db: Db, { orgId, automationId }: AutomationRef) {
  const trigger = await findTrigger(db, orgId, automationId);
  if (trigger?.type !== 'cron-trigger') return undefined;
  const { data } = CronConfiguration.safeParse(trigger.configuration);
  return data && { name: trigger.name, lostUntil: trigger.times_lost_until, ...data };
}

/**
 * Has the triggers by time of all orgs skip what a database that was lost until a time may have started: scheduled times, and
 * sessions that were inactive by then.
 */
export async function skipLostTimes(db: Db, lostUntil: Date): Promise<void> {
  await skipTimesUntil(db, lostUntil);
  await skipInactiveUntil(db, lostUntil);
}

/** Records why a workflow has no Schedule though it should have one: `refusal`, or a configuration that is not valid. */
export async function recordScheduleError(db: Db, { orgId, automationId }: AutomationRef, refusal?: string) {
  const trigger = await findTrigger(db, orgId, automationId);
  const problems = trigger?.type === 'cron-trigger' ? problemsOfTrigger(trigger.type, trigger.configuration, null) : [];
  await updateScheduleError(db, orgId, automationId, refusal ?? problems[0] ?? null);
}

/**
 * Starts a workflow for a scheduled time, once for each time, unless its last scheduled run has not ended. Missed times
 * start no run or one run for the last of them, according to the workflow's configuration, and those that a restored
 * database has lost none. Returns the run's id or null.
 */
export function fireSchedule(db: Db, ref: AutomationRef, scheduledAt: Date, now: Date): Promise<string | null> {
  const { orgId, automationId } = ref;
  return inTransaction(db, async (trx) => {
    const schedule = await findSchedule(trx, ref);
    if (schedule === undefined) return null;
    const at = timeToFire(schedule, scheduledAt, now);
    if (at === undefined || (schedule.lostUntil !== null && at <= schedule.lostUntil)) return null;
    // The Schedules have the clock changes of the next years: each one renews them once it is over.
    if (isLastAroundClockChange(schedule, at)) await enqueue(trx, orgId, syncWorkflowSchedule(ref));
    if (await hasScheduledRun(trx, orgId, automationId)) return null;
    const time = at.toISOString();
    const triggerEvent = { key: `schedule/${time}`, occurredAt: at, depth: 0, output: { scheduled_at: time } };
    const [runId = null] = await startRuns(trx, orgId, 'cron-trigger', {
      triggerEvents: [triggerEvent],
      cause: 'scheduled',
      only: automationId,
    });
    return runId;
  });
}

/** Returns the time to start a run for. All missed times lead to the same last one. */
function timeToFire(schedule: CronConfiguration, scheduledAt: Date, now: Date): Date | undefined {
  if (isMisplaced(schedule, scheduledAt)) return undefined;
  if (now.getTime() - scheduledAt.getTime() <= MISSED_AFTER_MS) return scheduledAt;
  if (schedule.missed === 'skip') return undefined;
  const last = lastTimeUpTo(schedule, now);
  return last !== undefined && last > scheduledAt ? last : scheduledAt;
}
