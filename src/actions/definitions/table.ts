import type { ColumnType, Generated } from 'kysely';
import type { ConnectionKind } from '../../orgs/integrations/schema.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { ActionPayload, ConfirmWhen, RequestType } from './schema.ts';

export interface ActionsTable {
  org_id: string;
  id: string;
  name: string;
  description: string | null;
  /** The address to call, with {names} of path parameters. */
  api_endpoint: string;
  request_type: RequestType;
  operation_id: string;
  payload: ColumnType<ActionPayload, string, string>;
  channels: SessionChannel[];
  pinned: boolean;
  tags: string[];
  require_form_submission: boolean;
  /** Whether a call may be sent again with its key if its outcome was not seen. */
  retry_safe: Generated<boolean>;
  requires_verified: Generated<boolean>;
  confirm: Generated<ConfirmWhen>;
  /** JSON Logic over the arguments. Where it holds, an agent must confirm. */
  limits: ColumnType<unknown, string | null | undefined, string | null>;
  /** Whether it changes nothing, whatever its method is. */
  read_only: Generated<boolean>;
  /** Whether nobody can call it: a person has to accept its definition. */
  held: Generated<boolean>;
  /** The connection whose keys it is called with, and which of its operations it is. */
  connection_kind: ConnectionKind | null;
  connection_name: string | null;
  connection_operation: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    actions: ActionsTable;
  }
}
