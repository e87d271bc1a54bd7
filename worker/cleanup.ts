import type { FastifyBaseLogger } from 'fastify';
import { deleteOldModelCalls, settleAbandonedCalls } from '../src/ai/budgets/service.ts';
import { requestCalibrationsAfterChanges, requestDailyCalibrations } from '../src/ai/calibration/service.ts';
import { expireConfirmations } from '../src/ai/confirmations/service.ts';
import { deleteOldEvalRuns, startNightlyRuns } from '../src/ai/evals/runs.service.ts';
import { requestDailyLearning } from '../src/ai/tagging/service.ts';
import {
  deleteOldRuns,
  deleteUnreceivedEvents,
  startStalledRuns,
} from '../src/automations/runs/maintenance.service.ts';
import type { Config } from '../src/config.ts';
import { deleteOldBatches, wakeStalledQueues } from '../src/crm/inbound/maintenance.service.ts';
import type { Db } from '../src/db/connect.ts';
import { deleteOldCounts } from '../src/db/write-quota.ts';
import { deleteExpiredMail } from '../src/deliveries/inbound/emails.service.ts';
import { deleteOldCallbacks, deleteOldSandboxMessages } from '../src/deliveries/maintenance.service.ts';
import { deleteExpiredResponses } from '../src/http/idempotency.queries.ts';
import { requestWeeklyReviews } from '../src/insights/review/service.ts';
import { deleteIdleHosts, deleteOldCrawls, deleteOldRobots } from '../src/knowledge/crawl/maintenance.service.ts';
import { deleteUnusedWords } from '../src/knowledge/index/maintenance.service.ts';
import { deleteExpiredLogins } from '../src/partners/login.service.ts';
import { deleteOldForecasts } from '../src/sequences/forecast/jobs.service.ts';
import { deleteEndpointRemains, deleteOldWebhooks, wakeStalledWebhooks } from '../src/webhooks/maintenance.service.ts';
import { forgetAbandonedVisitors } from '../src/widget/maintenance.service.ts';

type Retention = Pick<Config, 'RUN_RETENTION_DAYS'>;

const INTERVAL_MS = 10 * 60_000;
const CLEANUPS: Record<string, (db: Db, retention: Retention) => Promise<number>> = {
  deleteExpiredResponses,
  deleteExpiredLogins,
  deleteExpiredMail,
  deleteOldCounts,
  deleteOldBatches,
  deleteOldRuns: (db, { RUN_RETENTION_DAYS }) => deleteOldRuns(db, RUN_RETENTION_DAYS),
  deleteUnreceivedEvents,
  startStalledRuns,
  deleteOldCallbacks,
  deleteOldSandboxMessages,
  deleteIdleHosts,
  deleteOldRobots,
  deleteOldCrawls,
  deleteUnusedWords,
  deleteOldForecasts,
  forgetAbandonedVisitors,
  wakeStalledQueues,
  requestDailyCalibrations,
  requestCalibrationsAfterChanges,
  settleAbandonedCalls,
  deleteOldModelCalls,
  expireConfirmations,
  requestDailyLearning,
  startNightlyRuns,
  deleteOldEvalRuns,
  deleteOldWebhooks,
  deleteEndpointRemains,
  wakeStalledWebhooks,
  requestWeeklyReviews,
};

/**
 * Deletes expired data periodically. Every worker does so: a second one finds nothing left. The returned function stops
 * it.
 */
export function startCleanup(db: Db, retention: Retention, log: Pick<FastifyBaseLogger, 'warn'>): () => void {
  let isStopped = false;
  const sweep = async () => {
    for (const [chore, run] of Object.entries(CLEANUPS)) {
      try {
        while (!isStopped && (await run(db, retention)) > 0);
      } catch (error) {
        if (isStopped) return; // the database is being closed
        log.warn({ err: error, chore }, 'cleanup failed; it will be retried later');
      }
    }
  };
  void sweep();
  const timer = setInterval(() => void sweep(), INTERVAL_MS);
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
