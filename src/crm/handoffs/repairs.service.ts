import { currentHandoffsOf, isWithoutParts } from '../../conversations/handoff/status.service.ts';
import { getSession } from '../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, refused } from '../../errors.ts';
import { enqueue } from '../../outbox/outbox.ts';
import { abandonConversation } from '../salesforce/conversation-store.service.ts';
import { findLinkOfTicket } from './links.shared.queries.ts';
import { findPartForUpdate, reopenParts, updatePart } from './queries.ts';
import type { SettlePart } from './schema.ts';
import { linkPart, updateAndReportParts, wakeHandoff } from './service.ts';

/**
 * Retries the parked and failed parts of a session's handoff now. Throws notFound, and conflict if there is no such
 * handoff.
 */
export function retryHandoff(db: Db, orgId: string, sessionId: string) {
  return inTransaction(db, async (trx) => {
    await assertHandedOff(trx, orgId, sessionId);
    await updateAndReportParts(trx, orgId, sessionId, (changing) => reopenParts(changing, orgId, sessionId));
    await wakeCurrentHandoff(trx, orgId, sessionId);
    return handoffOf(trx, orgId, sessionId);
  });
}

/**
 * Settles a part that waits or failed. Where a conversation in Salesforce was never open, nothing more is sent there. Throws
 * notFound, conflict if the part is in another state, and invalid for another session's ticket.
 */
export function settlePart(db: Db, orgId: string, sessionId: string, { part, external_id }: SettlePart) {
  return inTransaction(db, async (trx) => {
    await assertHandedOff(trx, orgId, sessionId);
    const known = await findPartForUpdate(trx, orgId, sessionId, part);
    if (known === undefined || !['parked', 'failed', 'pending'].includes(known.state))
      throw conflict(
        `The ${part} is ${known?.state ?? 'no part of this handoff'}: only one that waits or failed can be settled`,
      );
    const holder =
      part === 'ticket' && external_id !== undefined ? await findLinkOfTicket(trx, orgId, external_id) : undefined;
    if (holder !== undefined && holder.session_id !== sessionId)
      throw refused('external_id', 'is the ticket of another session');
    await updateAndReportParts(trx, orgId, sessionId, async (changing) => {
      await updatePart(changing, orgId, sessionId, {
        part,
        state: 'settled',
        error: null,
        next_try_at: null,
        ...(external_id && { external_id }),
      });
      if (part === 'conversation') await abandonConversation(changing, orgId, sessionId);
      const provider = part === 'conversation' ? 'salesforce' : 'hubspot';
      if (external_id !== undefined)
        await linkPart(changing, orgId, sessionId, { part, provider, externalId: external_id });
    });
    await wakeCurrentHandoff(trx, orgId, sessionId);
    return handoffOf(trx, orgId, sessionId);
  });
}

async function wakeCurrentHandoff(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  const current = (await currentHandoffsOf(trx, orgId, [sessionId])).get(sessionId);
  if (current !== undefined) await enqueue(trx, orgId, wakeHandoff({ orgId, sessionId, n: current.n }));
}

async function assertHandedOff(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  const { handoff } = await getSession(trx, orgId, sessionId);
  if (handoff === null) throw conflict('The session was not handed off: see POST /chat/sessions/{id}/handoff');
  if (isWithoutParts(handoff)) throw conflict('The handoff has no part in a ticketing system');
}

async function handoffOf(trx: Trx, orgId: string, sessionId: string) {
  const { handoff } = await getSession(trx, orgId, sessionId);
  if (handoff === null) throw conflict('The session was not handed off');
  return handoff;
}
