import type { ContactDeliveriesPort } from '../contacts/deliveries.port.ts';
import { partOf } from '../contacts/merging/references.ts';
import type { DeliveriesPort } from '../conversations/deliveries.port.ts';
import { deleteRawForms } from './inbound/messages.queries.ts';
import { redactMessages } from './ledger/redaction.service.ts';
import { requestReply } from './messages/replies.service.ts';
import { endSendsToContact } from './sending/message-requests.queries.ts';

/** The port of contacts to this domain. */
export const contactDeliveriesPort: ContactDeliveriesPort = { endSends: endSendsToContact, deleteRawForms };

/** The port of conversations to this domain. */
export const deliveriesPort: DeliveriesPort = { requestReply, redactMessages };

/** What a merge of contacts moves of this domain. */
export const deliveriesOfContacts = partOf({
  deliveries: [{ table: 'deliveries', column: 'contact_id' }],
  inbound_messages: [{ table: 'inbound_messages', column: 'contact_id' }],
});
