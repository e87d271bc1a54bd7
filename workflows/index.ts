export { sendEmails } from './emails.ts';
export { runSequence } from './sequences.ts';
