import type { InboundEmailResult } from '../../contract.ts';
import { type Bounce, bounceOf, type RecipientReport, reportAbout } from '../../mail/bounces.rules.ts';
import type { ParsedEmail } from '../../mail/parsed-mail.rules.ts';
import type { MailTarget } from './table.ts';

/** A mail that so many servers have passed on goes in circles (RFC 5321, 6.3). */
const MAX_HOPS = 50;

/** The circumstances of an e-mail's receipt. */
export interface ReceivedEmail {
  kind: MailTarget['kind'];
  /** The delivery named by the recipient address, and that delivery's own recipient, empty if it had none. */
  deliveryId: string | null;
  to: string;
  /** Empty if nothing may be sent back (RFC 5321, 4.5.5). */
  mailFrom: string;
}

/** A delivery and its recipient, empty if it had none. */
export interface AnsweredDelivery {
  deliveryId: string;
  to: string;
}

/** What is known of an e-mail within the org that it came to. */
export interface MailContext {
  /** The delivery of the Message-ID named by the e-mail. */
  answered: AnsweredDelivery | undefined;
  /** Whether the org itself sent it: its Message-ID is ours, or it is from one of the org's inboxes. */
  isOwn: boolean;
}

/** What is kept of a person's reply. */
export type ReplyMail = Omit<
  ParsedEmail,
  | 'from'
  | 'authentication'
  | 'isAutomatic'
  | 'isAutomaticReply'
  | 'isReport'
  | 'reports'
  | 'files'
  | 'hops'
  | 'deliveredTo'
  | 'returnPath'
>;

export type Classification =
  | { result: 'bounced' | 'failed'; deliveryId: string; bounce: Bounce }
  | { result: 'reply'; from: string; deliveryId: string; mail: ReplyMail }
  | { result: 'mail'; from: string; mail: ReplyMail }
  | { result: 'unreadable'; mayBeReply: boolean }
  | { result: Exclude<InboundEmailResult, 'bounced' | 'failed' | 'reply' | 'mail' | 'unreadable'> };

/**
 * Classifies an e-mail: a report about a delivery at any of our addresses, a person's reply to the reply address or to
 * one of our e-mails, an e-mail to an inbox, or one only to be recorded. The claimed sender decides nothing about a
 * reply: an e-mail without a usable one is from the recipient of the delivery that it answers.
 */
export function classify(
  arrival: ReceivedEmail,
  mail: ParsedEmail | undefined,
  { answered, isOwn }: MailContext,
): Classification {
  const { kind, mailFrom } = arrival;
  const unreadable = { result: 'unreadable', mayBeReply: kind !== 'bounce' && mailFrom !== '' } as const;
  if (mail === undefined) return unreadable;
  const about = kind === 'inbox' ? answered : deliveryAt(arrival);
  if (mail.reports !== undefined) return classifyReports(mail.reports, about);
  const delivery = answered ?? (kind === 'reply' ? about : undefined);
  if (kind === 'inbox' && (isOwn || mail.hops > MAX_HOPS)) return { result: 'loop' };
  if (kind === 'inbox' && delivery === undefined) return classifyUnasked(mail, mailFrom) ?? unreadable;
  const isByProgram = mail.isAutomatic || mail.isReport || mailFrom === '';
  if (isByProgram || delivery === undefined) {
    const isBounce = kind === 'bounce' && (mail.isReport || !mail.isAutomatic);
    return { result: isBounce ? 'unreadable bounce' : 'automatic reply' };
  }
  const { from = delivery.to } = mail;
  return from === '' ? unreadable : { result: 'reply', from, deliveryId: delivery.deliveryId, mail };
}

const deliveryAt = ({ deliveryId, to }: ReceivedEmail): AnsweredDelivery | undefined =>
  deliveryId === null ? undefined : { deliveryId, to };

/** Classifies an e-mail to an inbox that answers nothing of ours. Returns undefined if nobody is its sender. */
function classifyUnasked(mail: ParsedEmail, mailFrom: string): Classification | undefined {
  const isAnswer = mail.isAutomaticReply || (mail.isAutomatic && mail.answers.length > 0);
  if (isAnswer || mail.isReport || mailFrom === '') return { result: 'automatic reply' };
  const { from = mailFrom } = mail;
  return { result: 'mail', from, mail };
}

/** A failure is final whatever its code: 4.x.x is the response to the last of the server's tries. */
function classifyReports(reports: RecipientReport[], about: AnsweredDelivery | undefined): Classification {
  const report = about === undefined ? undefined : reportAbout(about.to, reports);
  if (about !== undefined && report?.action === 'failed') {
    const bounce = bounceOf(report, about.to);
    return { result: bounce.status, deliveryId: about.deliveryId, bounce };
  }
  return { result: report?.action === 'delayed' ? 'delayed' : 'delivery report' };
}
