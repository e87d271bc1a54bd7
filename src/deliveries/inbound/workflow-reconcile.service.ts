import { type Command, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { type InboundEmailRef, RECEIVE_INBOUND_EMAIL } from '../contract.ts';

export { listUnprocessedEmails } from './emails.queries.ts';

/** Returns the command to process an inbound e-mail again. */
export const wakeInboundEmail = (ref: InboundEmailRef): Command =>
  signalWithStart(RECEIVE_INBOUND_EMAIL, ref, WAKE, { subjectId: ref.inboundEmailId, summary: 'E-mail, once more' });
