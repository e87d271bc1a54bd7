import type { Db } from '../db/connect.ts';
import { conflict, notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import { type NewOrg, openOrg } from '../orgs/service.ts';
import { findPartner, insertPartner } from './queries.ts';

export interface NewPartner {
  name: string;
  /** CIDRs from which the partner may call. None allows any. */
  allowed_ips?: string[];
  /** The AI profile of orgs that are created without one of their own. */
  ai_instructions?: string;
}

/** Makes a partner, without a key. */
export function createPartner(db: Db, { name, allowed_ips = [], ai_instructions }: NewPartner) {
  return insertPartner(db, { id: newId(), name, allowed_ips, ai_instructions: ai_instructions ?? null });
}

/**
 * Makes an org of the partner, with its roles and its widget token. The partner's AI profile is its own where it brings none.
 * Throws conflict when the partner has an org with this external_id.
 */
export async function createOrg(db: Db, partnerId: string, input: NewOrg) {
  const partner = await findPartner(db, partnerId);
  if (partner === undefined) throw notFound('partner');
  const ai_instructions = input.ai_instructions ?? partner.ai_instructions ?? undefined;
  const org = await openOrg(db, partnerId, { ...input, ai_instructions });
  if (org === undefined) throw conflict(`An org with the external_id "${input.external_id}" already exists`);
  return org;
}
