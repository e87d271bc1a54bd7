import type { Generated } from 'kysely';
import type { ProactiveChannel } from '../contract.ts';

export interface SuppressionsTable {
  org_id: string;
  id: string;
  channel: ProactiveChannel;
  address: string;
  reason: string;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    suppressions: SuppressionsTable;
  }
}
