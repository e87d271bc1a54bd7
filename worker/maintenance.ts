import type { FastifyBaseLogger } from 'fastify';
import { requestDailyListings } from '../src/actions/mcp/daily-listings.service.ts';
import { requestCalibrationsAfterChanges, requestDailyCalibrations } from '../src/ai/calibration/service.ts';
import { settleInterruptedCalls } from '../src/ai/calls/closing.service.ts';
import { expireConfirmations } from '../src/ai/confirmations/service.ts';
import { deleteExpiredResponses } from '../src/api/edge/idempotency.queries.ts';
import { deleteOldAuditEntries } from '../src/audit/service.ts';
import { deleteOldRunJobs } from '../src/automations/runs/bulk/service.ts';
import {
  deleteOldRuns,
  deleteRemainsOfWorkflows,
  deleteUnreceivedEvents,
} from '../src/automations/runs/maintenance.service.ts';
import type { Config } from '../src/config.ts';
import { deleteOldImports } from '../src/contacts/imports/service.ts';
import { deleteOldJobs } from '../src/conversations/bulk/service.ts';
import { deleteIdleHosts, deleteOldCrawls, deleteOldRobots } from '../src/crawl/maintenance.service.ts';
import { deleteOldBatches, wakeStalledQueues } from '../src/crm/inbound/maintenance.service.ts';
import type { Db } from '../src/db/connect.ts';
import { deleteOldCounts } from '../src/db/write-quota.ts';
import { deleteOldDeliveryJobs } from '../src/deliveries/bulk/service.ts';
import { deleteOldRawMail } from '../src/deliveries/inbound/emails/service.ts';
import { deleteOldCallbacks, deleteOldSandboxMessages } from '../src/deliveries/maintenance.service.ts';
import { deleteOldEvalRuns, startNightlyRuns } from '../src/evals/runs.service.ts';
import { deleteOldExports, expireExports } from '../src/exports/service.ts';
import { deleteOldImports as deleteOldRecordImports } from '../src/imports/service.ts';
import { requestWeeklyReviews } from '../src/insights/review/service.ts';
import { retryOldRefusals } from '../src/knowledge/embedding/maintenance.service.ts';
import { deleteOldFeedback } from '../src/knowledge/help-center/feedback/service.ts';
import { deleteUnusedWords } from '../src/knowledge/index/maintenance.service.ts';
import { deleteOldMcpConfirmations } from '../src/mcp/confirmations/service.ts';
import { deleteOldModelCalls, settleAbandonedCalls } from '../src/models/budgets/service.ts';
import { deleteOldNotifications } from '../src/notifications/service.ts';
import { deleteExpiredOperatorLogins } from '../src/operations/operator/access.service.ts';
import { deleteOldOperatorActions } from '../src/operations/operator/actions.service.ts';
import { deleteOldForecasts } from '../src/sequences/forecast/jobs.service.ts';
import { deleteExpiredLogins } from '../src/sign-in/links.service.ts';
import { requestDailyLearning } from '../src/tagging/service.ts';
import { deleteEndpointRemains, deleteOldWebhooks, wakeStalledWebhooks } from '../src/webhooks/maintenance.service.ts';
import { deleteAbandonedVisitors } from '../src/widget/maintenance.service.ts';
import { runPeriodically } from './periodically.ts';

type Retention = Pick<Config, 'RUN_RETENTION_DAYS' | 'AUDIT_RETENTION_DAYS'>;

const INTERVAL_MS = 10 * 60_000;

/** These start or wake all that is due or stalled in one call. */
const SINGLE_PASS_JOBS: Record<string, (db: Db) => Promise<unknown>> = {
  wakeStalledQueues,
  wakeStalledWebhooks,
  requestCalibrationsAfterChanges,
};

/** These do some of what is due in each call, and return how much: 0 once nothing is left. */
const BATCHED_JOBS: Record<string, (db: Db, retention: Retention) => Promise<number>> = {
  deleteExpiredResponses,
  deleteExpiredLogins,
  deleteExpiredOperatorLogins,
  deleteOldRawMail,
  deleteOldCounts,
  deleteOldBatches,
  deleteOldRuns: (db, { RUN_RETENTION_DAYS }) => deleteOldRuns(db, RUN_RETENTION_DAYS),
  deleteOldAuditEntries: (db, { AUDIT_RETENTION_DAYS }) => deleteOldAuditEntries(db, AUDIT_RETENTION_DAYS),
  deleteOldOperatorActions: (db, { AUDIT_RETENTION_DAYS }) => deleteOldOperatorActions(db, AUDIT_RETENTION_DAYS),
  deleteRemainsOfWorkflows,
  deleteUnreceivedEvents,
  deleteOldCallbacks,
  deleteOldSandboxMessages,
  deleteIdleHosts,
  deleteOldRobots,
  deleteOldCrawls,
  deleteUnusedWords,
  retryOldRefusals,
  deleteOldForecasts,
  deleteAbandonedVisitors,
  requestDailyCalibrations,
  requestDailyListings,
  settleAbandonedCalls,
  deleteOldModelCalls,
  expireConfirmations,
  settleInterruptedCalls,
  requestDailyLearning,
  startNightlyRuns,
  deleteOldEvalRuns,
  deleteOldWebhooks,
  deleteEndpointRemains,
  requestWeeklyReviews,
  deleteOldNotifications,
  deleteOldJobs,
  deleteOldDeliveryJobs,
  deleteOldRunJobs,
  deleteOldFeedback,
  deleteOldMcpConfirmations,
  deleteOldImports,
  deleteOldRecordImports,
  expireExports,
  deleteOldExports,
};

/**
 * Runs jobs periodically: deletes expired data, and starts or wakes what is due or stalled. Every worker does so: a
 * second one finds nothing left. The returned function stops it.
 */
export function startMaintenance(db: Db, retention: Retention, log: Pick<FastifyBaseLogger, 'warn'>): () => void {
  const runJob = async (job: string, run: () => Promise<unknown>, signal: AbortSignal) => {
    try {
      if (!signal.aborted) await run();
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, job }, 'a job failed; it will be retried later');
    }
  };
  const runChores = async (signal: AbortSignal) => {
    for (const [job, run] of Object.entries(SINGLE_PASS_JOBS)) await runJob(job, () => run(db), signal);
    for (const [job, run] of Object.entries(BATCHED_JOBS)) {
      const untilNothingIsLeft = async () => {
        while (!signal.aborted && (await run(db, retention)) > 0);
      };
      await runJob(job, untilNothingIsLeft, signal);
    }
  };
  return runPeriodically(runChores, {
    intervalMs: INTERVAL_MS,
    beginsAtOnce: true,
    failure: 'maintenance failed',
    log,
  });
}
