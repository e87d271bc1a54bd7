import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { Db } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, DomainError, notFound, type ProviderError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { Dns } from '../../providers/egress/dns.ts';
import type { Secrets } from '../../secrets.ts';
import {
  countDomains,
  deleteDomain,
  findDomain,
  findOldestVerifiedDomain,
  findVerifiedDomainKey,
  insertDomain,
  listDomains,
  listDomainsToCheck,
  lockDomains,
  updateDomainStatus,
} from './queries.ts';
import { dkimRecordOf, dmarcRecordOf, domainAndParents, keyStatusOf, policyStatusOf, shownTexts } from './rules.ts';
import type { ListDomains } from './schema.ts';

type SendingDomain = NonNullable<Awaited<ReturnType<typeof findDomain>>>;

/** The key for signing e-mail of a domain. */
export interface DkimSigning {
  domain: string;
  selector: string;
  /** PEM (PKCS #8). */
  privateKey: string;
}

const MAX_DOMAINS = 100;
const KEY_BITS = 2048;
const SELECTOR_BYTES = 5;
const TTL_SECONDS = 3600;
const DOMAINS_PER_CHECK = 100;

const generateKeys = promisify(generateKeyPair);

/**
 * Adds a domain with its own DKIM key. A repeated call changes nothing: the key and the status stay. Throws conflict
 * over the limit.
 */
export async function putDomain(db: Db, secrets: Secrets, orgId: string, domain: string) {
  const stored = await findDomain(db, orgId, domain);
  if (stored !== undefined) return toResponse(stored); // saves generating a key; the insert decides races
  const keys = await generateDkimKeys();

  return inTransaction(db, async (trx) => {
    await lockDomains(trx, orgId);
    const id = newId();
    const row = await insertDomain(trx, orgId, {
      id,
      domain,
      selector: `sb${randomBytes(SELECTOR_BYTES).toString('hex')}`,
      public_key: keys.publicKey,
      private_key: secrets.encrypt(keys.privateKey, secretPlaceOf(orgId, id)),
    });
    if ((await countDomains(trx, orgId)) > MAX_DOMAINS) {
      throw conflict(`domainName: an org has at most ${MAX_DOMAINS} sending domains: delete one that is not in use`);
    }
    return toResponse(row);
  });
}

/**
 * Checks the domain's DNS records and stores the result. Throws notFound, and unavailable if DNS gives no answer: the
 * status then stays the same. The DMARC policy is only recommended: without an answer it keeps its status and blocks
 * nothing.
 */
export async function verifyDomain(db: Db, dns: Dns, orgId: string, domain: string) {
  const stored = await findDomain(db, orgId, domain);
  if (stored === undefined) throw notFound('sending domain');

  const [keys, policies] = await Promise.all([
    dns.resolveTxt(dkimRecordOf(stored).name).catch((error: ProviderError) => {
      throw new DomainError('unavailable', `${error.message}. The domain is still ${stored.status}: try again soon`);
    }),
    dns.resolveTxt(dmarcRecordOf(stored).name).catch(() => undefined),
  ]);
  const checked = await updateDomainStatus(db, orgId, stored.id, {
    status: keyStatusOf(keys, stored.public_key),
    dmarc_status: policies === undefined ? stored.dmarc_status : policyStatusOf(policies),
    found: shownTexts(keys),
    dmarc_found: policies === undefined ? stored.dmarc_found : shownTexts(policies),
  });
  if (checked === undefined) throw notFound('sending domain'); // deleted during the DNS check
  return toResponse(checked);
}

/**
 * Checks verified domains of all orgs whose last check is more than a day ago, some at a time. One for which DNS gives
 * no answer keeps its status. Returns those that are no longer verified: nothing is signed by them.
 */
export async function checkVerifiedDomains(db: Db, dns: Dns): Promise<{ org_id: string; domain: string }[]> {
  const lost: { org_id: string; domain: string }[] = [];
  for (const { org_id, domain } of await listDomainsToCheck(db, DOMAINS_PER_CHECK)) {
    try {
      const { domainStatus } = await verifyDomain(db, dns, org_id, domain);
      if (domainStatus !== 'verified') lost.push({ org_id, domain });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }
  return lost;
}

/** Deletes the domain and its key permanently. Throws notFound. */
export async function deleteSendingDomain(db: Db, orgId: string, domain: string): Promise<void> {
  if (!(await deleteDomain(db, orgId, domain))) throw notFound('sending domain');
}

/** Returns a page of the org's domains with the records to publish, oldest first. */
export async function pageOfDomains(db: Db, orgId: string, query: ListDomains) {
  const { items, next } = await pageOf(db, query, (page) => listDomains(db, orgId, page));
  return { items: items.map((row) => ({ ...row, domainName: row.domain, ...toResponse(row) })), next };
}

/** Finds the key for signing e-mail from this domain: its own if verified, else the key of the nearest verified parent. */
export async function findDkimSigning(
  db: Db,
  secrets: Secrets,
  orgId: string,
  fromDomain: string,
): Promise<DkimSigning | undefined> {
  const row = await findVerifiedDomainKey(db, orgId, domainAndParents(fromDomain));
  if (row === undefined) return undefined;
  const { id, domain, selector, private_key } = row;
  return { domain, selector, privateKey: secrets.decrypt(private_key, secretPlaceOf(orgId, id)) };
}

/** Returns a verified domain of the org, if it has one. */
export const findVerifiedDomain = async (db: Db, orgId: string): Promise<string | undefined> =>
  (await findOldestVerifiedDomain(db, orgId))?.domain;

/** Whether the org may send from this address: the address's domain or one of its parents is verified. */
export async function isVerifiedSender(db: Db, orgId: string, fromEmail: string): Promise<boolean> {
  const domain = fromEmail.slice(fromEmail.lastIndexOf('@') + 1);
  return (await findVerifiedDomainKey(db, orgId, domainAndParents(domain))) !== undefined;
}

function toResponse(row: SendingDomain) {
  const record = { type: 'TXT' as const, ttl: TTL_SECONDS };
  return {
    domainRecords: [
      { ...record, ...dkimRecordOf(row), status: row.status, found: row.found },
      { ...record, ...dmarcRecordOf(row), status: row.dmarc_status, found: row.dmarc_found },
    ],
    domainStatus: row.status,
  };
}

/** Generates a pair of RSA keys: the public key in DNS format (RFC 6376, 3.6.1), the private key as PEM. */
async function generateDkimKeys() {
  const { publicKey, privateKey } = await generateKeys('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKey: publicKey.toString('base64'), privateKey };
}

const secretPlaceOf = (orgId: string, id: string) => ({
  orgId,
  table: 'sending_domains',
  column: 'private_key',
  row: id,
});
