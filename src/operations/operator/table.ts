import type { Generated } from 'kysely';

interface OperatorKeysTable {
  id: string;
  name: string;
  secret_hash: Buffer;
  created_at: Generated<Date>;
  revoked_at: Date | null;
}

interface OperatorLinksTable {
  token_hash: Buffer;
  name: string;
  expires_at: Date;
}

interface OperatorSessionsTable {
  token_hash: Buffer;
  id: string;
  name: string;
  created_at: Generated<Date>;
  expires_at: Date;
}

declare module '../../db/database.ts' {
  interface Database {
    operator_keys: OperatorKeysTable;
    operator_links: OperatorLinksTable;
    operator_sessions: OperatorSessionsTable;
  }
}
