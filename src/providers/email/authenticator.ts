import { Resolver } from 'node:dns/promises';
import type { Readable } from 'node:stream';
import ipaddr from 'ipaddr.js';
import type { authenticate } from 'mailauth';

const TIMEOUT_MS = 3_000;
const MAX_TRIES = 2;
const MIN_KEY_BITS = 1_024;

/** What is claimed of an e-mail's origin. */
export interface MailOrigin {
  /** The address in From, in lower case. */
  from: string;
  /** The envelope sender; empty for a bounce. */
  mailFrom: string;
  /** The server that handed it over. Null if it is not known. */
  client: { ip: string; helo: string } | null;
  /** How many signatures its header has. */
  signatures: number;
}

/** What SPF, DKIM and DMARC say of an e-mail. Neither holds if they say nothing. */
export interface MailAuthenticity {
  /** The domain of From sent it as a whole. */
  isAuthentic: boolean;
  /** The domain of From says that its e-mails can be recognized, and this one is none. */
  isForged: boolean;
}

export interface MailAuthenticator {
  /** Reads the e-mail to its end, or destroys it unread. */
  authenticate(raw: Readable, origin: MailOrigin): Promise<MailAuthenticity>;
}

const UNKNOWN: MailAuthenticity = { isAuthentic: false, isForged: false };
/** Each needs a look-up, and its sender writes as many as it likes. */
const MAX_SIGNATURES = 10;

/**
 * Checks e-mails by SPF, DKIM and DMARC (RFC 7208, 6376, 7489). A server of one's own network proves nothing by SPF, and
 * a signature of a part of the body proves nothing at all.
 */
export function createMailAuthenticator({ servers }: { servers: string[] }): MailAuthenticator {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, maxTimeout: TIMEOUT_MS, tries: MAX_TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const resolve = (name: string, type: string) => resolver.resolve(name, type) as Promise<string[]>;

  return {
    async authenticate(raw, { from, mailFrom, client, signatures }) {
      const isPublic = client !== null && isPublicAddress(client.ip);
      if ((!isPublic && signatures === 0) || signatures > MAX_SIGNATURES) {
        raw.destroy();
        return UNKNOWN;
      }
      const mailauth = await import('mailauth'); // large, and needed by e-mail to inboxes only
      const result = await mailauth.authenticate(raw, {
        ...(isPublic && { ip: client.ip, helo: client.helo, sender: mailFrom }),
        mta: 'switchboard',
        resolver: resolve,
        minBitLength: MIN_KEY_BITS,
        rejectRsaSha1: true,
        disableArc: true,
        disableBimi: true,
      });
      return verdictOf(result, from.slice(from.lastIndexOf('@') + 1));
    },
  };
}

type Authentication = Awaited<ReturnType<typeof authenticate>>;

/** `domain`: of From as it was read here. Mail that others read differently proves nothing. */
function verdictOf({ dkim, spf, dmarc }: Authentication, domain: string): MailAuthenticity {
  if (dmarc === false || dmarc === undefined || dmarc.status.header?.from?.toLowerCase() !== domain) return UNKNOWN;
  const isSigned = dkim.results.some(
    ({ status }) => status.result === 'pass' && status.aligned !== false && !status.underSized,
  );
  const { result } = dmarc.status;
  const isFromServer =
    result === 'none'
      ? spf !== false && spf?.status.result === 'pass' && spf.domain === domain
      : dmarc.alignment?.spf.result !== undefined;
  const isAuthentic = isSigned || isFromServer;
  return { isAuthentic, isForged: !isAuthentic && (result === 'fail' || result === 'pass') };
}

/** Whether an address is one of the internet, as IPv4 or IPv6. */
const isPublicAddress = (ip: string): boolean => ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'unicast';
