export { assignWaiting } from './assignment.ts';
export { sendEmails } from './emails.ts';
export { takeInboundEmail } from './inbound-emails.ts';
export { lookUpSends } from './look-ups.ts';
export { sendMessage } from './messages.ts';
export { runSequence } from './sequences.ts';
export { watchSla } from './sla.ts';
