import type { Trx } from '../../db/connect.ts';
import { announce } from '../../outbox/events.ts';
import type { Reaction } from '../../outbox/relay.ts';
import { removeVectors } from '../assignment/removal.service.ts';
import { requestExtraction } from '../extraction/requests.service.ts';
import { listInsightsNamedAfter, nameByMedoid } from '../naming/central.service.ts';
import { lockInsights, recount, refreshSessions } from '../queries.ts';
import { deleteStatements, emptyInsight, hasExtraction } from './queries.ts';

const NO_NAME = { content: 'Redacted', reason: 'Everything that it was made of was redacted' };

/**
 * Reaction to `session-redacted`: what the customer said leaves all insights, their sums and their names. After the
 * redaction of a message the rest of the session is extracted again.
 */
export const redactInsights: Reaction<'session-redacted'> = async (trx, orgId, events) => {
  await lockInsights(trx, orgId);
  for (const sessionId of new Set(events.map(({ subject_id }) => subject_id))) await redact(trx, orgId, sessionId);
  for (const event of events)
    if (event.payload.message_id !== null && (await hasExtraction(trx, orgId, event.subject_id)))
      await requestExtraction(trx, orgId, [event]);
};

async function redact(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  const statements = await deleteStatements(trx, orgId, sessionId);
  const assigned = statements.flatMap(({ own_insight_id, ...one }) =>
    own_insight_id === null ? [] : [{ ...one, own_insight_id }],
  );
  const ids = [...new Set(statements.flatMap(({ insight_id }) => insight_id ?? []))];
  if (assigned.length > 0) await removeVectors(trx, orgId, assigned);
  await refreshSessions(trx, orgId, ids, [sessionId]);
  await recount(trx, orgId, ids);
  await renameWithout(
    trx,
    orgId,
    statements.map(({ id }) => id),
  );
}

/** Renames the insights whose name was made from one of these statements, merged ones too. */
async function renameWithout(trx: Trx, orgId: string, statementIds: string[]): Promise<void> {
  const named = await listInsightsNamedAfter(trx, orgId, statementIds);
  for (const id of named) if (!(await nameByMedoid(trx, orgId, id))) await emptyInsight(trx, orgId, id, NO_NAME);
  const events = named.map((id) => ({ subject_id: id, payload: {} }));
  await announce(trx, orgId, 'insight-redacted', events);
}
