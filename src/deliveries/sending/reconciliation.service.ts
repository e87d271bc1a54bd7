import { holdMerges } from '../../contacts/merging/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type Command, enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { LostSend } from '../../providers/sending.ts';
import { WAKE } from '../../temporal/contract.ts';
import { RECONCILE_SENDS, type ReconcileSendsInput, type ReconciliationProgress } from '../contract.ts';
import type { MessageSenders } from './message-sender.ts';
import { settlementOf } from './outcomes.rules.ts';
import {
  deferReconciliation,
  findNextReconciliationMs,
  listUnknownSends,
  settleReconciled,
  type UnknownSend,
} from './reconciliation.queries.ts';

export { interruptedColumns } from './outcomes.queries.ts';

export { listOrgsWithUnknownSends } from './reconciliation.queries.ts';

const SENDS_PER_ROUND = 100;

/**
 * Settles sends in one transaction. `settle` returns the number of unknown ones: if there are any, their reconciliation
 * is scheduled with the providers able to answer.
 */
export async function settleAndReconcile(
  db: Db,
  orgId: string,
  settle: (trx: Trx) => Promise<number>,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const unknown = await settle(trx);
    if (unknown > 0) await enqueue(trx, orgId, wakeReconciliation({ orgId }));
    return unknown;
  });
}

/** Returns the command to reconcile the unknown sends of an org. */
export const wakeReconciliation = (ref: ReconcileSendsInput): Command =>
  signalWithStart(RECONCILE_SENDS, ref, WAKE, {
    subjectId: ref.orgId,
    summary: 'Reconcile sends without a known outcome',
  });

/**
 * Asks providers for the outcome of unknown sends, one round. Found sends are settled. The others stay unknown: a
 * provider's list may lag. Each send is asked for a few times, at growing intervals.
 */
export async function reconcileSends(db: Db, senders: MessageSenders, orgId: string): Promise<ReconciliationProgress> {
  let found = 0;
  for (const { id, channel, lookups, ...known } of await listUnknownSends(db, orgId, SENDS_PER_ROUND)) {
    const sender = await senders.of(orgId, channel);
    const find = sender?.findLostSend;
    if (sender === undefined || find === undefined) {
      await deferReconciliation(db, orgId, id, null);
      continue;
    }
    const outcome = await find(lostSendOf(id, known)).catch(() => undefined);
    const isSettled =
      outcome !== undefined &&
      (await settleFound(db, orgId, id, { provider: sender.provider, ...settlementOf(channel, outcome, 1) }));
    if (isSettled) found++;
    else await deferReconciliation(db, orgId, id, delayAfter(lookups + 1));
  }
  return { found, nextInMs: await findNextReconciliationMs(db, orgId) };
}

/** Settles a send as its provider has it. An opt-out holds merges: one under way copies what it has seen. */
const settleFound = (db: Db, orgId: string, id: string, found: Parameters<typeof settleReconciled>[3]) =>
  inTransaction(db, async (trx) => {
    if (found.suppression === 'unsubscribed') await holdMerges(trx, orgId);
    return settleReconciled(trx, orgId, id, found);
  });

const lostSendOf = (
  deliveryId: string,
  { to, body, other_body, from, began_at }: Omit<UnknownSend, 'id' | 'channel' | 'lookups'>,
): LostSend => ({
  deliveryId,
  to,
  body: body ?? undefined,
  otherBody: other_body ?? undefined,
  from: from ?? undefined,
  since: began_at,
});

const FIRST_DELAY_MS = 10_000;
const MAX_RECONCILIATIONS = 6;

/** 10 s, 1 minute, 6 minutes and so on, or null after the last try. */
const delayAfter = (lookups: number): number | null =>
  lookups >= MAX_RECONCILIATIONS ? null : FIRST_DELAY_MS * 6 ** (lookups - 1);
