import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../outbox/outbox.ts';
import type { AccessToken, Conversation, ConversationStore } from '../../providers/crm/salesforce/port.ts';
import type { Secrets } from '../../secrets.ts';
import {
  type ConversationRow,
  findConversation,
  findConversationById,
  insertConversation,
  lockConversation,
  setOpened,
  updateConversation,
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
    isOpen: row.opened_at !== null,
  });

  const tokenIn = ({ session_id, sealed_token, token_expires_at }: ConversationRow): AccessToken | undefined =>
    sealed_token === null || token_expires_at === null
      ? undefined
      : { token: secrets.decrypt(sealed_token, placeOf(session_id)), expiresAt: token_expires_at };

  const sealed = (sessionId: string, { token, expiresAt }: AccessToken) => ({
    sealed_token: secrets.encrypt(token, placeOf(sessionId)),
    token_expires_at: expiresAt,
  });

  return {
    async getOrCreate(sessionId) {
      await insertConversation(db, orgId, { sessionId, conversationId: randomUUID() });
      const row = await findConversation(db, orgId, sessionId);
      if (row === undefined) throw new Error('The session has no conversation');
      return open(row);
    },
    async find(conversationId) {
      const row = await findConversationById(db, orgId, conversationId);
      return row && open(row);
    },
    replaceToken: ({ id, sessionId, token: known }, token) =>
      inTransaction(db, async (trx) => {
        const row = await lockConversation(trx, orgId, sessionId);
        const current = row?.conversation_id === id ? tokenIn(row) : undefined;
        if (current !== undefined && current.token !== known?.token) return current;
        if (row?.conversation_id === id) await updateConversation(trx, orgId, sessionId, sealed(sessionId, token));
        return token;
      }),
    updateOpen: ({ sessionId }) =>
      inTransaction(db, async (trx) => {
        await setOpened(trx, orgId, sessionId);
        await enqueue(trx, orgId, wakeMiaw(orgId, sessionId));
      }),
    replaceConversation: ({ sessionId }, { id, token }) =>
      updateConversation(db, orgId, sessionId, {
        conversation_id: id,
        read_until: null,
        ...sealed(sessionId, token),
      }),
  };
}
