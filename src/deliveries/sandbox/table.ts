import type { ColumnType, Generated } from 'kysely';
import type { Channel } from '../contract.ts';

export interface SandboxOutboxTable {
  org_id: string;
  id: string;
  channel: Channel;
  to: string;
  payload: ColumnType<unknown, string, string>;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    sandbox_outbox: SandboxOutboxTable;
  }
}
