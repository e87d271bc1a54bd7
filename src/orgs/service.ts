import { randomBytes } from 'node:crypto';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import { announceChangedOrg } from '../keys/service.ts';
import { announce } from '../outbox/announcing.ts';
import { ROLE_NAMES } from '../schemas/roles.ts';
import {
  countOrgsOfPartner,
  findAiInstructions,
  findOrgByExternalId,
  findOrgLanguage,
  findOrgOfPartner,
  findOrgOfWidget,
  getAiProfile,
  getSettings,
  insertOrg,
  insertRoles,
  listAllOrgs,
  listOrgsOfPartner,
  listTimeZonesOfOrgs,
  mergeSettings,
} from './queries.ts';

import { type OrgSettings, SETTING_NAMES, type UpdateSettings } from './settings/schema.ts';

const WIDGET_TOKEN_BYTES = 32;
const SENDING_SETTINGS = ['timezone', 'quiet_hours', 'daily_cap'];

export interface NewOrg {
  name: string;
  external_id?: string;
  website?: string;
  language?: string;
  ai_instructions?: string;
}

/**
 * Creates an org of the partner with its built-in roles. Returns undefined and writes nothing if its external_id is
 * taken.
 */
export function createOrgWithRoles(
  db: Db,
  partnerId: string,
  { name, external_id, website, language, ai_instructions }: NewOrg,
) {
  return inTransaction(db, async (trx) => {
    const org = await insertOrg(trx, {
      id: newId(),
      partner_id: partnerId,
      external_id: external_id ?? null,
      name,
      website: website ?? null,
      language: language ?? 'en',
      ai_instructions: ai_instructions ?? null,
      widget_token: randomBytes(WIDGET_TOKEN_BYTES).toString('base64url'),
    });
    if (org === undefined) return undefined;
    await insertRoles(
      trx,
      ROLE_NAMES.map((role) => ({ org_id: org.id, id: newId(), name: role })),
    );
    return org;
  });
}

/** Returns a page of the partner's orgs, oldest first, and their total number. */
export async function pageOrgs(db: Db, partnerId: string, page: { limit: number; offset: number }) {
  const [data, total] = await Promise.all([listOrgsOfPartner(db, partnerId, page), countOrgsOfPartner(db, partnerId)]);
  return { data, total };
}

/** Returns the partner's org with this id, if it has one. */
export const findOrg = findOrgOfPartner;

/** Returns the partner's org with this external_id, if it has one. */
export const findOrgNamed = findOrgByExternalId;

/** Returns the org with this widget token, if there is one. */
export const findWidgetOrg = findOrgOfWidget;

/** Lists all orgs, for operators. */
export const listOrgs = listAllOrgs;

/** Returns all settings of the org; null means off. */
export async function readSettings(db: Db, orgId: string): Promise<OrgSettings> {
  return withAllSettings(await getSettings(db, orgId));
}

/** Changes the given settings; null turns one off. */
export function changeSettings(db: Db, orgId: string, changes: UpdateSettings): Promise<OrgSettings> {
  return inTransaction(db, async (trx) => {
    const settings = withAllSettings(await mergeSettings(trx, orgId, changes));
    if (SENDING_SETTINGS.some((name) => name in changes))
      await announce(trx, orgId, [{ type: 'sending-settings-changed', subject_id: orgId, payload: {} }]);
    if ('country' in changes) await announceChangedOrg(trx);
    if ('insight_categories' in changes)
      await announce(trx, orgId, [{ type: 'insight-categories-changed', subject_id: orgId, payload: {} }]);
    if ('handoff_target' in changes)
      await announce(trx, orgId, [{ type: 'handoff-target-changed', subject_id: orgId, payload: {} }]);
    if ('member_capacity' in changes)
      await announce(trx, orgId, [{ type: 'staffing-changed', subject_id: orgId, payload: {} }]);
    return settings;
  });
}

/** The column needs no parsing: it was written through the schema. */
const withAllSettings = (stored: Record<string, unknown>) =>
  Object.fromEntries(SETTING_NAMES.map((name) => [name, stored[name] ?? null])) as OrgSettings;

/** What its AI has to know of an org. */
export interface OrgProfile {
  /** The default language, as a language code. */
  language: string;
  settings: OrgSettings;
  /** How the org wants its AI to be, or else its partner does. */
  instructions: string | null;
}

/** Returns what its AI has to know of an org, in one statement. */
export async function readProfile(db: Db, orgId: string): Promise<OrgProfile> {
  const { settings, ...profile } = await getAiProfile(db, orgId);
  return { ...profile, settings: withAllSettings(settings) };
}

/** Returns the default language of an org, as a language code. */
export const getOrgLanguage = findOrgLanguage;

export { findAiInstructions, listTimeZonesOfOrgs };
