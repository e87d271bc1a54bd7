import { isContactBlocked } from '../contacts/blocklist.service.ts';
import { updateContact } from '../contacts/saving.service.ts';
import { getContact } from '../contacts/service.ts';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import { holdMembers } from '../orgs/members.service.ts';
import { announce } from '../outbox/events.ts';
import { appendEvents, type NewEvent } from './events.queries.ts';
import type { SendMessage } from './messages.schema.ts';
import { type LockedSession, updateSession } from './sessions.queries.ts';
import { holdSession } from './sessions.service.ts';

export interface SentMessage {
  id: string;
  isHandedOff: boolean;
}

/**
 * Adds what a contact or an agent says to a session. A contact who writes reopens a closed one; an agent may take the session over from
 * the AI. Throws notFound.
 */
export function sendMessage(db: Db, orgId: string, sessionId: string, input: SendMessage): Promise<SentMessage> {
  return inTransaction(db, async (trx) => {
    const session = await holdSession(trx, orgId, sessionId);
    const id = newId();
    if (input.sender === 'contact') {
      await takeFromContact(trx, orgId, session, id, input);
      return { id, isHandedOff: session.handoff !== null };
    }
    const takesOver = input.should_take_over_session_from_ai && session.handoff === null;
    const { text } = input.message;
    const data = {
      sender_id: input.agent?.id,
      sender_name: input.agent?.name,
      sender_avatar_url: input.agent?.avatar_url,
    };
    const takeover: NewEvent[] = takesOver
      ? [{ id: newId(), type: 'human_agent_takeover', data: { sender_id: input.agent?.id ?? null } }]
      : [];
    await appendEvents(trx, orgId, session.id, [
      ...takeover,
      { id, type: 'message', sender: 'human_agent', content: text, data },
    ]);
    if (takesOver) await takeOver(trx, orgId, session, input.agent?.id);
    return { id, isHandedOff: takesOver || session.handoff !== null };
  });
}

async function takeFromContact(
  trx: Db,
  orgId: string,
  session: LockedSession,
  id: string,
  { contact, message }: SendMessage,
): Promise<void> {
  const isReopened = session.status !== 'open' && !(await isContactBlocked(trx, orgId, session.contact_id));
  const reopening: NewEvent[] = isReopened
    ? [{ id: newId(), type: 'status_changed', data: { from: session.status, to: 'open', custom_status_id: null } }]
    : [];
  const data = { sender_name: contact?.name, sender_avatar_url: contact?.avatar_url };
  await appendEvents(trx, orgId, session.id, [
    ...reopening,
    { id, type: 'message', sender: 'contact', content: message.text, data },
  ]);
  if (isReopened)
    await updateSession(trx, orgId, session.id, { status: 'open', custom_status_id: null, closed_at: null });
  if (session.contact_id !== null && contact !== undefined) await learn(trx, orgId, session.contact_id, contact);
}

/** Keeps what a message says of its contact: data is merged, a name only where there was none. */
async function learn(
  trx: Db,
  orgId: string,
  contactId: string,
  { name, custom_data }: NonNullable<SendMessage['contact']>,
): Promise<void> {
  const isNameNew = name !== undefined && name !== '' && (await getContact(trx, orgId, contactId)).name === null;
  if (!isNameNew && custom_data === undefined) return;
  await updateContact(trx, orgId, contactId, {
    ...(isNameNew ? { name } : {}),
    ...(custom_data === undefined ? {} : { custom_data }),
  });
}

/** From now on people answer in this session: the agent, where it is a member and nobody else has the session. */
async function takeOver(trx: Db, orgId: string, session: LockedSession, agentId: number | undefined): Promise<void> {
  const isMember = agentId !== undefined && (await holdMembers(trx, orgId, [agentId])).length > 0;
  const handoff = {
    summary: null,
    sentiment: null,
    reason: 'An agent took over',
    at: new Date().toISOString(),
    state: 'done',
  };
  await updateSession(trx, orgId, session.id, {
    handoff: JSON.stringify(handoff),
    ai_closure_type: 'handed_off',
    ...(isMember && session.assignee_id === null ? { assignee_id: agentId } : {}),
  });
  await announce(trx, orgId, 'ticket-handoff', [{ subject_id: session.id, payload: { reason: handoff.reason } }]);
}
