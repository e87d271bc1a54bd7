import type { InboundEmailResult } from '../contract.ts';
import { type Bounce, bounceOf, type RecipientReport, reportAbout } from './bounces.rules.ts';
import type { MailboxKind } from './mail-tokens.ts';
import type { ParsedEmail } from './parsed-mail.rules.ts';

/** How a mail came in. */
export interface ReceivedEmail {
  kind: MailboxKind;
  /** The delivery that its recipient's address was made for, and whom that went to. */
  deliveryId: string;
  to: string;
  /** Empty where nothing may be sent back (RFC 5321, 4.5.5). */
  mailFrom: string;
}

export type Classification =
  | { result: 'bounced' | 'failed'; bounce: Bounce }
  | { result: 'reply'; from: string; body: string; messageId: string | undefined; deliveryId: string }
  | { result: Exclude<InboundEmailResult, 'bounced' | 'failed' | 'reply'> };

/**
 * What a mail is: a report about a delivery at whichever of our addresses, a person's reply at the reply address or to a mail of ours, or
 * something to be noted only. Who it claims to be from decides nothing. `answered` is the delivery whose Message-ID it names.
 */
export function classify(
  arrival: ReceivedEmail,
  mail: ParsedEmail | undefined,
  answered: string | undefined,
): Classification {
  if (mail === undefined) return { result: 'unreadable' };
  if (mail.reports !== undefined) return classifyReports(mail.reports, arrival.to);
  const { kind, mailFrom } = arrival;
  const deliveryId = answered ?? (kind === 'reply' ? arrival.deliveryId : undefined);
  const isByProgram = mail.isAutomatic || mail.isReport || mailFrom === '';
  if (isByProgram || deliveryId === undefined) {
    const isBounce = kind === 'bounce' && (mail.isReport || !mail.isAutomatic);
    return { result: isBounce ? 'unreadable bounce' : 'automatic reply' };
  }
  const { from, body, messageId } = mail;
  return from === undefined ? { result: 'unreadable' } : { result: 'reply', from, body, messageId, deliveryId };
}

/** A failure is final whatever its code: 4.x.x is what the last of the server's tries got. */
function classifyReports(reports: RecipientReport[], to: string): Classification {
  const report = reportAbout(to, reports);
  if (report?.action === 'failed') {
    const bounce = bounceOf(report, to);
    return { result: bounce.status, bounce };
  }
  return { result: report?.action === 'delayed' ? 'delayed' : 'delivery report' };
}
