import type { Generated } from 'kysely';

export interface BlockedContactsTable {
  org_id: string;
  id: string;
  email: string;
  reason: string | null;
  created_at: Generated<Date>;
}

export interface BlockedDomainsTable {
  org_id: string;
  id: string;
  domain: string;
  reason: string | null;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    blocked_contacts: BlockedContactsTable;
    blocked_domains: BlockedDomainsTable;
  }
}
