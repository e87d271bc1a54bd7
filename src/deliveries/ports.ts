import type { ContactDeliveriesPort } from '../contacts/deliveries.port.ts';
import type { ContactPart } from '../contacts/merging/parts.port.ts';
import { countReferences, moveReferences } from '../contacts/merging/references.ts';
import type { DeliveriesPort } from '../conversations/deliveries.port.ts';
import { deleteRawForms } from './inbound/messages.queries.ts';
import { redactMessages } from './ledger/redaction.service.ts';
import { requestReply } from './messages/replies.service.ts';
import { endSendsToContact } from './sending/message-requests.queries.ts';

/** The port of contacts to this domain. */
export const contactDeliveriesPort: ContactDeliveriesPort = { endSends: endSendsToContact, deleteRawForms };

/** The port of conversations to this domain. */
export const deliveriesPort: DeliveriesPort = { requestReply, redactMessages };

const MESSAGES = { table: 'deliveries', column: 'contact_id' };
const INBOUND = { table: 'inbound_messages', column: 'contact_id' };

/** What a merge of contacts moves of this domain. */
export const deliveriesOfContacts: ContactPart = {
  count: async (db, orgId, { fromId: id }, limit) => ({
    deliveries: await countReferences(db, orgId, MESSAGES, { id, limit }),
    inbound_messages: await countReferences(db, orgId, INBOUND, { id, limit }),
  }),
  move: async (trx, orgId, pair) => ({
    deliveries: await moveReferences(trx, orgId, MESSAGES, pair),
    inbound_messages: await moveReferences(trx, orgId, INBOUND, pair),
  }),
};
