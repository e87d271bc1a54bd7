import type { Generated } from 'kysely';

export interface PartnerApiKeysTable {
  partner_id: string;
  id: string;
  name: string;
  created_at: Generated<Date>;
  revoked_at: Date | null;
}

export interface OrgApiKeysTable {
  org_id: string;
  id: string;
  name: string;
  scopes: string[] | null;
  created_at: Generated<Date>;
  revoked_at: Date | null;
  /** At most an hour old. Null: it was not used yet. */
  last_used_at: Date | null;
}

declare module '../db/database.ts' {
  interface Database {
    org_api_keys: OrgApiKeysTable;
    partner_api_keys: PartnerApiKeysTable;
  }
}
