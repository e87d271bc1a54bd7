import { type Insertable, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../db/cursor.ts';
import { lockName } from '../db/locks.ts';
import type { AiEvalCasesTable } from './table.ts';

/** Locks the cases of an org until the transaction ends, so that none comes or goes while they are counted or copied. */
export const lockCases = (trx: Trx, orgId: string): Promise<void> => lockName(trx, `ai evals ${orgId}`);

export async function countCases(trx: Trx, orgId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('ai_eval_cases')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export type NewCase = Omit<Insertable<AiEvalCasesTable>, 'created_at' | 'updated_at'>;

export const insertCases = (trx: Trx, cases: NewCase[]) =>
  trx.insertInto('ai_eval_cases').values(cases).returningAll().execute();

export const findCase = (db: Db, orgId: string, id: string) =>
  db.selectFrom('ai_eval_cases').selectAll().where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst();

export const listCases = (db: Db, orgId: string, page: PageRequest) =>
  db.selectFrom('ai_eval_cases').selectAll().where('org_id', '=', orgId).$call(orderedByCreation(page)).execute();

export const updateCase = (db: Db, orgId: string, id: string, change: Partial<NewCase>) =>
  db
    .updateTable('ai_eval_cases')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

/** Deletes a case. Returns whether it was there. */
export async function deleteCase(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('ai_eval_cases')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes the cases that were made of sessions, and the texts of their results. */
export async function deleteTextsOfSessions(trx: Trx, orgId: string, sessionIds: string[]): Promise<void> {
  await lockCases(trx, orgId);
  await trx
    .deleteFrom('ai_eval_cases')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sql<string>`any(${sessionIds}::uuid[])`)
    .execute();
  await trx
    .updateTable('ai_eval_results')
    .set({ name: 'redacted', definition: null, checks: '[]', turn: null, error: null })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sql<string>`any(${sessionIds}::uuid[])`)
    .execute();
}
