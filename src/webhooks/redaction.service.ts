import type { Trx } from '../db/connect.ts';
import { getInsightSnapshots } from '../insights/snapshots.service.ts';
import type { Reaction } from '../outbox/reactions.ts';
import { keptPaths } from './events/kept-paths.ts';
import {
  type RedactedDelivery,
  redactAnswers,
  redactContacts,
  redactWebhookTexts,
  renameInsights,
} from './redaction.queries.ts';
import { notifyEndpointChange } from './waking.service.ts';

/** Reaction to `session-redacted`: redacts the texts of the session, or of single messages, in all its webhooks. */
export const redactWebhooks: Reaction<'session-redacted'> = async (trx, orgId, events) => {
  for (const [sessionId, own] of Map.groupBy(events, ({ subject_id }) => subject_id)) {
    const ids = own.map(({ payload }) => payload.message_id);
    const messageIds = ids.includes(null) ? 'all' : ids.flatMap((id) => id ?? []);
    await finish(trx, orgId, await redactWebhookTexts(trx, orgId, { sessionId, messageIds }, keptPaths()));
  }
};

/** Reaction to `insight-redacted`: the insights have the names in all their webhooks that they have now. */
export const redactInsightWebhooks: Reaction<'insight-redacted'> = async (trx, orgId, events) => {
  const ids = [...new Set(events.map(({ subject_id }) => subject_id))];
  const insights = await getInsightSnapshots(trx, orgId, ids);
  await finish(trx, orgId, await renameInsights(trx, orgId, [...insights.values()]));
};

/** Reaction to `contact-deleted`: no webhook has more of the contacts than their ids and times any more. */
export const redactContactWebhooks: Reaction<'contact-deleted'> = async (trx, orgId, events) => {
  const ids = events.map(({ subject_id }) => subject_id);
  await finish(trx, orgId, await redactContacts(trx, orgId, ids));
};

/** Redacts what receivers have answered to redacted deliveries. Senders do not send what they had read of these before. */
async function finish(trx: Trx, orgId: string, redacted: RedactedDelivery[]): Promise<void> {
  if (redacted.length === 0) return;
  await redactAnswers(
    trx,
    orgId,
    redacted.map(({ id }) => id),
  );
  const pending = redacted.filter(({ status }) => status === 'pending');
  for (const endpointId of new Set(pending.map(({ endpoint_id }) => endpoint_id)))
    notifyEndpointChange(trx, endpointId);
}
