import type { ColumnType, Generated } from 'kysely';

type Json = ColumnType<Record<string, unknown>, string, string>;

export interface OrgsTable {
  id: string;
  partner_id: string;
  external_id: string | null;
  name: string;
  website: string | null;
  language: Generated<string>;
  ai_instructions: string | null;
  widget_token: string;
  settings: ColumnType<Record<string, unknown>, string | undefined, string>;
  /** Encrypted. The settings contain a masked copy. */
  http_action_overrides: ColumnType<string | null, never, string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface RolesTable {
  org_id: string;
  id: string;
  name: string;
}

export interface UsersTable {
  id: Generated<number>;
  email: string;
  created_at: Generated<Date>;
}

export interface MembersTable {
  org_id: string;
  user_id: number;
  name: string;
  is_available: Generated<boolean>;
  created_at: Generated<Date>;
}

export interface MemberRolesTable {
  org_id: string;
  user_id: number;
  role_id: string;
}

export interface IntegrationsTable {
  org_id: string;
  kind: string;
  name: Generated<string>;
  provider: string;
  settings: Json;
  secrets: string | null;
  connected: boolean | null;
  last_error: string | null;
  /**
   * The account of the credentials according to the provider. Null if it was not asked since the settings were
   * replaced.
   */
  account_id: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}
