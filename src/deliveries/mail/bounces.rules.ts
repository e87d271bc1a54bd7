/** The part of a delivery status notification about one recipient (RFC 3464, 2.3). */
export interface RecipientReport {
  /** Empty if the notification names no recipient. */
  recipient: string;
  action: string;
  /** An enhanced status code (RFC 3463), or empty. */
  status: string;
  diagnostic: string;
}

/** The cause of a final delivery failure. */
export interface Bounce {
  status: 'bounced' | 'failed';
  reason: string;
  suppression: 'bounced' | null;
}

const MAX_REPORT_LENGTH = 65_536;
const MAX_REASON_LENGTH = 500;

/**
 * No such mailbox, no such domain, mailbox disabled. Not a full mailbox (5.2.2), a policy (5.7.x) or a problem of the
 * sender (5.1.7, 5.1.8): the next e-mail may arrive.
 */
const NO_SUCH_ADDRESS = /^5\.(?:1\.(?:[0-6]|10)|2\.1)$/;
/** Matches a code within a sentence, but not a part of an IP address. */
const ENHANCED_CODE = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;

/** Reads the message/delivery-status part: one group of fields about the e-mail, then one for each recipient. */
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

/** Returns the report about the recipient `to`. If no report names it, returns the first failure, else the first report. */
export const reportAbout = (to: string, reports: RecipientReport[]): RecipientReport | undefined =>
  reports.find(({ recipient }) => recipient === to) ?? reports.find(({ action }) => action === 'failed') ?? reports[0];

/**
 * Returns the effect of a final failure on a delivery to `to`. Only a report about exactly this address suppresses it:
 * behind a list or a redirection, the missing mailbox may be another one.
 */
export function bounceOf({ recipient, status, diagnostic }: RecipientReport, to: string): Bounce {
  const reason = (diagnostic || status || 'not delivered').slice(0, MAX_REASON_LENGTH).toWellFormed();
  const isGone = recipient === to && NO_SUCH_ADDRESS.test(status);
  return isGone
    ? { status: 'bounced', reason, suppression: 'bounced' }
    : { status: 'failed', reason, suppression: null };
}

/** Parses the fields of a group by their lower-case names. The first of several fields with one name wins. */
function fieldsOf(group: string): Map<string, string> {
  const lines = group.replace(/\n[ \t]+/g, ' ').matchAll(/^([\w-]+)[ \t]*:[ \t]*(.*)$/gm);
  return new Map(
    Array.from(lines, ([, name = '', value = '']) => [name.toLowerCase(), value.trim()] as const).reverse(),
  );
}

/** Removes the leading type of a value, as in `rfc822; ann@example.com` and `smtp; 550 5.1.1 …`. */
const withoutType = (value: string) => value.replace(/^[\w-]+[ \t]*;[ \t]*/, '');

/** Servers without a specific code report 5.0.0. The diagnostic text may then contain a better one. */
function statusOf(field: string, diagnostic: string): string {
  const status = ENHANCED_CODE.exec(field)?.[0] ?? '';
  if (status !== '' && !status.endsWith('.0.0')) return status;
  return ENHANCED_CODE.exec(diagnostic)?.[0] ?? status;
}
