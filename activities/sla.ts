import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../src/db/connect.ts';
import { evaluateClocks } from '../src/sla/clocks.service.ts';
import type { SlaProgress, SlaRef } from '../src/sla/contract.ts';

/** A timer may fire a second late and more: what comes this soon is waited for here. */
const MAX_INLINE_WAIT_MS = 2_500;

export interface SlaActivityDeps {
  db: Db;
  /** Aborted when the worker is to end. */
  stopping: AbortSignal;
}

export type SlaActivities = ReturnType<typeof createSlaActivities>;

export const createSlaActivities = ({ db, stopping }: SlaActivityDeps) => ({
  /** Announces what a session's clocks have come to, and says when to look again. Looking twice does no harm. */
  async evaluateClocks({ orgId, sessionId }: SlaRef): Promise<SlaProgress> {
    for (;;) {
      const progress = await evaluateClocks(db, orgId, sessionId);
      if (progress.next === null || progress.next.inMs > MAX_INLINE_WAIT_MS || stopping.aborted) return progress;
      await sleep(progress.next.inMs);
    }
  },
});
