import { listCallsOfSession } from '../ai/calls/service.ts';
import { type PreviewMessage, PreviewMessages, type Stub, Stubs } from '../ai/preview/schema.ts';
import { listVainMessages } from '../ai/turns/service.ts';
import { type ConversationMessage, getConversation } from '../conversations/ai/service.ts';
import { lockSession } from '../conversations/sessions/service.ts';
import type { Trx } from '../db/connect.ts';
import { refused } from '../errors.ts';
import type { CreateCase } from './schema.ts';
import type { CaseDraft } from './table.ts';

/** A case has at most as many messages as a turn knows. */
const MAX_MESSAGES = 50;

/**
 * Returns a case of a session's conversation, up to a message of its contact. What calls of the conversation were
 * answered become its stubs. Throws notFound, and invalid where there is no such message.
 */
export async function caseFromSession(trx: Trx, orgId: string, given: CreateCase): Promise<CaseDraft> {
  const { session_id = '', message_id, name, checks } = given;
  if (given.messages !== undefined) throw refused('messages', 'is taken from the session: give one of both');
  const session = await lockSession(trx, orgId, session_id);
  const conversation = await getConversation(trx, orgId, session_id, { after: 0, limit: MAX_MESSAGES });
  const last = conversation.findLastIndex(
    ({ id, sender }) => sender === 'contact' && (message_id === undefined || id === message_id),
  );
  if (last < 0)
    throw refused(
      message_id === undefined ? 'session_id' : 'message_id',
      `must be a message of the contact among the last ${MAX_MESSAGES} of the session`,
    );
  const vain = await listVainMessages(trx, orgId, session_id);
  const calls = await listCallsOfSession(trx, orgId, session_id, session.ai_context_seq);
  const stubs = calls.flatMap(({ operation_id, status, response }): Stub[] =>
    status === null ? [] : [{ operation_id, status, body: response }],
  );
  const messages = PreviewMessages.safeParse(
    conversation.slice(0, last + 1).flatMap((message) => messageOf(message, vain)),
  );
  if (!messages.success) throw refused('session_id', `its conversation ${messages.error.issues[0]?.message}`);
  return {
    name,
    checks,
    messages: messages.data,
    channel: given.channel ?? session.channel,
    contact_id: given.contact_id ?? session.contact_id,
    verified: given.verified ?? session.verified === true,
    stubs: given.stubs ?? Stubs.safeParse(stubs).data ?? [],
    session_id,
  };
}

function messageOf({ id, sender, content }: ConversationMessage, vain: ReadonlySet<string>): PreviewMessage[] {
  if (content === null || (sender !== 'contact' && sender !== 'ai' && sender !== 'human_agent')) return [];
  const isVain = sender === 'ai' && vain.has(id);
  return [{ sender, text: content, ...(isVain && { state: 'asked' as const }) }];
}
