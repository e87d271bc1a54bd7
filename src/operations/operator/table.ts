import type { Generated } from 'kysely';
import type { OperatorAction } from './actions.rules.ts';

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

/** What an operator did. `ref` is the id of what it is about; `detail` a reason, a type or a name. */
export interface OperatorActionsTable {
  id: string;
  created_at: Generated<Date>;
  /** The key or the session. */
  operator_id: string | null;
  operator_name: string | null;
  via: 'key' | 'session' | 'command';
  action: OperatorAction;
  ref: string | null;
  detail: string | null;
}

declare module '../../db/database.ts' {
  interface Database {
    operator_keys: OperatorKeysTable;
    operator_links: OperatorLinksTable;
    operator_sessions: OperatorSessionsTable;
    operator_actions: OperatorActionsTable;
  }
}
