import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound } from '../../errors.ts';
import { addContacts, getSequence } from '../definitions/service.ts';
import { endEnrollment } from './membership.queries.ts';
import { findEnrollmentOf } from './shared.queries.ts';

/**
 * Enrolls one contact in a sequence and returns the enrollment's id. An earlier enrollment is returned unchanged.
 * Throws notFound, and conflict if the sequence cannot enroll contacts or does not match this one.
 */
export function enrollContact(db: Db, orgId: string, sequenceRef: string, contactId: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    const sequence = await getSequence(trx, orgId, sequenceRef);
    const earlier = await findEnrollmentOf(trx, orgId, sequence.id, contactId);
    if (earlier !== undefined) return earlier;
    const { skipped } = await addContacts(trx, orgId, sequence.id, [{ id: contactId }]);
    const made = await findEnrollmentOf(trx, orgId, sequence.id, contactId);
    if (made !== undefined) return made;
    const reason = skipped[0]?.reason ?? 'there is no contact with this id';
    throw reason.startsWith('there is no contact')
      ? notFound('contact')
      : conflict(`The contact was not enrolled: ${reason}`);
  });
}

/**
 * Ends a contact's enrollment and its waiting deliveries. Returns the enrollment's id, or null if there is none. Throws
 * notFound for the sequence.
 */
export function removeContact(db: Db, orgId: string, sequenceRef: string, contactId: string): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    const sequence = await getSequence(trx, orgId, sequenceRef);
    await endEnrollment(trx, orgId, sequence.id, contactId);
    return (await findEnrollmentOf(trx, orgId, sequence.id, contactId)) ?? null;
  });
}
