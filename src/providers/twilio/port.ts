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

export type SmsSender = Sender<SmsMessage>;
