import type { Sender } from '../sending.ts';

/** An SMS ready to send. */
export interface SmsMessage {
  deliveryId: string;
  /** E.164. */
  to: string;
  /** At most 1,600 characters. */
  body: string;
  /** The number to send from, if other than the connection's. */
  from?: string | undefined;
  /** Sends it as an MMS with the files of these addresses. `text` is sent in its place by a number without MMS. */
  media?: { urls: string[]; text: string } | undefined;
}

/** The form of Twilio's id of a message. */
export const MESSAGE_SID = /^[\x21-\x7e]{1,64}$/;

/**
 * Twilio's refusals of the files of a message, or of an MMS between two numbers. An SMS in its place may go.
 */
const FILE_REFUSALS = new Set<number | undefined>([
  11200, // the file could not be fetched
  11751, // too large
  12300, // of a type that is not taken
  21612, // no way from this number to that one
  21620, // invalid address of a file
  21621, // the number has no MMS
  21622, // the account has no MMS
  21623, // too many files
  30011, // the recipient's network has no MMS
  30019, // too large for the carrier
]);

/** Whether a code of Twilio refuses the files alone: a text may still go. */
export const isFileRefusal = (code: number | undefined): boolean => FILE_REFUSALS.has(code);

export type SmsSender = Sender<SmsMessage>;
