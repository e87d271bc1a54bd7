import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../src/db/connect.ts';
import { evaluateClocks } from '../src/sla/clocks/service.ts';
import type { SlaProgress, SlaRef } from '../src/sla/contract.ts';

/** Clocks due this soon are awaited here, because a Temporal timer may fire more than a second late. */
const MAX_INLINE_WAIT_MS = 2_500;

export interface SlaActivityDeps {
  db: Db;
  /** Aborted when the worker shuts down. */
  stopping: AbortSignal;
}

export type SlaActivities = ReturnType<typeof createSlaActivities>;

export const createSlaActivities = ({ db, stopping }: SlaActivityDeps) => ({
  /**
   * Announces warnings and breaches of a session's clocks, and returns the time of the next evaluation. Running it
   * twice does no harm.
   */
  async evaluateClocks({ orgId, sessionId }: SlaRef): Promise<SlaProgress> {
    for (;;) {
      const progress = await evaluateClocks(db, orgId, sessionId);
      if (progress.next === null || progress.next.inMs > MAX_INLINE_WAIT_MS || stopping.aborted) return progress;
      await sleep(progress.next.inMs);
    }
  },
});
