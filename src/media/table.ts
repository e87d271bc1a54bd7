import type { Generated } from 'kysely';

export interface MediaTable {
  org_id: string;
  id: string;
  key: string;
  file_name: string;
  mime_type: string;
  size: number;
  created_at: Generated<Date>;
  deleted_at: Date | null;
}

declare module '../db/database.ts' {
  interface Database {
    media: MediaTable;
  }
}
