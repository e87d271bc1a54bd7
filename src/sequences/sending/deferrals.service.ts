import type { Reaction } from '../../outbox/relay.ts';
import { wakeSequence } from '../enrollment/service.ts';
import { cancelOrphanedDeliveries, markChangedWhereDeferred } from '../reconcile.queries.ts';

/** Has everything that waits for a gate of the org be looked at anew, as its settings have changed. */
export const reevaluateDeferrals: Reaction<'sending-settings-changed'> = async (trx, orgId) => {
  for (const sequence of await markChangedWhereDeferred(trx, orgId)) await wakeSequence(trx, orgId, sequence);
};

/** Ends what waited to be sent to contacts that were deleted. */
export const cancelSendsOfDeletedContacts: Reaction<'contact-deleted'> = (trx, orgId) =>
  cancelOrphanedDeliveries(trx, orgId);
