/** What an assistant on the phone asks for by one of its tools. */
export interface PhoneToolCall {
  name: string;
  arguments: unknown;
}

/** The call in which it asks. */
export interface PhoneCallRef {
  agentId: string;
  /** The voice platform's id of the call. */
  providerId: string;
  /** Null if it is not known who is on the phone. */
  contactId: string | null;
}

/** Text for the assistant. */
export type PhoneToolResult = { result: string; error?: never } | { error: string; result?: never };

/** What callbacks of a voice platform need of the AI, a domain after theirs. */
export interface PhoneToolsPort {
  /** Does what the assistant asks for. What changes something is done once in a call, however often it is asked for. */
  use(orgId: string, call: PhoneCallRef, asked: PhoneToolCall): Promise<PhoneToolResult>;
}
