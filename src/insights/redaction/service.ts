import { listLastSeqs } from '../../conversations/history/service.ts';
import type { Trx } from '../../db/connect.ts';
import { announce } from '../../outbox/announcing.ts';
import { moveVectors } from '../assignment/moves.service.ts';
import { uncountTexts } from '../assignment/spaces.service.ts';
import { requestExtraction } from '../extraction/requests.service.ts';
import { listInsightsNamedAfter, nameByMedoid } from '../naming/central.service.ts';
import { lockInsights, recount, refreshSessions } from '../queries.ts';
import { deleteStatements, emptyInsight, findLastExtraction, listEmpty, listInsightsOfSession } from './queries.ts';

const NO_NAME = { content: 'Redacted', reason: 'Everything that it was made of was redacted' };

/**
 * Reaction to `session-redacted`, and to `message-changed` for messages edited or deleted by the contact: the
 * customer's words leave all insights, their sums and their names. A name given by a person may quote the session, so
 * it goes if nothing else is left of the insight. After the redaction of a message, quotes of other messages stay, and
 * the rest of the session is extracted again.
 */
export async function redactInsights(
  trx: Trx,
  orgId: string,
  events: readonly { subject_id: string; payload: { message_id: string | null } }[],
): Promise<void> {
  await lockInsights(trx, orgId);
  for (const { subject_id: sessionId, payload } of events) {
    const isWhole = payload.message_id === null;
    if (!isWhole && !(await isOutdated(trx, orgId, sessionId))) continue;
    await redact(trx, orgId, sessionId, payload.message_id);
    if (!isWhole) await requestExtraction(trx, orgId, [{ subject_id: sessionId }]);
  }
}

/** Whether a session has had an event since it was extracted. An effective redaction is one. */
async function isOutdated(trx: Trx, orgId: string, sessionId: string): Promise<boolean> {
  const extracted = await findLastExtraction(trx, orgId, sessionId);
  const [session] = await listLastSeqs(trx, orgId, [sessionId]);
  return extracted !== undefined && session !== undefined && session.last_seq > extracted;
}

async function redact(trx: Trx, orgId: string, sessionId: string, messageId: string | null): Promise<void> {
  const insightIds = await listInsightsOfSession(trx, orgId, sessionId);
  const statements = await deleteStatements(trx, orgId, sessionId, messageId);
  const assigned = statements.flatMap(({ own_insight_id, ...one }) =>
    own_insight_id === null ? [] : [{ ...one, own_insight_id, to: null }],
  );
  const ids = [...new Set(statements.flatMap(({ insight_id }) => insight_id ?? []))];
  if (assigned.length > 0) await moveVectors(trx, orgId, assigned);
  const counted = statements.filter(({ has_terms }) => has_terms).map(({ content }) => content);
  await uncountTexts(trx, orgId, counted);
  await refreshSessions(trx, orgId, ids, [sessionId]);
  await recount(trx, orgId, ids);
  const named = await renameWithout(
    trx,
    orgId,
    statements.map(({ id }) => id),
  );
  for (const id of await listEmpty(trx, orgId, insightIds)) await emptyInsight(trx, orgId, id, NO_NAME);
  const affected = new Set([...named, ...insightIds]);
  await announce(
    trx,
    orgId,
    [...affected].map((id) => ({ type: 'insight-redacted', subject_id: id, payload: {} })),
  );
}

/** Renames the insights with a name from one of these statements, merged ones too, and returns them. */
async function renameWithout(trx: Trx, orgId: string, statementIds: string[]): Promise<string[]> {
  const named = await listInsightsNamedAfter(trx, orgId, statementIds);
  for (const id of named) if (!(await nameByMedoid(trx, orgId, id))) await emptyInsight(trx, orgId, id, NO_NAME);
  return named;
}
