import type { Reaction } from '../outbox/relay.ts';
import { wake } from './enroll.service.ts';
import { dropOrphans, noteChangeWhereHeld } from './tidying.queries.ts';

/** Has everything that waits for a gate of the org be looked at anew, as its settings have changed. */
export const reviewHolds: Reaction<'sending-settings-changed'> = async (trx, orgId) => {
  for (const sequence of await noteChangeWhereHeld(trx, orgId)) await wake(trx, orgId, sequence);
};

/** Ends what waited to be sent to contacts that were deleted. */
export const dropSendsOfDeleted: Reaction<'contact-deleted'> = (trx, orgId) => dropOrphans(trx, orgId);
