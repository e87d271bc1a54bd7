import type { Generated } from 'kysely';

export interface IdempotencyKeysTable {
  principal_id: string;
  key: string;
  request_hash: Buffer;
  status_code: number;
  answer: string;
  created_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    idempotency_keys: IdempotencyKeysTable;
  }
}
