import type { ColumnType, Generated } from 'kysely';

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
  /** Set while the member's sessions are being cleared. */
  deleted_at: Date | null;
  created_at: Generated<Date>;
  /** The language of the member's pages. Null: the org's. */
  language: string | null;
  /** What the member chose for these pages. */
  settings: ColumnType<Record<string, unknown>, string | undefined, string>;
}

export interface MemberRolesTable {
  org_id: string;
  user_id: number;
  role_id: string;
}

declare module '../../db/database.ts' {
  interface Database {
    member_roles: MemberRolesTable;
    members: MembersTable;
    roles: RolesTable;
    users: UsersTable;
  }
}
