import type { DomainStatus } from './schema.ts';

interface DkimKey {
  domain: string;
  selector: string;
  public_key: string;
}

/** The record that holds a domain's DKIM key (RFC 6376, 3.6). */
export const dkimRecordOf = ({ domain, selector, public_key }: DkimKey) => ({
  name: `${selector}._domainkey.${domain}`,
  value: `v=DKIM1; k=rsa; p=${public_key}`,
});

/** The record of a DMARC policy that asks receivers for nothing yet (RFC 7489, 6.3). */
export const dmarcRecordOf = ({ domain }: DkimKey) => ({ name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none' });

/**
 * What the texts at the key record's name say. Verified only where ours is the only key there: receivers may take any of several
 * (RFC 6376, 3.6.2.2). Texts that are no key, such as those of a wildcard, count as nothing.
 */
export function keyStatusOf(texts: string[], publicKey: string): DomainStatus {
  const keys = texts.map(tagsOf).filter(({ v = 'DKIM1', p }) => v.startsWith('DKIM') && p !== undefined);
  if (keys.length === 0) return 'pending';
  const areOurs = keys.every(({ v = 'DKIM1', k = 'rsa', p }) => v === 'DKIM1' && k === 'rsa' && p === publicKey);
  return areOurs ? 'verified' : 'failed';
}

/** Whether there is a DMARC policy, whatever it asks for. */
export const policyStatusOf = (texts: string[]): DomainStatus =>
  texts.some((text) => /^v[ \t]*=[ \t]*DMARC1[ \t]*(;|$)/.test(text)) ? 'verified' : 'pending';

/** The tags of a key record in any order, without the white space that may stand anywhere (RFC 6376, 3.2 and 3.6.1). */
function tagsOf(text: string): { v?: string; k?: string; p?: string } {
  const specs = text.replaceAll(/[ \t\r\n]+/g, '').matchAll(/(?:^|;)([^=;]*)=([^;]*)/g);
  return Object.fromEntries(Array.from(specs, ([, name, value]) => [name, value]));
}

/** The domain and its parents of at least two labels, in lower case: those whose signature is aligned with it (RFC 7489, 3.1.1). */
export function domainAndParents(domain: string): string[] {
  const labels = domain.toLowerCase().split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}
