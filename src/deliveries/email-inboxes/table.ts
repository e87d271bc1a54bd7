import type { Generated } from 'kysely';

export interface EmailInboxesTable {
  org_id: string;
  id: string;
  /** In lower case. */
  address: string;
  display_name: string | null;
  team_id: string | null;
  signature: string | null;
  /** Whether sessions without an inbox are written in from this one. One of an org is, at most. */
  is_default_sender: Generated<boolean>;
  /** Whether the address is at this installation's own domain. No two orgs have the same one then. */
  is_hosted: Generated<boolean>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    email_inboxes: EmailInboxesTable;
  }
}
