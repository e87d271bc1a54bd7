import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { WriteQuota } from '../../db/write-quota.ts';
import type { TransferHoldPort } from '../../deliveries/callbacks/transfer-hold.port.ts';
import { startRunsForEvent } from '../triggers/trigger-events.service.ts';
import { countPendingRunsOfEvent } from './queries.ts';

const MAX_HOLD_MS = 30_000;
const POLL_MS = 200;

export interface TransferHoldDeps {
  db: Db;
  quota: Pick<WriteQuota, 'isUsed'>;
  /** Aborted when the api begins to close: transfers then wait no longer. */
  closing: AbortSignal;
}

/**
 * Creates the hold of transfers. It starts the workflows of `pre-voice-call-transfer` at once, as the voice platform
 * waits. The reaction to the event starts none of them again. Beyond the org's write quota none starts now, and the
 * transfer waits for none.
 */
export const createTransferHold = ({ db, quota, closing }: TransferHoldDeps): TransferHoldPort => ({
  async hold(orgId, { callId, payload, depth }) {
    if (quota.isUsed(orgId)) return;
    const type = 'pre-voice-call-transfer';
    const event = { id: 0, org_id: orgId, type, subject_id: callId, payload, depth, created_at: new Date() } as const;
    await inTransaction(db, (trx) => startRunsForEvent(trx, orgId, event));
    const until = performance.now() + MAX_HOLD_MS;
    while (performance.now() < until && !closing.aborted) {
      if ((await countPendingRunsOfEvent(db, orgId, { type, key: `call/${callId}/${type}` })) === 0) return;
      await sleep(POLL_MS);
    }
  },
});
