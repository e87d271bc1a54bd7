import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import type { createActivities } from '../../activities/index.ts';
import { type WriteQuota, WriteQuotaUsed } from '../../src/db/write-quota.ts';
import { runAsWriter } from '../../src/processes/current-work.ts';
import { orgOf } from './org-log.ts';

type ActivityName = keyof ReturnType<typeof createActivities>;

/** The step of a run. It fails at once: the reason is shown, and it can be retried by hand. */
const STEP = 'doStep' satisfies ActivityName;
/**
 * Activities that write as much as a definition or a website gives them. All but the step wait for the next day. The
 * first steps of a run go on as steps.
 */
const BOUNDED: ReadonlySet<string> = new Set<ActivityName>([
  STEP,
  'doFirstSteps',
  'continueRun',
  'runBatch',
  'seedCrawl',
  'crawlBatch',
]);
const MAX_DELAY_MS = 10 * 60_000;

/** Counts what activities write for their org. An org beyond its quota runs no steps of workflows and no crawls. */
export const writeQuotaInterceptor = (quota: WriteQuota) => (): { inbound: ActivityInboundCallsInterceptor } => ({
  inbound: {
    async execute(input, next) {
      const orgId = orgOf(input.args[0]);
      if (orgId === undefined) return next(input);
      const { activityType } = Context.current().info;
      if (BOUNDED.has(activityType)) assertLeft(quota, orgId, activityType);
      return runAsWriter(orgId, () => next(input));
    },
  },
});

function assertLeft(quota: WriteQuota, orgId: string, activityType: string): void {
  try {
    quota.assertLeft(orgId);
  } catch (error) {
    if (!(error instanceof WriteQuotaUsed)) throw error;
    throw ApplicationFailure.create({
      message: error.message,
      type: error.name,
      nonRetryable: activityType === STEP,
      nextRetryDelay: Math.min(error.retryAfterSeconds * 1000, MAX_DELAY_MS),
    });
  }
}
