import type { Trx } from '../db/connect.ts';

/** What contacts need of the domain that sends. It is given as a dependency, because that domain itself uses contacts. */
export interface ContactDeliveriesPort {
  /** Ends what waits to be sent to a contact, except by sequences, whose enrollments end with the contact. */
  endSends(trx: Trx, orgId: string, contactId: string): Promise<void>;
  /** Deletes what is kept of a contact's messages as the provider sent them. */
  deleteRawForms(trx: Trx, orgId: string, contactId: string): Promise<void>;
}
