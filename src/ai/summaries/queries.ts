import type { Db, Trx } from '../../db/connect.ts';
import type { SummaryRef } from './contract.ts';

/** Finds the handoff or resolution of a session for its last request to a model. */
export const findAsked = (db: Db, { orgId, sessionId, occasion }: SummaryRef) =>
  db
    .selectFrom('ai_summaries')
    .select('at')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('occasion', '=', occasion)
    .executeTakeFirst();

/** Records a model's request about a handoff or a resolution. */
export async function upsertAsked(trx: Trx, { orgId, sessionId, occasion }: SummaryRef, at: Date): Promise<void> {
  await trx
    .insertInto('ai_summaries')
    .values({ org_id: orgId, session_id: sessionId, occasion, at })
    .onConflict((oc) => oc.columns(['org_id', 'session_id', 'occasion']).doUpdateSet({ at }))
    .execute();
}
