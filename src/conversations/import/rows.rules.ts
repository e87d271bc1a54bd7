import type { Actor } from '../../schemas/actor.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { Sender } from '../history/events.schema.ts';
import type { WaitingOn } from '../table.ts';

/** A message or note of a conversation from another system. */
export interface PastMessage {
  /** Always the same for one message, so it is stored once. */
  id: string;
  at: Date;
  /** Null for a note. */
  sender: Sender | null;
  text: string;
  data: object;
  actor: Actor;
}

/** A conversation from another system. */
export interface PastConversation {
  contactId: string | null;
  channel: SessionChannel;
  isClosed: boolean;
  createdAt: Date;
  updatedAt: Date;
  /** When it was closed. Absent: at its last change. */
  closedAt?: Date | undefined;
  assigneeId: number | null;
  teamId: string | null;
  customData: Record<string, string>;
  /** Tags of the org. */
  tagKeys: string[];
  /** In the order of writing. */
  messages: PastMessage[];
}

/** A message with its place in the history. */
export type PlacedMessage = PastMessage & { seq: number };

/** The summary of a session's messages in its row. */
export interface PastState {
  last_message_at: Date | null;
  last_message_seq: number;
  last_contact_seq: number;
  waiting_on: WaitingOn | null;
  waiting_since: Date | null;
  contact_messages: number;
  agent_messages: number;
  first_contact_message_at: Date | null;
  first_agent_message_at: Date | null;
}

/** Returns the summary of a session's messages in its row, as if they had been written here. */
export function stateOf(messages: PlacedMessage[], isClosed: boolean): PastState {
  const state: PastState = {
    last_message_at: null,
    last_message_seq: 0,
    last_contact_seq: 0,
    waiting_on: null,
    waiting_since: null,
    contact_messages: 0,
    agent_messages: 0,
    first_contact_message_at: null,
    first_agent_message_at: null,
  };
  for (const message of messages) if (message.sender !== null) addMessage(state, message);
  if (isClosed) state.waiting_since = null;
  return state;
}

function addMessage(state: PastState, { sender, at, seq }: PlacedMessage): void {
  state.last_message_at = at;
  state.last_message_seq = Math.max(state.last_message_seq, seq);
  if (sender === 'contact') {
    state.contact_messages++;
    state.first_contact_message_at ??= at;
    state.last_contact_seq = Math.max(state.last_contact_seq, seq);
    state.waiting_on = 'human_agents';
    state.waiting_since ??= at;
  } else if (sender === 'human_agent') {
    state.agent_messages++;
    state.first_agent_message_at ??= at;
    state.waiting_on = 'customers';
    state.waiting_since = null;
  }
}
