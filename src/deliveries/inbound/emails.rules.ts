import type { InboundEmailResult } from '../contract.ts';
import { type Bounce, bounceOf, type RecipientReport, reportAbout } from '../mail/bounces.rules.ts';
import type { ParsedEmail } from '../mail/parsed-mail.rules.ts';
import type { MailboxKind } from './mail-tokens.ts';

/** The circumstances of an e-mail's receipt. */
export interface ReceivedEmail {
  kind: MailboxKind;
  /** The delivery named by the recipient address, and that delivery's own recipient, empty if it had none. */
  deliveryId: string;
  to: string;
  /** Empty if nothing may be sent back (RFC 5321, 4.5.5). */
  mailFrom: string;
}

/** A delivery and its recipient, empty if it had none. */
export type AnsweredDelivery = Pick<ReceivedEmail, 'deliveryId' | 'to'>;

const NO_DELIVERY = { deliveryId: undefined, to: '' };

/** What is kept of a person's reply. */
export type ReplyMail = Pick<
  ParsedEmail,
  'body' | 'messageId' | 'subject' | 'isAutomated' | 'fromName' | 'replyTo' | 'thread'
>;

export type Classification =
  | { result: 'bounced' | 'failed'; bounce: Bounce }
  | { result: 'reply'; from: string; deliveryId: string; mail: ReplyMail }
  | { result: 'unreadable'; mayBeReply: boolean }
  | { result: Exclude<InboundEmailResult, 'bounced' | 'failed' | 'reply' | 'unreadable'> };

/**
 * Classifies an e-mail: a report about a delivery at any of our addresses, a person's reply to the reply address or to
 * one of our e-mails, or an e-mail only to be recorded. The claimed sender decides nothing: an e-mail without a usable
 * one is from the recipient of the delivery that it answers. `answered` is the delivery of the Message-ID named by the
 * e-mail.
 */
export function classify(
  arrival: ReceivedEmail,
  mail: ParsedEmail | undefined,
  answered: AnsweredDelivery | undefined,
): Classification {
  const { kind, mailFrom } = arrival;
  const unreadable = { result: 'unreadable', mayBeReply: kind === 'reply' && mailFrom !== '' } as const;
  if (mail === undefined) return unreadable;
  if (mail.reports !== undefined) return classifyReports(mail.reports, arrival.to);
  const { deliveryId, to } = answered ?? (kind === 'reply' ? arrival : NO_DELIVERY);
  const isByProgram = mail.isAutomatic || mail.isReport || mailFrom === '';
  if (isByProgram || deliveryId === undefined) {
    const isBounce = kind === 'bounce' && (mail.isReport || !mail.isAutomatic);
    return { result: isBounce ? 'unreadable bounce' : 'automatic reply' };
  }
  const { from = to } = mail;
  return from === '' ? unreadable : { result: 'reply', from, deliveryId, mail };
}

/** A failure is final whatever its code: 4.x.x is the response to the last of the server's tries. */
function classifyReports(reports: RecipientReport[], to: string): Classification {
  const report = reportAbout(to, reports);
  if (report?.action === 'failed') {
    const bounce = bounceOf(report, to);
    return { result: bounce.status, bounce };
  }
  return { result: report?.action === 'delayed' ? 'delayed' : 'delivery report' };
}
