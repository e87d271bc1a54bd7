/** What a delivery status notification says about one recipient (RFC 3464, 2.3). */
export interface RecipientReport {
  /** Empty where it is not named. */
  recipient: string;
  action: string;
  /** An enhanced status code (RFC 3463), or empty. */
  status: string;
  diagnostic: string;
}

/** Why a delivery failed for good. */
export interface Bounce {
  status: 'bounced' | 'failed';
  reason: string;
  suppression: 'bounced' | null;
}

const MAX_REPORT_LENGTH = 65_536;
const MAX_REASON_LENGTH = 500;

/**
 * No such mailbox, no such domain, mailbox disabled. Not a full mailbox (5.2.2), a policy (5.7.x) or what is wrong with the sender
 * (5.1.7, 5.1.8): the next mail may arrive.
 */
const NO_SUCH_ADDRESS = /^5\.(?:1\.(?:[0-6]|10)|2\.1)$/;
/** In a sentence, but not a part of an IP address. */
const ENHANCED_CODE = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;

/** Reads the message/delivery-status part: one group of fields about the mail, then one for each recipient. */
export function recipientReports(text: string): RecipientReport[] {
  return text
    .slice(0, MAX_REPORT_LENGTH)
    .replace(/[\r\0]/g, '')
    .split(/\n(?:[ \t]*\n)+/)
    .map(fieldsOf)
    .filter((fields) => fields.has('action'))
    .map((fields) => {
      const diagnostic = withoutType(fields.get('diagnostic-code') ?? '');
      return {
        recipient: withoutType(fields.get('final-recipient') ?? '')
          .replace(/^<(.*)>$/, '$1')
          .toLowerCase(),
        action: (/^[a-z]+/i.exec(fields.get('action') ?? '')?.[0] ?? '').toLowerCase(),
        status: statusOf(fields.get('status') ?? '', diagnostic),
        diagnostic,
      };
    });
}

/** The report about the recipient `to`; where none names it, the first failure, else the first. */
export const reportAbout = (to: string, reports: RecipientReport[]): RecipientReport | undefined =>
  reports.find(({ recipient }) => recipient === to) ?? reports.find(({ action }) => action === 'failed') ?? reports[0];

/**
 * What a final failure means for a delivery to `to`. Only a report about that very address suppresses it: behind a list or a redirection
 * somebody else's mailbox may have gone.
 */
export function bounceOf({ recipient, status, diagnostic }: RecipientReport, to: string): Bounce {
  const reason = (diagnostic || status || 'not delivered').slice(0, MAX_REASON_LENGTH);
  const isGone = recipient === to && NO_SUCH_ADDRESS.test(status);
  return isGone
    ? { status: 'bounced', reason, suppression: 'bounced' }
    : { status: 'failed', reason, suppression: null };
}

/** The fields of a group, by their names in lower case; of several the first. */
function fieldsOf(group: string): Map<string, string> {
  const lines = group.replace(/\n[ \t]+/g, ' ').matchAll(/^([\w-]+)[ \t]*:[ \t]*(.*)$/gm);
  return new Map(
    Array.from(lines, ([, name = '', value = '']) => [name.toLowerCase(), value.trim()] as const).reverse(),
  );
}

/** `rfc822; ann@example.com` and `smtp; 550 5.1.1 …` say first of which type they are. */
const withoutType = (value: string) => value.replace(/^[\w-]+[ \t]*;[ \t]*/, '');

/** Servers that know no better say 5.0.0; the answer they got may say more. */
function statusOf(field: string, diagnostic: string): string {
  const status = ENHANCED_CODE.exec(field)?.[0] ?? '';
  if (status !== '' && !status.endsWith('.0.0')) return status;
  return ENHANCED_CODE.exec(diagnostic)?.[0] ?? status;
}
