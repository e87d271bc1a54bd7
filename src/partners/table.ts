import type { Generated } from 'kysely';

export interface PartnersTable {
  id: string;
  name: string;
  is_active: Generated<boolean>;
  allowed_ips: Generated<string[]>;
  ai_instructions: string | null;
  created_at: Generated<Date>;
}

export interface LoginLinksTable {
  token_hash: Buffer;
  org_id: string;
  user_id: number;
  expires_at: Date;
}

export interface DashboardSessionsTable {
  token_hash: Buffer;
  org_id: string;
  user_id: number;
  expires_at: Date;
}

declare module '../db/database.ts' {
  interface Database {
    dashboard_sessions: DashboardSessionsTable;
    login_links: LoginLinksTable;
    partners: PartnersTable;
  }
}
