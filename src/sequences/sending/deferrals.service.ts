import type { Reaction } from '../../outbox/reactions.ts';
import { wakeSequence } from '../enrollment/service.ts';
import { cancelOrphanedDeliveries, markChangedWhereDeferred } from '../reconcile.queries.ts';

/** Re-evaluates all deferred sends of the org after a change of its settings. */
export const reevaluateDeferrals: Reaction<'sending-settings-changed'> = async (trx, orgId) => {
  for (const sequence of await markChangedWhereDeferred(trx, orgId)) await wakeSequence(trx, orgId, sequence);
};

/** Ends the waiting sends of deleted contacts. */
export const cancelSendsOfDeletedContacts: Reaction<'contact-deleted'> = (trx, orgId) =>
  cancelOrphanedDeliveries(trx, orgId);
