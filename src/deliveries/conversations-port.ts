import type { DeliveriesPort } from '../conversations/deliveries.port.ts';
import { redactMessages } from './ledger/redaction.service.ts';
import { requestReply } from './messages/replies.service.ts';

/** The port of conversations to this domain. */
export const deliveriesPort: DeliveriesPort = { requestReply, redactMessages };
