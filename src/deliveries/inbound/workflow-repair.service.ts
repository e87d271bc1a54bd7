import { type Command, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import {
  type InboundEmailRef,
  type InboundMessageRef,
  RECEIVE_INBOUND_EMAIL,
  RECEIVE_INBOUND_FILES,
} from '../contract.ts';

export { listUnprocessedEmails } from './emails/queries.ts';
export { listMessagesWithFiles } from './messages.queries.ts';

/** Returns the command to process an inbound e-mail again. */
export const wakeInboundEmail = (ref: InboundEmailRef): Command =>
  signalWithStart(RECEIVE_INBOUND_EMAIL, ref, WAKE, {
    subjectId: ref.inboundEmailId,
    summary: 'Process an inbound e-mail (repaired)',
  });

/** Returns the command to fetch the files of a message again. */
export const wakeInboundFiles = (ref: InboundMessageRef): Command =>
  signalWithStart(RECEIVE_INBOUND_FILES, ref, WAKE, {
    subjectId: ref.inboundMessageId,
    summary: 'Fetch the files of a message (repaired)',
  });
