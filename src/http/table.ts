import type { Generated } from 'kysely';

export interface IdempotencyKeysTable {
  principal_id: string;
  key: string;
  request_hash: Buffer;
  status_code: number;
  answer: string;
  /** The scopes of the key that got the answer: `*` for full access, none for a partner's. */
  scopes: Generated<string[]>;
  created_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    idempotency_keys: IdempotencyKeysTable;
  }
}
