import { lockSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { idOf } from '../../ids.ts';
import { findTurn, insertTurn } from './queries.ts';

/**
 * Returns the ledger's place for the work of a phone call's assistant. The voice platform answers the contact, so the
 * call is one silent turn, and nobody continues it.
 */
export function getPhonePlace(
  db: Db,
  { orgId, sessionId, callId }: { orgId: string; sessionId: string; callId: string },
) {
  const turnId = idOf(orgId, 'turn of a phone call', callId);
  return inTransaction(db, async (trx) => {
    const { ai_context_seq: epoch } = await lockSession(trx, orgId, sessionId);
    if ((await findTurn(trx, orgId, turnId)) === undefined)
      await insertTurn(trx, {
        org_id: orgId,
        id: turnId,
        session_id: sessionId,
        first_seq: 0,
        last_seq: 0,
        answers: [],
        message_id: callId,
        config_version: 0,
        due_at: new Date(),
        ended: { state: 'skipped', reason: 'phone_call' },
      });
    return { orgId, sessionId, turnId, epoch };
  });
}
