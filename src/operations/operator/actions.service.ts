import type { Db } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { pauseSending, resumeSending } from '../../deliveries/pause/service.ts';
import { notFound } from '../../errors.ts';
import { releaseParkedEvent } from '../../outbox/interruptions.ts';
import { insertAction, listActions, type NewAction } from './actions.queries.ts';

export { deleteOldActions as deleteOldOperatorActions } from './actions.queries.ts';

/** Who acts on the whole installation. At the command line nobody has a name. */
export interface ActingOperator {
  id: string | null;
  name: string | null;
  via: 'key' | 'session' | 'command';
}

export const AT_COMMAND_LINE: ActingOperator = { id: null, name: null, via: 'command' };

const byOperator = ({ id, name, via }: ActingOperator) => ({ operator_id: id, operator_name: name, via });

type Act = Pick<NewAction, 'action'> & Partial<Pick<NewAction, 'ref' | 'detail'>>;

/** Records what an operator does, in the transaction of the change. */
export const recordAct = async (
  db: Db,
  by: ActingOperator,
  { ref = null, detail = null, action }: Act,
): Promise<void> => {
  await insertAction(db, { ...byOperator(by), action, ref, detail });
};

/** Pauses all messages and webhooks, and records who did. During a pause it changes and records nothing. */
export const pauseAsOperator = (db: Db, by: ActingOperator, reason: string | undefined): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (await pauseSending(trx, reason)) await recordAct(trx, by, { action: 'sending_paused', detail: reason ?? null });
  });

/** Has everything sent again, and records who did. Without a pause it changes and records nothing. */
export const resumeAsOperator = (db: Db, by: ActingOperator): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (await resumeSending(trx)) await recordAct(trx, by, { action: 'sending_resumed' });
  });

/** Has a parked event handled again, and records who did. Throws notFound. */
export const releaseAsOperator = (db: Db, by: ActingOperator, id: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    const released = await releaseParkedEvent(trx, id);
    if (released === undefined) throw notFound('parked event');
    await recordAct(trx, by, { action: 'event_released', ref: id, detail: released.type });
  });

/** Returns a page of what operators did, newest first. Throws invalid for a cursor that is not ours. */
export async function pageOfActions(db: Db, { cursor, limit }: { cursor?: string | undefined; limit: number }) {
  const { items, next } = await pageOf(db, { cursor, limit, order: 'newest' }, (page) => listActions(db, page));
  return {
    items: items.map(({ created_at: at, operator_id, operator_name, via, ...act }) => ({
      ...act,
      at,
      operator: { id: operator_id, name: operator_name, via },
    })),
    next,
  };
}
