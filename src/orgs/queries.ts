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

/** The org, or undefined when the partner has one with this external_id already. */
export function insertOrg(db: Db, org: OrgRow) {
  return db
    .insertInto('orgs')
    .values(org)
    .onConflict((oc) => oc.constraint('orgs_external_id_key').doNothing())
    .returning(['id', 'name', 'widget_token', 'external_id', 'created_at'])
    .executeTakeFirst();
}

export async function insertRoles(db: Db, roles: { org_id: string; id: string; name: string }[]): Promise<void> {
  await db.insertInto('roles').values(roles).execute();
}
