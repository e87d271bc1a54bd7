import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound } from '../../errors.ts';
import { isUuid } from '../../ids.ts';
import type { SendingDeps } from '../messages/service.ts';
import { sendAsAgent } from '../messages/service.ts';
import { lockSession } from '../sessions/service.ts';
import { findAiDraft, markDraftsSent } from './drafts.queries.ts';
import type { SendAiDraft } from './drafts.schema.ts';

export interface DraftToSend extends SendAiDraft {
  sessionId: string;
  draftId: string;
  /** The sender. An API key has no id. */
  agent: { id?: number; name?: string };
}

/**
 * Sends a draft of the AI to the contact as a message of an agent, with another text if one is given. Returns the
 * message's id. Throws notFound, and conflict if the draft was sent before or is redacted. Throws the errors of
 * sendMessage.
 */
export function sendAiDraft(
  db: Db,
  deps: SendingDeps,
  orgId: string,
  { sessionId, draftId, text, agent }: DraftToSend,
): Promise<string> {
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, orgId, sessionId);
    const draft = isUuid(draftId) ? await findAiDraft(trx, orgId, { sessionId, draftId }) : undefined;
    if (draft === undefined) throw notFound('draft');
    if (draft.sent_as !== null) throw conflict(`This draft was sent before, as the message ${draft.sent_as}`);
    const said = text ?? draft.content;
    if (said === null) throw conflict('This draft is redacted: give a text, or POST /chat/sessions/{id}/send');
    const message = { type: 'text' as const, text: said, attachments: [] };
    const sent = { session, agent, message, files: [], should_take_over_session_from_ai: false };
    const { id: sentAs } = await sendAsAgent(trx, deps, orgId, { sender: 'agent', ...sent });
    await markDraftsSent(trx, orgId, [{ draftId, sentAs }]);
    return sentAs;
  });
}

/** Records drafts as sent to the contact unchanged. Returns those not sent as another message. */
export const publishDrafts = (trx: Trx, orgId: string, ids: string[]): Promise<string[]> =>
  markDraftsSent(
    trx,
    orgId,
    ids.map((id) => ({ draftId: id, sentAs: id })),
  );
