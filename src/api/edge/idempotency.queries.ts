import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';

const ROWS_PER_BATCH = 5_000;

/** Deletes expired answers, a limited number per call. Resolves to the number deleted. */
export async function deleteExpiredResponses(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < now() - interval '24 hours' limit ${ROWS_PER_BATCH}
    ))
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Removes the texts of a session from stored answers, for good: repeated requests get what is left, and an answer that is
 * not complete yet gets no texts.
 */
export async function redactStoredAnswers(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  await trx
    .updateTable('idempotency_keys')
    .set({ full_answer: null, session_id: null })
    .where('principal_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .execute();
}
