import type { Generated } from 'kysely';

export interface PartnersTable {
  id: string;
  name: string;
  is_active: Generated<boolean>;
  allowed_ips: Generated<string[]>;
  ai_instructions: string | null;
  created_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    partners: PartnersTable;
  }
}
