import { isIP } from 'node:net';
import {
  assertAccepted,
  type FareHarborDeps,
  type NamedConnection,
  namedConnections,
  storeFareHarbor,
} from '../actions/fareharbor/service.ts';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { alreadyExists, type DomainError, forbidden, invalid, notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import { issueOrgKey } from '../keys/service.ts';
import type { Tokens } from '../keys/tokens.ts';
import { addMember } from '../orgs/members/service.ts';
import { createOrgWithRoles, findOrg, findOrgNamed, type NewOrg, pageOrgs } from '../orgs/service.ts';
import type { FareHarbor } from '../providers/fareharbor.ts';
import { createLoginLink } from '../sign-in/links.service.ts';
import { findPartner, insertPartner, listPartners, updatePartner } from './queries.ts';
import type { CreateLoginLink, CreateOrg } from './schema.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface NewPartner {
  name: string;
  /** The CIDRs of the partner's networks. An empty list allows any address. */
  allowed_ips?: string[];
  /** The AI profile of orgs created without one. */
  ai_instructions?: string;
}

/** Creates a partner without a key. Throws invalid for malformed CIDRs. */
export async function createPartner(db: Db, { name, allowed_ips = [], ai_instructions }: NewPartner) {
  const partner = { id: newId(), name, allowed_ips: allowed_ips.map(toCidr), ai_instructions: ai_instructions ?? null };
  return insertPartner(db, partner);
}

/** Returns every partner, for operators. */
export const listAllPartners = listPartners;

/**
 * Deactivates a partner: all its keys are refused within a second. Its orgs and their keys keep working. Throws
 * notFound.
 */
export const deactivatePartner = (db: Db, partnerId: string) => changePartner(db, partnerId, { is_active: false });

/**
 * Accepts the partner's calls from these networks only, or from anywhere if there are none. Throws notFound and
 * invalid.
 */
export const allowFrom = async (db: Db, partnerId: string, cidrs: string[]) =>
  changePartner(db, partnerId, { allowed_ips: cidrs.map(toCidr) });

async function changePartner(db: Db, partnerId: string, changes: { is_active?: boolean; allowed_ips?: string[] }) {
  const partner = UUID.test(partnerId) ? await updatePartner(db, partnerId, changes) : undefined;
  if (partner === undefined) throw notFound('partner');
  return partner;
}

/** Returns the CIDR. An address without a prefix length means just that address. */
function toCidr(text: string): string {
  const [address = '', bits, ...rest] = text.trim().split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const prefix = bits === undefined ? most : /^[0-9]{1,3}$/.test(bits) ? Number(bits) : -1;
  if (rest.length > 0 || prefix < 0 || prefix > most) {
    throw invalid(`"${text}" is neither an IP address nor a CIDR such as 203.0.113.0/24`);
  }
  return `${address}/${prefix}`;
}

/**
 * Creates an org of the partner, with its roles and its widget token. Without an AI profile it gets the partner's.
 * Throws conflict if the partner has an org with this external_id.
 */
export async function createOrg(db: Db, partnerId: string, input: NewOrg) {
  const partner = await findPartner(db, partnerId);
  if (partner === undefined) throw notFound('partner');
  const ai_instructions = input.ai_instructions ?? partner.ai_instructions ?? undefined;
  const org = await createOrgWithRoles(db, partnerId, { ...input, ai_instructions });
  const { external_id = '' } = input;
  if (org === undefined) throw externalIdTaken(external_id, await findOrgNamed(db, partnerId, external_id));
  return org;
}

/**
 * Checks the connections of a new org, before anything is written. Throws invalid if one is refused, conflict if the
 * org exists already, and unavailable if a check gets no answer.
 */
export async function checkConnections(
  db: Db,
  fareHarbor: FareHarbor,
  partnerId: string,
  { integrations, external_id }: CreateOrg,
): Promise<void> {
  const connections = connectionsOf(integrations);
  if (connections.length === 0) return;
  await assertNotRetried(db, partnerId, external_id);
  const pathOf = (index: number) => `body.integrations.fareharbor${connections.length > 1 ? `.${index}` : ''}`;
  await assertAccepted(fareHarbor, connections, { pathOf, consequence: 'No org was created' });
}

const connectionsOf = (integrations: CreateOrg['integrations']): NamedConnection[] =>
  namedConnections([integrations?.fareharbor ?? []].flat(), 'integrations.fareharbor');

/** Creates an org with its connections, checked beforehand. Throws conflict for a used external_id. */
export function provisionOrg(db: Db, deps: FareHarborDeps, partnerId: string, { integrations, ...input }: CreateOrg) {
  return inTransaction(db, async (trx) => {
    const org = await createOrg(trx, partnerId, input);
    await storeFareHarbor(trx, deps, org.id, connectionsOf(integrations));
    return org;
  });
}

/**
 * Throws forbidden unless the org belongs to the partner. An org of another partner and an unknown one get the same
 * error.
 */
export async function assertOwnOrg(db: Db, partnerId: string, orgId: string): Promise<void> {
  const org = UUID.test(orgId) ? await findOrg(db, partnerId, orgId) : undefined;
  if (org === undefined) throw forbidden('The org does not belong to this partner');
}

/** Creates a key with full access to the partner's org. Throws forbidden. */
export async function createOrgKey(
  db: Db,
  tokens: Tokens,
  partnerId: string,
  { orgId, name }: { orgId: string; name: string },
) {
  await assertOwnOrg(db, partnerId, orgId);
  return issueOrgKey(db, tokens, orgId, { name });
}

/** Returns a page of the partner's orgs, oldest first, and their total number. */
export const listPartnerOrgs = pageOrgs;

/** Returns the partner's org with this external_id. Throws notFound. */
export async function getOrgNamed(db: Db, partnerId: string, externalId: string) {
  const org = await findOrgNamed(db, partnerId, externalId);
  if (org === undefined) throw notFound(`org with the external_id "${externalId.slice(0, 255)}"`);
  return org;
}

function externalIdTaken(externalId: string, org: { id: string } | undefined): DomainError {
  const message = `An org with the external_id "${externalId}" already exists`;
  return alreadyExists(message, { type: 'org', id: org?.id, field: 'external_id' });
}

/**
 * Throws conflict for a retry, without asking the third party again. This is a shortcut: the insert guarantees
 * uniqueness.
 */
async function assertNotRetried(db: Db, partnerId: string, externalId: string | undefined): Promise<void> {
  if (externalId === undefined) return;
  const org = await findOrgNamed(db, partnerId, externalId);
  if (org !== undefined) throw externalIdTaken(externalId, org);
}

/**
 * Creates a link for one sign-in within 15 minutes, and makes the user a member. Throws forbidden unless the org belongs
 * to the partner.
 */
export function issueLoginLink(
  db: Db,
  dashboardUrl: string,
  partnerId: string,
  { orgId, opens, ...person }: CreateLoginLink & { orgId: string },
) {
  return inTransaction(db, async (trx) => {
    await assertOwnOrg(trx, partnerId, orgId);
    const userId = await addMember(trx, orgId, person);
    return createLoginLink(trx, dashboardUrl, { orgId, userId, opens });
  });
}
