import type { Reaction } from '../../outbox/reactions.ts';
import { redactRunTexts } from './redaction.queries.ts';

/** Reaction to `session-redacted`: redacts the session's texts in all runs. */
export const redactRuns: Reaction<'session-redacted'> = async (trx, orgId, events) => {
  for (const sessionId of new Set(events.map(({ subject_id }) => subject_id)))
    await redactRunTexts(trx, orgId, sessionId);
};
