import type { Trx } from '../../db/connect.ts';
import { conflict } from '../../errors.ts';
import { isAnyBeingSent, redactDeliveries, redactInboundMessages } from './redaction.queries.ts';

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
  await redactDeliveries(trx, orgId, ids);
  if (await isAnyBeingSent(trx, orgId, ids)) throw conflict('The message is being sent: try again in some seconds');
  await redactInboundMessages(trx, orgId, { ids, contactId });
}
