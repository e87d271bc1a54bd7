import { Cron } from 'croner';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/relay.ts';
import { WAKE } from '../../temporal/contract.ts';
import { startRuns } from '../runs/start-runs.service.ts';
import { CronConfiguration } from './configuration.schema.ts';
import { type AutomationRef, SYNC_SCHEDULE, WATCH_INACTIVITY } from './contract.ts';
import { findTrigger, hasScheduledRun, isInactivityWatched, listPossiblyScheduled } from './queries.ts';

/** A time that is fired later than that was missed. */
const MISSED_AFTER_MS = 60_000;

/** Has the Schedules and timers that changed workflows ask for be as they ask now. */
export const syncTriggers: Reaction<'workflow-changed'> = async (trx, orgId, events) => {
  const ids = await listPossiblyScheduled(
    trx,
    orgId,
    events.map(({ subject_id }) => subject_id),
  );
  const keepers = ids.map((automationId) =>
    signalWithStart(SYNC_SCHEDULE, { orgId, automationId }, WAKE, {
      subjectId: automationId,
      summary: 'Schedule of a workflow',
    }),
  );
  const subject = { subjectId: orgId, summary: 'Inactive sessions' };
  const watch = signalWithStart(WATCH_INACTIVITY, { orgId }, WAKE, subject);
  await enqueue(trx, orgId, ...keepers, ...((await isInactivityWatched(trx, orgId)) ? [watch] : []));
};

/** When a workflow is to be started by its Schedule. Undefined where it is not, or no longer. */
export async function findSchedule(db: Db, { orgId, automationId }: AutomationRef) {
  const trigger = await findTrigger(db, orgId, automationId);
  if (trigger?.type !== 'cron-trigger') return undefined;
  const { data } = CronConfiguration.safeParse(trigger.configuration);
  return data && { name: trigger.name, ...data };
}

/**
 * Starts a workflow whose time has come, once for each time, unless its last scheduled run is still under way. Times that were missed start
 * nothing, or together the last of them, as the workflow says. Gives the run.
 */
export function fireSchedule(db: Db, ref: AutomationRef, scheduledAt: Date, now: Date): Promise<string | null> {
  const { orgId, automationId } = ref;
  return inTransaction(db, async (trx) => {
    const schedule = await findSchedule(trx, ref);
    const at = schedule && timeToFire(schedule, scheduledAt, now);
    if (at === undefined || (await hasScheduledRun(trx, orgId, automationId))) return null;
    const time = at.toISOString();
    const happening = { key: `schedule/${time}`, occurredAt: at, depth: 0, output: { scheduled_at: time } };
    const [runId = null] = await startRuns(trx, orgId, 'cron-trigger', [happening], 'scheduled', automationId);
    return runId;
  });
}

/** Of times that were missed, the last: all of them lead to the same. */
function timeToFire({ cron, timezone, missed }: CronConfiguration, scheduledAt: Date, now: Date): Date | undefined {
  if (now.getTime() - scheduledAt.getTime() <= MISSED_AFTER_MS) return scheduledAt;
  if (missed === 'skip') return undefined;
  const [last] = new Cron(cron, { timezone, paused: true, domAndDow: true }).previousRuns(1, now);
  return last !== undefined && last > scheduledAt ? last : scheduledAt;
}
