import type { Db } from '../../db/connect.ts';
import type { CreatePhoneAgent } from '../../phone-agents/schema.ts';
import type { PhoneAgentProfile } from '../../providers/vapi/port.ts';

/** All that a call needs of a phone agent. */
export type CallProfile = PhoneAgentProfile & Pick<CreatePhoneAgent, 'type'>;

/**
 * Finds a phone agent with what it follows and may do, as it is now. Training that is restricted to segments is that of the
 * contact. The agent's id may be any text.
 */
export type FindPhoneAgent = (
  db: Db,
  orgId: string,
  call: { agentId: string; contactId: string | null },
) => Promise<CallProfile | undefined>;

/** What an assistant on the phone asks for by one of its tools. */
export interface PhoneToolCall {
  /** The platform's id of this call of the tool. */
  id: string;
  name: string;
  arguments: unknown;
}

/** The call in which it asks. */
export interface PhoneCallRef {
  agentId: string;
  /** Our id of the call. */
  callId: string;
  /** Null if it is not known who is on the phone. */
  contactId: string | null;
  /** The session of the call. */
  sessionId: string;
}

/** Text for the assistant. */
export type PhoneToolResult = { result: string; error?: never } | { error: string; result?: never };

/** What callbacks of a voice platform need of the AI, a domain after theirs. */
export interface PhoneToolsPort {
  findAgent: FindPhoneAgent;
  /** Does what the assistant asks for. What changes something is done once in a call, however often it is asked for. */
  use(orgId: string, call: PhoneCallRef, asked: PhoneToolCall): Promise<PhoneToolResult>;
}
