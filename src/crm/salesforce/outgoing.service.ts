import type { Db } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import { enqueue } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { notConnected } from '../../providers/crm/errors.ts';
import type { CrmClients } from '../connection/clients.ts';
import type { SessionRef } from '../contract.ts';
import { sendNextMessage } from '../outgoing/service.ts';
import { countUnsentMessages } from '../outgoing/shared.queries.ts';
import { findConversation, insertMiawMessages, listSessionsWithUnsent } from './conversations.queries.ts';
import { wakeMiaw } from './sync.service.ts';

/** Anything beyond this number is sent with the next retry round of each session. */
const MAX_SESSIONS = 1_000;

/** Relays the contacts' messages of sessions in Salesforce, each message once. */
export const relayToMiaw: Reaction<'message-relayed'> = async (trx, orgId, events) => {
  const ours = events.filter(({ payload }) => payload.to === 'agents');
  const messages = ours.map(({ subject_id, payload }) => ({
    session_id: subject_id,
    message_id: payload.message_id,
  }));
  const sessions = await insertMiawMessages(trx, orgId, messages);
  await enqueue(trx, orgId, ...sessions.map((sessionId) => wakeMiaw(orgId, sessionId)));
};

/** Sends messages waiting for a connection to Salesforce as soon as its settings are replaced. */
export const resumeMiaw: Reaction<'integration-changed'> = async (trx, orgId, events) => {
  if (!events.some(({ payload }) => payload.kind === 'miaw')) return;
  const sessions = await listSessionsWithUnsent(trx, orgId, MAX_SESSIONS);
  await enqueue(trx, orgId, ...sessions.map((sessionId) => wakeMiaw(orgId, sessionId)));
};

/**
 * Sends the earliest unsent message of the contact, once. Returns the number of messages left: 0 until the conversation
 * is open. Throws a CrmError if another attempt may succeed.
 */
export async function sendNextMiawMessage(
  db: Db,
  { crms, sending }: { crms: CrmClients; sending: { mediaLinks: MediaLinks } },
  { orgId, sessionId }: SessionRef,
): Promise<number> {
  const conversation = await findConversation(db, orgId, sessionId);
  if (conversation === undefined || conversation.opened_at === null) return 0;
  const queue = { sessionId, target: 'miaw' as const };
  if ((await countUnsentMessages(db, orgId, queue)) === 0) return 0;
  const salesforce = await crms.salesforce(orgId);
  if (salesforce === undefined) throw notConnected('Salesforce');
  const place = { ...queue, conversationId: conversation.conversation_id };
  return sendNextMessage(db, { mediaLinks: sending.mediaLinks, crm: salesforce }, orgId, place);
}
