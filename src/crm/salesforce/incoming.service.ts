import { addExternalAgentMessage, addExternalNote } from '../../conversations/messages/external-messages.service.ts';
import type { SendingDeps } from '../../conversations/messages/service.ts';
import { getSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { idOf } from '../../ids.ts';
import { recordConnectionError } from '../../orgs/integrations/connection-status.service.ts';
import { notConnected } from '../../providers/crm/errors.ts';
import type { Entry } from '../../providers/crm/salesforce/port.ts';
import type { CrmClients } from '../connection/clients.ts';
import type { SessionRef } from '../contract.ts';
import type { MiawFetchResult } from './contract.ts';
import {
  deleteEndedConversation,
  findConversation,
  isOpen,
  updateConversationReadUntil,
} from './conversations.queries.ts';

/** An entry may appear after a later one. */
const OVERLAP_MS = 10_000;
const MAX_PAGES = 20;

const UNREADABLE =
  'What people write in Salesforce no longer arrives here: the conversation was ended there, or its guest’s token has ended. The contact’s next message opens another conversation. With auth_key_id and private_key in PUT /integrations/miaw, conversations are kept.';

const NO_CONVERSATION: MiawFetchResult = { stored: 0, hasMore: false, isOver: true };

interface ReadPlace extends SessionRef {
  conversationId: string;
  readUntil: Date | null;
}

/**
 * Stores the agents' messages since the last read of a session's conversation, in order, each once by its id in
 * Salesforce. A conversation before it is read to its end first. Throws CrmErrors.
 */
export async function fetchMiawMessages(
  db: Db,
  deps: { crms: CrmClients; sending: SendingDeps },
  { orgId, sessionId }: SessionRef,
): Promise<MiawFetchResult> {
  const conversation = await findConversation(db, orgId, sessionId);
  if (conversation === undefined) return NO_CONVERSATION;
  const { conversation_id, read_until, ended_id, ended_read_until } = conversation;
  let stored = 0;
  if (ended_id !== null) {
    const ended = { orgId, sessionId, conversationId: ended_id, readUntil: ended_read_until };
    const rest = await readConversation(db, deps, ended);
    if (rest.hasMore) return rest;
    stored = rest.stored;
    if (isOpen(conversation)) await deleteEndedConversation(db, orgId, ended);
    else if (rest.isOver) await reportUnreadable(db, ended);
  }
  if (!isOpen(conversation)) return { ...NO_CONVERSATION, stored };
  const current = { orgId, sessionId, conversationId: conversation_id, readUntil: read_until };
  const read = await readConversation(db, deps, current);
  if (read.isOver) await reportUnreadable(db, current);
  return { ...read, stored: stored + read.stored };
}

async function readConversation(
  db: Db,
  { crms, sending }: { crms: CrmClients; sending: SendingDeps },
  { orgId, sessionId, conversationId, readUntil }: ReadPlace,
): Promise<MiawFetchResult> {
  const salesforce = await crms.salesforce(orgId);
  if (salesforce === undefined) throw notConnected('Salesforce');
  let since = readUntil && new Date(readUntil.getTime() - OVERLAP_MS);
  let stored = 0;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await salesforce.listEntries(conversationId, since);
    if (page === undefined) return { ...NO_CONVERSATION, stored };
    stored += await storeEntries(db, sending, { orgId, sessionId, conversationId }, page.entries);
    if (page.next === null) return { stored, hasMore: false, isOver: false };
    since = page.next;
  }
  return { stored, hasMore: true, isOver: false };
}

/** Says once, in the session and on the integration, that nothing more can be read from a conversation. */
function reportUnreadable(
  db: Db,
  { orgId, sessionId, conversationId }: SessionRef & { conversationId: string },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const { status } = await getSession(trx, orgId, sessionId);
    const id = idOf(orgId, 'miaw-unreadable', conversationId);
    if (status !== 'open' || !(await addExternalNote(trx, orgId, sessionId, { id, text: UNREADABLE, name: null })))
      return;
    await recordConnectionError(trx, orgId, 'miaw', `${UNREADABLE} Session: ${sessionId}`);
  });
}

function storeEntries(
  db: Db,
  deps: SendingDeps,
  { orgId, sessionId, conversationId }: SessionRef & { conversationId: string },
  entries: Entry[],
): Promise<number> {
  return inTransaction(db, async (trx) => {
    let stored = 0;
    for (const { id: entryId, role, text, senderName: name } of entries) {
      if (role !== 'Agent' || text === null) continue;
      const id = idOf(orgId, 'miaw', entryId);
      if (await addExternalAgentMessage(trx, deps, orgId, { sessionId, id, text, name, side: 'agents' })) stored++;
    }
    const last = entries.at(-1);
    if (last !== undefined)
      await updateConversationReadUntil(trx, orgId, { sessionId, conversationId, until: last.at });
    return stored;
  });
}
