import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { enqueue } from '../../outbox/outbox.ts';
import { changeSession } from '../change-session.service.ts';
import type { LockedSession } from '../queries.ts';
import { lockSession } from '../sessions/service.ts';
import { snoozeEnding } from '../snooze-ending.service.ts';
import type { SnoozeProgress, SnoozeRef } from './contract.ts';
import { wakeSnooze } from './ending.service.ts';
import { lockSnoozeEndMs } from './queries.ts';
import type { SnoozeSession } from './schema.ts';

/**
 * Snoozes an open session until a time, or until its contact writes. Without either, ends its snooze. Returns the state
 * of the snooze. Throws notFound, and conflict for a closed session.
 */
export function snoozeSession(db: Db, orgId: string, id: string, { until = null, until_reply }: SnoozeSession) {
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, orgId, id);
    if (until === null && !until_reply) return endSnooze(trx, orgId, session, 'canceled');
    if (session.status !== 'open') throw conflict('The session is closed: PATCH its status to open first');
    const snooze = { snoozed_at: new Date(), snoozed_until: until };
    const data = { until: until?.toISOString() ?? null };
    await changeSession(trx, orgId, session, { ...snooze, events: [{ id: newId(), type: 'snoozed', data }] });
    if (until !== null || session.snoozed_until !== null)
      await enqueue(trx, orgId, wakeSnooze({ orgId, sessionId: id }));
    return snooze;
  });
}

/** Ends the snooze of a session if it is due. Returns how long it still lasts. Idempotent. */
export function endDueSnooze(db: Db, ref: SnoozeRef): Promise<SnoozeProgress> {
  return inTransaction(db, async (trx) => {
    const endsInMs = (await lockSnoozeEndMs(trx, ref)) ?? null;
    if (endsInMs !== null && endsInMs <= 0) {
      await endSnooze(trx, ref.orgId, await lockSession(trx, ref.orgId, ref.sessionId), 'due');
      return { endsInMs: null };
    }
    return { endsInMs };
  });
}

async function endSnooze(trx: Trx, orgId: string, session: LockedSession, because: 'canceled' | 'due') {
  const { events, ...awake } = snoozeEnding(because);
  const timed = because === 'due' ? { ...session, snoozed_until: null } : session; // its workflow ends by itself
  if (session.snoozed_at !== null) await changeSession(trx, orgId, timed, { ...awake, events });
  return awake;
}
