import type { Generated } from 'kysely';

interface LoginLinksTable {
  token_hash: Buffer;
  org_id: string;
  user_id: number;
  expires_at: Date;
}

interface DashboardSessionsTable {
  token_hash: Buffer;
  id: string;
  org_id: string;
  user_id: number;
  /** The hash of the token of the link that it was opened by. */
  link_hash: Buffer | null;
  created_at: Generated<Date>;
  /** When it ends unless it is used before. */
  expires_at: Date;
}

declare module '../db/database.ts' {
  interface Database {
    dashboard_sessions: DashboardSessionsTable;
    login_links: LoginLinksTable;
  }
}
