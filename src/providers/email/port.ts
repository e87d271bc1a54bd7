import type { Sender } from '../sending.ts';

/** An e-mail ready to send. */
export interface EmailMessage {
  /** With its angle brackets. It identifies the delivery of a lost response, bounce or reply. */
  messageId: string;
  from: { name: string | undefined; address: string };
  to: string;
  subject: string;
  body: string;
  /** If undefined, a body with tags is HTML. */
  isHtml?: boolean | undefined;
  /** The URL for unsubscribing with one POST (RFC 8058); absent on transactional e-mail. */
  unsubscribeUrl: string | undefined;
  /** The address for bounces (RFC 5321, 4.4). */
  envelopeFrom: string;
  /** The address for replies, if other than the sender. */
  replyTo: string | undefined;
  /** Signs for the sender's domain (RFC 6376). */
  dkim: { domain: string; selector: string; privateKey: string } | undefined;
}

export type EmailSender = Sender<EmailMessage>;
