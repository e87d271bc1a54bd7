import type { Reaction } from '../outbox/relay.ts';
import { redactWebhookTexts } from './redaction.queries.ts';

/** Reaction to `session-redacted`: redacts the session's texts in all its webhooks. */
export const redactWebhooks: Reaction<'session-redacted'> = async (trx, orgId, events) => {
  for (const sessionId of new Set(events.map(({ subject_id }) => subject_id)))
    await redactWebhookTexts(trx, orgId, sessionId);
};
