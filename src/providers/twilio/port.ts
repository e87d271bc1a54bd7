import type { Sender } from '../sending.ts';

/** An SMS ready to send. */
export interface SmsMessage {
  deliveryId: string;
  /** E.164. */
  to: string;
  /** At most 1,600 characters. */
  body: string;
}

export type SmsSender = Sender<SmsMessage>;
