import type { ColumnType, Generated } from 'kysely';
import type { SessionChannel } from '../../conversations/sessions/schema.ts';
import type { ActionPayload, RequestType } from './schema.ts';

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
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** Calls made at most once. */
export interface ActionCallsTable {
  org_id: string;
  key: string;
  /** Null if the call began and its answer was not seen. */
  answer: ColumnType<{ status: number; body: unknown } | null, string | undefined, string>;
  began_at: Generated<Date>;
}

export interface MessageOverridesTable {
  org_id: string;
  message_id: string;
  sealed: string;
}
