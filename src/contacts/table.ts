import type { ColumnType, Generated } from 'kysely';

export interface ContactsTable {
  org_id: string;
  id: string;
  email: string | null;
  phone_number: string | null;
  name: string | null;
  custom_data: ColumnType<Record<string, string>, string | undefined, string>;
  http_action_overrides: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface SegmentsTable {
  org_id: string;
  id: string;
  name: string;
  filter: ColumnType<unknown, string | null, string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

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
