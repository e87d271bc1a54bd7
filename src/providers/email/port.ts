import type { Sender } from '../sending.ts';

/** A file of an e-mail. */
export interface MailFile {
  name: string;
  mimeType: string;
  bytes: Buffer;
}

/** An e-mail ready to send. */
export interface EmailMessage {
  /** With its angle brackets. It identifies the delivery of a lost response, bounce or reply. */
  messageId: string;
  from: { name: string | undefined; address: string };
  to: string;
  /** Who else gets it. Whether it was sent is decided by `to` alone. */
  cc?: string[] | undefined;
  subject: string;
  body: string;
  /** The files that go with it. */
  attachments?: MailFile[] | undefined;
  /** The Message-ID of the e-mail that it answers, with its angle brackets (RFC 5322, 3.6.4). */
  inReplyTo?: string | undefined;
  /** The Message-IDs of the thread, with that one at the end. If undefined, only that one. */
  references?: string[] | undefined;
  /** Whether a program wrote it in answer to a message: other programs do not answer it then (RFC 3834, 5). */
  isAutoReply?: boolean | undefined;
  /** If undefined, a body with a complete HTML element is HTML. An HTML e-mail goes out with its text besides. */
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
