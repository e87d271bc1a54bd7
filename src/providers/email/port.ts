import type { Sender } from '../sending.ts';

/** An e-mail ready to go out. */
export interface EmailMessage {
  /** With its angle brackets; by it a lost answer, bounce or reply finds its delivery. */
  messageId: string;
  from: { name: string | undefined; address: string };
  to: string;
  subject: string;
  body: string;
  /** Undefined: it is where it has tags. */
  isHtml?: boolean | undefined;
  /** Where one POST unsubscribes (RFC 8058); absent on transactional mail. */
  unsubscribeUrl: string | undefined;
  /** Where bounces go (RFC 5321, 4.4). */
  envelopeFrom: string;
  /** Where replies go, if not to the sender. */
  replyTo: string | undefined;
  /** Signs for the sender's domain (RFC 6376). */
  dkim: { domain: string; selector: string; privateKey: string } | undefined;
}

export type EmailSender = Sender<EmailMessage>;
