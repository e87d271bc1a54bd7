import type { Generated } from 'kysely';

export interface IdempotencyKeysTable {
  principal_id: string;
  key: string;
  request_hash: Buffer;
  status_code: number;
  /** Without texts of a session. */
  answer: string;
  /** The whole answer. Null if it is `answer`. */
  full_answer: string | null;
  /** The session whose texts the answer has, or gets once it is complete. Null: of none, or they are redacted. */
  session_id: string | null;
  /** The scopes of the key that got the answer: `*` for full access, none for a partner's. */
  scopes: Generated<string[]>;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    idempotency_keys: IdempotencyKeysTable;
  }
}
