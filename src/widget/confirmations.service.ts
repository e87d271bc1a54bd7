import { decideConfirmation, getConfirmation } from '../ai/confirmations/service.ts';
import type { Db } from '../db/connect.ts';
import type { DecideConfirmation } from './schema.ts';
import { getWidgetSession } from './sessions.service.ts';
import type { Visitor } from './visitors.service.ts';

/**
 * Decides about a call of the AI in one of the visitor's sessions. Throws notFound, also for another visitor's session,
 * and the same errors as decideConfirmation.
 */
export async function decideAsVisitor(db: Db, visitor: Visitor, id: string, decision: DecideConfirmation) {
  const { session_id } = await getConfirmation(db, visitor.orgId, id);
  await getWidgetSession(db, visitor, session_id);
  const { state, needs } = await decideConfirmation(db, visitor.orgId, id, { ...decision, by: 'widget' });
  return { success: true as const, state, needs };
}
