import type { Trx } from '../../db/connect.ts';
import { announce } from '../../outbox/events.ts';
import { reopenOccurred } from './queries.ts';

/** Reopens those of the insights that occurred after they were resolved, and announces it with the session. */
export async function reopenIfOccurred(trx: Trx, orgId: string, insightIds: string[]): Promise<void> {
  const reopened = await reopenOccurred(trx, orgId, insightIds);
  const events = reopened.map(({ id, session_id }) => ({ subject_id: id, payload: { session_id } }));
  await announce(trx, orgId, 'insight-reopened', events);
}
