import type { ColumnType, Generated } from 'kysely';
import type { ConfirmationReason, Confirmer } from './confirming.rules.ts';
import type { CallState, DecidedBy } from './states.rules.ts';

/** One call of an action, or of a customer's workflow, by the AI. */
export interface AiCallsTable {
  org_id: string;
  /** It is the Idempotency-Key of the call's request, or the id of the workflow's run, too. */
  id: string;
  session_id: string;
  /** The turn of its proposal. */
  turn_id: string;
  /** The beginning of the conversation known to the AI then. The same call is made once in it. */
  epoch: number;
  /** A merge leaves it: the fingerprint has it too. What reads the contact resolves it. */
  contact_id: string | null;
  /** Null for a workflow's. */
  action_id: string | null;
  /** Null for an action's. */
  workflow_id: string | null;
  operation_id: string;
  /** The action's name when the call was proposed. */
  name: string;
  /** Null once they are redacted. */
  arguments: ColumnType<Record<string, unknown> | null, string, string | null>;
  /** SHA-256 of the action, its canonical arguments and the contact, in hex. */
  fingerprint: string;
  state: CallState;
  /** Its required confirmer. Null if nobody must. */
  needs: Confirmer | null;
  needs_because: ConfirmationReason | null;
  confirmed_by: DecidedBy | null;
  /** The API key of the agent's decision. */
  decided_key_id: string | null;
  /** SHA-256 of the link's token, in hex. */
  token_hash: string | null;
  /** The message with the question, in its newest wording. A draft for agents asks no customer. */
  asked_message_id: string | null;
  /** The message with the deciding yes or no. */
  decided_message_id: string | null;
  expires_at: Date | null;
  /** Whether its request may be sent again with the same key. Decided when it is first sent. */
  is_repeatable: Generated<boolean>;
  tries: Generated<number>;
  /** The HTTP status of the answer. */
  status: number | null;
  response: ColumnType<unknown, string | null | undefined, string | null>;
  /** Why it failed, or is unknown; or the note of whoever settled it. */
  reason: string | null;
  /** The API key of the agent for the settlement of an unknown outcome. */
  settled_key_id: string | null;
  /** Another process may take over the call after this time. */
  leased_until: Date | null;
  /** When a turn gave up waiting for a workflow's run. Its end is told by another turn. */
  deferred_at: Date | null;
  /** When the contact was told of the decision and the outcome. */
  reported_at: Date | null;
  redacted_at: Date | null;
  decided_at: Date | null;
  started_at: Date | null;
  ended_at: Date | null;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    ai_calls: AiCallsTable;
  }
}
