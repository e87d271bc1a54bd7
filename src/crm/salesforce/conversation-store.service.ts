import { randomUUID } from 'node:crypto';
import { removeSystemOfAgents } from '../../conversations/messages/relay.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../outbox/outbox.ts';
import { CrmError } from '../../providers/crm/errors.ts';
import type { AccessToken, Conversation, ConversationStore } from '../../providers/crm/salesforce/port.ts';
import type { Secrets } from '../../secrets.ts';
import { skipUnsentMessages } from '../outgoing/shared.queries.ts';
import {
  awaitsHandoff,
  type ConversationRow,
  deleteUnopenedConversation,
  findConversation,
  findConversationByEndedId,
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

  const openEnded = (row: ConversationRow, id: string): Conversation => ({
    id,
    sessionId: row.session_id,
    token: tokenIn(endedOf(row)),
    isOpen: true,
    continues: undefined,
  });

  const tokenIn = ({ session_id, sealed_token, token_expires_at }: TokenRow): AccessToken | undefined =>
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
    async findReadable(conversationId) {
      const row = await findConversationById(db, orgId, conversationId);
      if (row !== undefined) return open(row);
      const next = await findConversationByEndedId(db, orgId, conversationId);
      return next && openEnded(next, conversationId);
    },
    awaitsHandoff: (sessionId) => awaitsHandoff(db, orgId, sessionId),
    replaceToken: ({ id, sessionId, token: known }, token) =>
      inTransaction(db, async (trx) => {
        const row = await lockConversation(trx, orgId, sessionId);
        if (row === undefined || (row.conversation_id !== id && row.ended_id !== id)) return token;
        const isEnded = row.ended_id === id;
        const current = tokenIn(isEnded ? endedOf(row) : row);
        if (current !== undefined && current.token !== known?.token) return current;
        const { sealed_token, token_expires_at } = sealed(sessionId, token);
        const ended = { ended_sealed_token: sealed_token, ended_token_expires_at: token_expires_at };
        await updateToken(trx, orgId, sessionId, isEnded ? ended : { sealed_token, token_expires_at });
        return token;
      }),
    updateOpen: ({ id: conversationId, sessionId }) =>
      inTransaction(db, async (trx) => {
        await setOpened(trx, orgId, { sessionId, conversationId });
        await enqueue(trx, orgId, wakeMiaw(orgId, sessionId));
      }),
    async replaceConversation({ id: from, sessionId }, to) {
      await replaceConversation(db, orgId, sessionId, { from, to });
      const current = await getOrCreate(sessionId);
      if (current.id === from)
        throw new CrmError('The earlier conversation has not been read to its end yet', { transient: true });
      return current;
    },
  };
}

type TokenRow = Pick<ConversationRow, 'session_id' | 'sealed_token' | 'token_expires_at'>;

const endedOf = ({ session_id, ended_sealed_token, ended_token_expires_at }: ConversationRow): TokenRow => ({
  session_id,
  sealed_token: ended_sealed_token,
  token_expires_at: ended_token_expires_at,
});

/**
 * Gives up a session's conversation that was never open: nothing that the contact has written since or writes from now on
 * is sent to Salesforce. One that was open stays, and messages no longer wait for the handoff.
 */
export async function abandonConversation(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  if (!(await deleteUnopenedConversation(trx, orgId, sessionId))) {
    await enqueue(trx, orgId, wakeMiaw(orgId, sessionId));
    return;
  }
  await skipUnsentMessages(trx, orgId, { sessionId, target: 'miaw' }, 'the conversation was settled by hand');
  await removeSystemOfAgents(trx, orgId, sessionId);
}
