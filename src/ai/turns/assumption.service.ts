import { getConversation, resolveByAi } from '../../conversations/ai/service.ts';
import { lockSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findPromises } from '../calls/service.ts';
import { getPublishedAiSettings } from '../settings/service.ts';
import type { AssumedEnd, SessionRef } from './contract.ts';
import { findLastTurn } from './queries.ts';

const MS_PER_MINUTE = 60_000;
/** Automatic messages may come after the answer. */
const MAX_MESSAGES = 20;

/**
 * Resolves an open session if the AI's answer is its last message and the contact has not written for as long as the
 * org has set. Otherwise returns the time left, or null if it is never to be resolved. A session with a call still to
 * be reported to its contact stays open: the turn with the report is followed by another look.
 */
export function assumeResolved(db: Db, { orgId, sessionId }: SessionRef): Promise<AssumedEnd> {
  return inTransaction(db, async (trx) => {
    const { assume_resolved_after_minutes: minutes } = await getPublishedAiSettings(trx, orgId);
    if (minutes === null) return { isResolved: false, waitMs: null };
    const session = await lockSession(trx, orgId, sessionId);
    const range = { after: session.ai_context_seq, limit: MAX_MESSAGES };
    const messages = await getConversation(trx, orgId, sessionId, range);
    const last = messages.findLast(({ sender }) => sender !== 'system');
    const turn = await findLastTurn(trx, orgId, sessionId);
    const isAnswered = last?.sender === 'ai' && turn?.state === 'answered' && session.ai_state === 'on';
    if (!isAnswered || session.status !== 'open') return { isResolved: false, waitMs: null };
    const { is_under_way: isUnderWay, agent_ms: agentMs } = await findPromises(trx, orgId, sessionId);
    if (isUnderWay) return { isResolved: false, waitMs: null };
    const waitMs = Math.round(Math.max(minutes * MS_PER_MINUTE - last.age_ms, agentMs ?? 0));
    if (waitMs > 0) return { isResolved: false, waitMs };
    await resolveByAi(trx, orgId, session, 'assumed_resolved');
    return { isResolved: true, waitMs: null };
  });
}
