import type { Reaction } from '../outbox/relay.ts';
import { forgetTexts } from './redaction.queries.ts';

/** A reaction to `session-redacted`: runs keep no text of the session. */
export const forgetInRuns: Reaction<'session-redacted'> = async (trx, orgId, events) => {
  for (const sessionId of new Set(events.map(({ subject_id }) => subject_id))) await forgetTexts(trx, orgId, sessionId);
};
