import { redactionsOf } from '../../../conversations/redaction/service.ts';
import { lockSession } from '../../../conversations/sessions/service.ts';
import type { Trx } from '../../../db/connect.ts';
import type { TurnRef } from '../contract.ts';
import { isTurnRedacted } from '../queries.ts';

/** Thrown if a turn may have read a text removed since: nothing made of it may be stored or said. */
export class TurnRedacted extends Error {
  constructor() {
    super('A text of the session was redacted since the turn began');
    this.name = 'TurnRedacted';
  }
}

/**
 * Locks the session of a turn, as a redaction does, and returns whether one of its texts was removed since the turn began.
 * Until the end of the transaction, none is.
 */
export async function lockAgainstRedaction(trx: Trx, ref: TurnRef): Promise<boolean> {
  await lockSession(trx, ref.orgId, ref.sessionId);
  return isTurnRedacted(trx, ref, redactionsOf(ref.orgId, ref.sessionId));
}
