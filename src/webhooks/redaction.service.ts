import { getInsightSnapshots } from '../insights/snapshots.service.ts';
import type { Reaction } from '../outbox/reactions.ts';
import { redactContacts, redactWebhookTexts, renameInsights } from './redaction.queries.ts';

/** Reaction to `session-redacted`: redacts the session's texts in all its webhooks. */
export const redactWebhooks: Reaction<'session-redacted'> = async (trx, orgId, events) => {
  for (const sessionId of new Set(events.map(({ subject_id }) => subject_id)))
    await redactWebhookTexts(trx, orgId, sessionId);
};

/** Reaction to `insight-redacted`: the insights have the names in all their webhooks that they have now. */
export const redactInsightWebhooks: Reaction<'insight-redacted'> = async (trx, orgId, events) => {
  const ids = [...new Set(events.map(({ subject_id }) => subject_id))];
  const insights = await getInsightSnapshots(trx, orgId, ids);
  await renameInsights(trx, orgId, [...insights.values()]);
};

/** Reaction to `contact-deleted`: no webhook has more of the contacts than their ids and times any more. */
export const redactContactWebhooks: Reaction<'contact-deleted'> = (trx, orgId, events) =>
  redactContacts(
    trx,
    orgId,
    events.map(({ subject_id }) => subject_id),
  );
