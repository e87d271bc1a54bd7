import type { ContactDeliveriesPort } from '../contacts/deliveries.port.ts';
import { deleteRawForms } from './inbound/messages.queries.ts';
import { endSendsToContact } from './sending/message-requests.queries.ts';

/** The port of contacts to this domain. */
export const contactDeliveriesPort: ContactDeliveriesPort = { endSends: endSendsToContact, deleteRawForms };
