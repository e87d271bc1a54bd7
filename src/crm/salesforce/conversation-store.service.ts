import { randomUUID } from 'node:crypto';
import { removeSystemOfAgents } from '../../conversations/messages/relay.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../outbox/outbox.ts';
import type { AccessToken, Conversation, ConversationStore } from '../../providers/crm/salesforce/port.ts';
import type { Secrets } from '../../secrets.ts';
import { skipUnsentMessages } from '../outgoing.queries.ts';
import {
  type ConversationRow,
  deleteUnopenedConversation,
  findConversation,
  findConversationById,
  insertConversation,
  isOpen,
  lockConversation,
  replaceConversation,
  setOpened,
  updateToken,
} from './conversations.queries.ts';
import { wakeMiaw } from './sync.service.ts';

export { insertConversation, insertMiawMessages } from './conversations.queries.ts';

/** Creates the store of an org's conversations in Salesforce. The tokens of their end users are encrypted. */
export function createConversationStore(db: Db, secrets: Secrets, orgId: string): ConversationStore {
  const placeOf = (sessionId: string) => ({
    orgId,
    table: 'miaw_conversations',
    column: 'sealed_token',
    row: sessionId,
  });

  const open = (row: ConversationRow): Conversation => ({
    id: row.conversation_id,
    sessionId: row.session_id,
    token: tokenIn(row),
    isOpen: isOpen(row),
    continues: row.continues ?? undefined,
  });

  const tokenIn = ({ session_id, sealed_token, token_expires_at }: ConversationRow): AccessToken | undefined =>
    sealed_token === null || token_expires_at === null
      ? undefined
      : { token: secrets.decrypt(sealed_token, placeOf(session_id)), expiresAt: token_expires_at };

  const sealed = (sessionId: string, { token, expiresAt }: AccessToken) => ({
    sealed_token: secrets.encrypt(token, placeOf(sessionId)),
    token_expires_at: expiresAt,
  });

  const getOrCreate = async (sessionId: string) => {
    await insertConversation(db, orgId, { sessionId, conversationId: randomUUID() });
    const row = await findConversation(db, orgId, sessionId);
    if (row === undefined) throw new Error('The session has no conversation');
    return open(row);
  };

  return {
    getOrCreate,
    async find(conversationId) {
      const row = await findConversationById(db, orgId, conversationId);
      return row && open(row);
    },
    replaceToken: ({ id, sessionId, token: known }, token) =>
      inTransaction(db, async (trx) => {
        const row = await lockConversation(trx, orgId, sessionId);
        const current = row?.conversation_id === id ? tokenIn(row) : undefined;
        if (current !== undefined && current.token !== known?.token) return current;
        if (row?.conversation_id === id) await updateToken(trx, orgId, sessionId, sealed(sessionId, token));
        return token;
      }),
    updateOpen: ({ id: conversationId, sessionId }) =>
      inTransaction(db, async (trx) => {
        await setOpened(trx, orgId, { sessionId, conversationId });
        await enqueue(trx, orgId, wakeMiaw(orgId, sessionId));
      }),
    async replaceConversation({ id: from, sessionId }, to) {
      await replaceConversation(db, orgId, sessionId, { from, to });
      return getOrCreate(sessionId);
    },
  };
}

/**
 * Gives up a session's conversation that was never open: nothing that the contact has written since or writes from now on
 * is sent to Salesforce. An open one stays.
 */
export async function abandonConversation(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  if (!(await deleteUnopenedConversation(trx, orgId, sessionId))) return;
  await skipUnsentMessages(trx, orgId, { sessionId, target: 'miaw' }, 'the conversation was settled by hand');
  await removeSystemOfAgents(trx, orgId, sessionId);
}
