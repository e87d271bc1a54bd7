import type { Trx } from '../../db/connect.ts';
import { conflict } from '../../errors.ts';
import { isAnyBeingSent, listParts, redactDeliveries, redactInboundMessages } from './redaction.queries.ts';

/**
 * Removes the texts of a conversation's messages from deliveries and inbound messages, and ends waiting deliveries.
 * Throws conflict while one of them is being sent.
 */
export async function redactMessages(
  trx: Trx,
  orgId: string,
  { ids, contactId }: { ids: string[]; contactId: string | null },
): Promise<void> {
  if (ids.length === 0) return;
  const sent = [...ids, ...(await listParts(trx, orgId, ids))];
  await redactDeliveries(trx, orgId, sent);
  if (await isAnyBeingSent(trx, orgId, sent)) throw conflict('The message is being sent: try again in some seconds');
  await redactInboundMessages(trx, orgId, { ids, contactId });
}
