import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import sign from 'nodemailer/lib/dkim/sign';
import type { EmailMessage } from './port.ts';

export type DkimSigning = NonNullable<EmailMessage['dkim']>;

const MAX_CACHED_KEYS = 500;

/** RFC 8058 requires signing both List-Unsubscribe fields; nodemailer's own list omits the second. */
export const DKIM_FIELDS =
  'From:Sender:Reply-To:Subject:Date:Message-ID:In-Reply-To:References:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Unsubscribe:List-Unsubscribe-Post';

const privateKeys = new LRUCache<string, KeyObject>({
  max: MAX_CACHED_KEYS,
  memoMethod: (key) => createPrivateKey(key),
});

function privateKeyOf({ domain, privateKey }: DkimSigning): KeyObject {
  try {
    return privateKeys.memo(privateKey);
  } catch (cause) {
    throw new DkimKeyUnusable(domain, { cause });
  }
}

/** Throws DkimKeyUnusable if the key cannot sign: it is none, or none of RSA. */
export function checkKey(signing: DkimSigning): void {
  if (privateKeyOf(signing).asymmetricKeyType !== 'rsa') throw new DkimKeyUnusable(signing.domain);
}

/** Returns the header with the signature. The key is parsed once, which takes as long as a tenth of a signature. */
export function signatureOf(headers: string[], body: string, signing: DkimSigning): string {
  const { domain, selector } = signing;
  const lines = headers.map((field) => ({
    key: field.slice(0, field.indexOf(':')).toLowerCase(),
    line: Buffer.from(field).toString('latin1'),
  }));
  const bodyHash = createHash('sha256').update(relaxedBodyOf(body)).digest('base64');
  const signature = sign(lines, 'sha256', bodyHash, {
    domainName: domain,
    keySelector: selector,
    privateKey: privateKeyOf(signing),
    headerFieldNames: DKIM_FIELDS,
  });
  if (signature === false) throw new DkimKeyUnusable(domain);
  return signature;
}

/** The private key for a domain is none that can sign. */
export class DkimKeyUnusable extends Error {
  constructor(domain: string, options?: ErrorOptions) {
    super(`The DKIM key of ${domain} cannot sign`, options);
    this.name = 'DkimKeyUnusable';
  }
}

/** Returns the body in its relaxed canonical form (RFC 6376, 3.4.4). */
function relaxedBodyOf(body: string): string {
  const relaxed = body.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n');
  let end = relaxed.length;
  while (end > 0 && relaxed.startsWith('\r\n', end - 2)) end -= 2;
  return end === 0 ? '' : `${relaxed.slice(0, end)}\r\n`;
}
