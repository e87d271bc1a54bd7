import type { Generated } from 'kysely';

export interface EmailRequestsTable {
  org_id: string;
  id: string;
  from_email: string;
  due_at: Date;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    email_requests: EmailRequestsTable;
  }
}
