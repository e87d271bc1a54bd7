import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';

export interface OrgRow {
  id: string;
  partner_id: string;
  external_id: string | null;
  name: string;
  website: string | null;
  language: string;
  ai_instructions: string | null;
  widget_token: string;
}

const ORG_COLUMNS = [
  'id',
  'name',
  'website',
  'language',
  'ai_instructions',
  'widget_token',
  'created_at',
  'updated_at',
] as const;
const PROVISIONED_COLUMNS = ['id', 'name', 'widget_token', 'external_id', 'created_at'] as const;

/** Returns the new org, or undefined if the partner already has one with this external_id. */
export function insertOrg(db: Db, org: OrgRow) {
  return db
    .insertInto('orgs')
    .values(org)
    .onConflict((oc) => oc.constraint('orgs_external_id_key').doNothing())
    .returning(PROVISIONED_COLUMNS)
    .executeTakeFirst();
}

export async function insertRoles(db: Db, roles: { org_id: string; id: string; name: string }[]): Promise<void> {
  await db.insertInto('roles').values(roles).execute();
}

export function listOrgsOfPartner(db: Db, partnerId: string, { limit, offset }: { limit: number; offset: number }) {
  return db
    .selectFrom('orgs')
    .select(PROVISIONED_COLUMNS)
    .where('partner_id', '=', partnerId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countOrgsOfPartner(db: Db, partnerId: string): Promise<number> {
  const { total } = await db
    .selectFrom('orgs')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('partner_id', '=', partnerId)
    .executeTakeFirstOrThrow();
  return total;
}

export function findOrgOfPartner(db: Db, partnerId: string, orgId: string) {
  return db
    .selectFrom('orgs')
    .select(PROVISIONED_COLUMNS)
    .where('partner_id', '=', partnerId)
    .where('id', '=', orgId)
    .executeTakeFirst();
}

export function findOrgByExternalId(db: Db, partnerId: string, externalId: string) {
  return db
    .selectFrom('orgs')
    .select(PROVISIONED_COLUMNS)
    .where('partner_id', '=', partnerId)
    .where('external_id', '=', externalId)
    .executeTakeFirst();
}

/** Lists all orgs for operators, of one partner or of all. */
export function listAllOrgs(db: Db, partnerId: string | undefined) {
  return db
    .selectFrom('orgs')
    .select(['id', 'name', 'partner_id', 'external_id', 'created_at'])
    .$call((query) => (partnerId === undefined ? query : query.where('partner_id', '=', partnerId)))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Returns the org with this widget token. */
export function findOrgOfWidget(db: Db, widgetToken: string) {
  return db.selectFrom('orgs').select(['id', 'name']).where('widget_token', '=', widgetToken).executeTakeFirst();
}

export function getOrg(db: Db, orgId: string) {
  return db.selectFrom('orgs').select(ORG_COLUMNS).where('id', '=', orgId).executeTakeFirstOrThrow();
}

/** Changes the given fields. */
export function updateOrg(
  db: Db,
  orgId: string,
  changes: Partial<Pick<OrgRow, 'name' | 'website' | 'language' | 'ai_instructions'>>,
) {
  return db
    .updateTable('orgs')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', orgId)
    .returning(ORG_COLUMNS)
    .executeTakeFirstOrThrow();
}

export async function getSettings(db: Db, orgId: string) {
  const { settings } = await db.selectFrom('orgs').select('settings').where('id', '=', orgId).executeTakeFirstOrThrow();
  return settings;
}

/** Sets the settings in `changes`; null removes one. A single statement, so concurrent changes are all kept. */
export async function mergeSettings(db: Db, orgId: string, changes: object) {
  const { settings } = await db
    .updateTable('orgs')
    .set({
      settings: sql<string>`jsonb_strip_nulls(settings || ${JSON.stringify(changes)}::jsonb)`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', orgId)
    .returning('settings')
    .executeTakeFirstOrThrow();
  return settings;
}

/** Locks the org until the transaction ends, serializing changes to its members and to its stored overrides. */
export async function lockOrg(db: Db, orgId: string): Promise<void> {
  await db.selectFrom('orgs').select('id').where('id', '=', orgId).forNoKeyUpdate().execute();
}

/** Returns the org's HTTP action overrides, encrypted, and the hosts that get them. */
export const findActionOverrides = (db: Db, orgId: string) =>
  db
    .selectFrom('orgs')
    .select('http_action_overrides as sealed')
    .select(sql<string[]>`coalesce(settings #> '{http_action_overrides,hosts}', '[]')`.as('hosts'))
    .where('id', '=', orgId)
    .executeTakeFirstOrThrow();

export async function setActionOverrides(db: Db, orgId: string, sealed: string | null): Promise<void> {
  await db.updateTable('orgs').set({ http_action_overrides: sealed }).where('id', '=', orgId).execute();
}

/** Returns the default language of an org. */
export async function findOrgLanguage(db: Db, orgId: string): Promise<string> {
  const { language } = await db.selectFrom('orgs').select('language').where('id', '=', orgId).executeTakeFirstOrThrow();
  return language;
}

/** SQL: how `org` wants its AI to be, or else its `partner` does. */
const AI_INSTRUCTIONS = sql<string | null>`coalesce(nullif(org.ai_instructions, ''), partner.ai_instructions)`;

/** Returns what its AI has to know of an org. */
export async function getAiProfile(db: Db, orgId: string) {
  const { rows } = await sql<{ language: string; settings: Record<string, unknown>; instructions: string | null }>`
    select org.language, org.settings, ${AI_INSTRUCTIONS} as instructions
    from orgs as org join partners as partner on partner.id = org.partner_id where org.id = ${orgId}
  `.execute(db);
  const [profile] = rows;
  if (profile === undefined) throw new Error(`There is no org ${orgId}`);
  return profile;
}

/** Returns how the org wants its AI to be, or else its partner does. */
export async function findAiInstructions(db: Db, orgId: string): Promise<string | null> {
  const { rows } = await sql<{ text: string | null }>`
    select ${AI_INSTRUCTIONS} as text
    from orgs as org join partners as partner on partner.id = org.partner_id where org.id = ${orgId}
  `.execute(db);
  return rows[0]?.text ?? null;
}

/** Lists the time zones that orgs have set. */
export async function listTimeZonesOfOrgs(db: Db): Promise<string[]> {
  const { rows } = await sql<{ zone: string }>`
    select distinct settings->>'timezone' as zone from orgs where settings->>'timezone' is not null
  `.execute(db);
  return rows.map(({ zone }) => zone);
}
