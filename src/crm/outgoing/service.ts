import { publishDrafts } from '../../conversations/ai/drafts.service.ts';
import { addExternalNote } from '../../conversations/messages/external-messages.service.ts';
import { findRelayedMessage, isRelayable, messageIdOf } from '../../conversations/messages/relay.service.ts';
import { lockSession } from '../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import type { MediaLinks } from '../../media/links.ts';
import { listConnections } from '../../orgs/integrations/service.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { CrmError, notConnected } from '../../providers/crm/errors.ts';
import type { Crm } from '../../providers/crm/port.ts';
import type { CrmClients } from '../connection/clients.ts';
import type { ThreadRef, TicketRef } from '../contract.ts';
import { findLinkOfThread, findLinkOfTicket } from '../handoffs/links.shared.queries.ts';
import { signalQueues } from '../inbound/batch-parsing.service.ts';
import {
  claimOutgoingMessage,
  countUnsentMessages,
  insertOutgoingMessages,
  listSentExternalIds,
  type OutgoingQueue,
  settleOutgoingMessage,
} from './shared.queries.ts';

const REDACTED = { state: 'skipped', error: 'redacted or deleted' } as const;
/** The number of a session's sent messages to compare when the answer to one was lost. */
const MAX_RECENT_MESSAGES = 100;

/** Relays the messages of sessions to their CRM threads. */
export const relayToThreads: Reaction<'message-relayed'> = async (trx, orgId, events) => {
  const ours = events.filter(({ payload }) => payload.to === 'customer');
  await postToThreads(trx, orgId, ours);
};

/**
 * Posts the drafts of the AI to the CRM threads of their sessions: for the agents there, or with `assist_drafts: message`
 * for the customer.
 */
export const postDrafts: Reaction<'ai-draft-created'> = async (trx, orgId, events) => {
  const settings = (await listConnections(trx, orgId)).get('crm');
  if (settings?.assist_drafts !== 'message') return postToThreads(trx, orgId, events);
  const ids = await publishDrafts(
    trx,
    orgId,
    events.map(({ payload }) => payload.message_id),
  );
  const unsent = events.filter(({ payload }) => ids.includes(payload.message_id));
  await postToThreads(trx, orgId, unsent);
};

async function postToThreads(
  trx: Trx,
  orgId: string,
  events: { subject_id: string; payload: { message_id: string } }[],
): Promise<void> {
  const messages = events.map(({ subject_id, payload }) => ({
    session_id: subject_id,
    message_id: payload.message_id,
  }));
  const threads = await insertOutgoingMessages(trx, orgId, messages);
  await signalQueues(
    trx,
    orgId,
    threads.map((threadId) => `thread/${threadId}`),
  );
}

/**
 * Posts the oldest unsent message of a session to one of its systems, once. Returns the number of messages left. Throws the CRM's error if
 * another attempt may succeed. A permanent refusal is noted in the session.
 */
export async function sendNextMessage(
  db: Db,
  { mediaLinks, crm }: { mediaLinks: MediaLinks; crm: Pick<Crm, 'postMessage'> },
  orgId: string,
  { conversationId, ...queue }: OutgoingQueue & { conversationId: string },
): Promise<number> {
  const { sessionId } = queue;
  const claimed = await claimOutgoingMessage(db, orgId, queue);
  if (claimed === undefined) return 0;
  const { id, may_exist: mayExist, first_tried_at: since } = claimed;
  const message = await findRelayedMessage(db, mediaLinks, orgId, id);
  if (message === undefined) await settleOutgoingMessage(db, orgId, id, REDACTED);
  else {
    try {
      const taken = mayExist ? await listSentExternalIds(db, orgId, queue, MAX_RECENT_MESSAGES) : [];
      const { externalId } = await crm.postMessage({ id, conversationId, ...message }, { mayExist, since, taken });
      await settleOutgoingMessage(db, orgId, id, { state: 'sent', externalId });
    } catch (error) {
      if (!(error instanceof CrmError)) throw error;
      await settleFailure(db, mediaLinks, orgId, { sessionId, id, mayExist, error });
    }
  }
  return countUnsentMessages(db, orgId, queue);
}

async function settleFailure(
  db: Db,
  links: MediaLinks,
  orgId: string,
  { sessionId, id, mayExist, error }: { sessionId: string; id: string; mayExist: boolean; error: CrmError },
): Promise<void> {
  const { message, transient, mayHaveArrived } = error;
  if (transient) {
    await settleOutgoingMessage(db, orgId, id, {
      state: mayExist || mayHaveArrived ? 'sending' : 'queued',
      error: message,
    });
    throw error;
  }
  await inTransaction(db, async (trx) => {
    await settleOutgoingMessage(trx, orgId, id, { state: 'failed', error: message });
    await lockSession(trx, orgId, sessionId); // the refusal may quote a text that was redacted meanwhile
    if (!(await isRelayable(trx, links, orgId, id))) return settleOutgoingMessage(trx, orgId, id, REDACTED);
    const text = `A message was not taken by the ticketing system: ${message}`;
    const about = await messageIdOf(trx, orgId, id);
    await addExternalNote(trx, orgId, sessionId, { id: newId(), text, name: null, about });
  });
}

/** Posts the oldest unsent message of a thread's session. */
export async function postNextThreadMessage(
  db: Db,
  { crms, sending }: { crms: CrmClients; sending: { mediaLinks: MediaLinks } },
  { orgId, threadId }: ThreadRef,
): Promise<number> {
  const link = await findLinkOfThread(db, orgId, threadId);
  if (link === undefined) return 0;
  const hubspot = await crms.hubspot(orgId);
  if (hubspot === undefined) throw notConnected('HubSpot');
  const place = { sessionId: link.session_id, target: 'thread' as const, conversationId: threadId };
  return sendNextMessage(db, { mediaLinks: sending.mediaLinks, crm: hubspot.client }, orgId, place);
}

/** Adds the oldest note that is still to be added to a ticket. Returns the number of notes left. */
export async function addNextTicketNote(
  db: Db,
  { crms, sending }: { crms: CrmClients; sending: { mediaLinks: MediaLinks } },
  { orgId, ticketId }: TicketRef,
): Promise<number> {
  const link = await findLinkOfTicket(db, orgId, ticketId);
  if (link === undefined) return 0;
  const queue = { sessionId: link.session_id, target: 'ticket' as const };
  if ((await countUnsentMessages(db, orgId, queue)) === 0) return 0;
  const hubspot = await crms.hubspot(orgId);
  if (hubspot === undefined) throw notConnected('HubSpot');
  const crm = { postMessage: hubspot.client.addTicketNote };
  return sendNextMessage(db, { mediaLinks: sending.mediaLinks, crm }, orgId, { ...queue, conversationId: ticketId });
}
