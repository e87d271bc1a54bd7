import type { Trx } from '../../db/connect.ts';
import { announce } from '../../outbox/announcing.ts';
import { reopenOccurred } from './queries.ts';

/** Reopens those insights with an occurrence after their resolution, and announces it with the session. */
export async function reopenIfOccurred(trx: Trx, orgId: string, insightIds: string[]): Promise<void> {
  const reopened = await reopenOccurred(trx, orgId, insightIds);
  await announce(
    trx,
    orgId,
    reopened.map(({ id, session_id }) => ({ type: 'insight-reopened', subject_id: id, payload: { session_id } })),
  );
}
