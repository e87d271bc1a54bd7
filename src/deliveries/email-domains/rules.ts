import type { DomainStatus } from './schema.ts';

interface DkimKey {
  domain: string;
  selector: string;
  public_key: string;
}

/** Returns the DNS record of a domain's DKIM key (RFC 6376, 3.6). */
export const dkimRecordOf = ({ domain, selector, public_key }: DkimKey) => ({
  name: `${selector}._domainkey.${domain}`,
  value: `v=DKIM1; k=rsa; p=${public_key}`,
});

/** Returns the record of a DMARC policy of `none`, without demands on receivers (RFC 7489, 6.3). */
export const dmarcRecordOf = ({ domain }: DkimKey) => ({ name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none' });

/**
 * Returns the DKIM status for the TXT values at the key record's name. Verified requires our key to be the only one
 * there: receivers may pick any of several (RFC 6376, 3.6.2.2). Values other than keys, such as those of a wildcard,
 * are ignored.
 */
export function keyStatusOf(texts: string[], publicKey: string): DomainStatus {
  const keys = texts.map(tagsOf).filter(({ v = 'DKIM1', p }) => v.startsWith('DKIM') && p !== undefined);
  if (keys.length === 0) return 'pending';
  const areOurs = keys.every(({ v = 'DKIM1', k = 'rsa', p }) => v === 'DKIM1' && k === 'rsa' && p === publicKey);
  return areOurs ? 'verified' : 'failed';
}

/** Verified for any DMARC policy, whatever its demands; else pending. */
export const policyStatusOf = (texts: string[]): DomainStatus =>
  texts.some((text) => /^v[ \t]*=[ \t]*DMARC1[ \t]*(;|$)/.test(text)) ? 'verified' : 'pending';

const TEXTS_SHOWN = 5;
const CHARACTERS_SHOWN = 500;

/** Returns what is shown of the texts at a name: anybody may publish many and long ones there. */
export const shownTexts = (texts: string[]): string[] =>
  texts.slice(0, TEXTS_SHOWN).map((text) => text.slice(0, CHARACTERS_SHOWN).toWellFormed().replaceAll('\0', ''));

/** Parses the tags of a key record in any order and removes white space, allowed anywhere (RFC 6376, 3.2 and 3.6.1). */
function tagsOf(text: string): { v?: string; k?: string; p?: string } {
  const specs = text.replaceAll(/[ \t\r\n]+/g, '').matchAll(/(?:^|;)([^=;]*)=([^;]*)/g);
  return Object.fromEntries(Array.from(specs, ([, name, value]) => [name, value]));
}

/**
 * Returns the domain and its parents of at least two labels in lower case: a signature of any of them is aligned with
 * the domain (RFC 7489, 3.1.1).
 */
export function domainAndParents(domain: string): string[] {
  const labels = domain.toLowerCase().split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}
