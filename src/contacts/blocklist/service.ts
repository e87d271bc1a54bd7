import type { Db } from '../../db/connect.ts';
import { invalid, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { DomainName } from '../../schemas/parts.ts';
import {
  countBlockedContacts,
  countBlockedDomains,
  deleteBlockedContact,
  deleteBlockedDomain,
  hasBlockedEmail,
  insertBlockedContact,
  insertBlockedDomains,
  listBlockedAmong,
  listBlockedContacts,
  listBlockedDomains,
} from './queries.ts';
import type { BlockContact, BlockDomains, BlocklistQuery } from './schema.ts';

export { blockedContact, blockedContactIn, blockedEmail, isBlockedContact, listBlockedEmails } from './queries.ts';

const MAX_DOMAINS = 1000;
const MAX_SHOWN_DOMAINS = 20;

/** Whether the e-mail of a contact is blocked; false without a contact. */
export const isContactBlocked = async (db: Db, orgId: string, contactId: string | null): Promise<boolean> =>
  contactId !== null && (await hasBlockedEmail(db, orgId, contactId));

/** Returns those of the contacts whose e-mail is blocked. */
export async function blockedAmong(db: Db, orgId: string, contactIds: string[]): Promise<Set<string>> {
  return new Set(contactIds.length === 0 ? [] : await listBlockedAmong(db, orgId, contactIds));
}

/** Blocks an e-mail, whether or not a contact has it. */
export async function blockContact(db: Db, orgId: string, { email, reason }: BlockContact): Promise<void> {
  await insertBlockedContact(db, orgId, { id: newId(), email, reason: reason ?? null });
}

/** Unblocks an e-mail. Throws notFound. */
export async function unblockContact(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteBlockedContact(db, orgId, id))) throw notFound('blocked contact');
}

/** Returns a page of the blocked e-mails, and how many there are. */
export async function pageOfBlockedContacts(db: Db, orgId: string, query: BlocklistQuery) {
  const data = await listBlockedContacts(db, orgId, rangeOf(query));
  return { data, ...totalsOf(query, await countBlockedContacts(db, orgId, query.email)) };
}

/** Blocks domains and reports those blocked already. Throws invalid with the first MAX_SHOWN_DOMAINS invalid ones. */
export async function blockDomains(db: Db, orgId: string, { domains, reason }: BlockDomains) {
  const names = parseDomains(domains);
  const blocks = names.map((domain) => ({ id: newId(), domain, reason: reason ?? null }));
  const blocked = await insertBlockedDomains(db, orgId, blocks);
  const isNew = new Set(blocked.map(({ domain }) => domain));
  const skipped = names.filter((domain) => !isNew.has(domain));
  return { blocked, skipped, summary: { total: names.length, blocked: blocked.length, skipped: skipped.length } };
}

/** Unblocks a domain. Throws notFound. */
export async function unblockDomain(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteBlockedDomain(db, orgId, id))) throw notFound('blocked domain');
}

/** Returns a page of the blocked domains, and how many there are. */
export async function pageOfBlockedDomains(db: Db, orgId: string, query: BlocklistQuery) {
  const data = await listBlockedDomains(db, orgId, rangeOf(query));
  return { data, ...totalsOf(query, await countBlockedDomains(db, orgId, query.email)) };
}

/** Returns each domain once, in lower case and ASCII (RFC 5891). Throws invalid. */
function parseDomains(text: string): string[] {
  const given = text.split(',').map((part) => part.trim());
  const named = given.filter((part) => part !== '');
  if (named.length === 0)
    throw invalid('body.domains: must name at least one domain, such as "spam.example, junk.example"');
  if (named.length > MAX_DOMAINS) throw invalid(`body.domains: must name at most ${MAX_DOMAINS} domains`);
  const wrong = named.filter((part) => !DomainName.safeParse(part).success);
  if (wrong.length > 0) {
    const shown = wrong.slice(0, MAX_SHOWN_DOMAINS).map((part) => part.slice(0, 100).toWellFormed());
    throw invalid(
      `body.domains: not valid: ${shown.join(', ')}`,
      shown.map((part) => ({ path: 'body.domains', message: `${part} is not a domain, such as example.com` })),
    );
  }
  return [...new Set(named.map((part) => DomainName.parse(part)))];
}

const rangeOf = ({ page, limit, email }: BlocklistQuery) => ({ offset: (page - 1) * limit, limit, email });

const totalsOf = ({ page, limit }: BlocklistQuery, total: number) => ({
  total,
  page,
  total_pages: Math.ceil(total / limit),
});
