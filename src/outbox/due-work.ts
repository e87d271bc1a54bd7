import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import type { DueWorkTable } from './table.ts';

/** Work that a workflow is to do and that no other row shows: the repair finds it here if the workflow is lost. */
export type DueWorkKind = DueWorkTable['kind'];

/** What the work is about: a session or the org itself, and the number of its occurrence where it has several. */
export interface WorkSubject {
  subjectId: string;
  number?: number;
}

export interface DueWorkRef extends Required<WorkSubject> {
  orgId: string;
}

/**
 * Records work in the transaction that requests it. Each request adds a row, and rows are only added and deleted: nobody
 * waits for a lock of another.
 */
export async function addDueWork(trx: Trx, orgId: string, kind: DueWorkKind, subjects: WorkSubject[]): Promise<void> {
  if (subjects.length === 0) return;
  await trx
    .insertInto('due_work')
    .values(subjects.map(({ subjectId, number = 0 }) => ({ org_id: orgId, kind, subject_id: subjectId, number })))
    .execute();
}

const dueWork = (orgId: string, kind: DueWorkKind, { subjectId, number = 0 }: WorkSubject) =>
  sql`kind = ${kind} and org_id = ${orgId} and subject_id = ${subjectId} and number = ${number}`;

/** Deletes what was requested up to now. The caller does the work afterwards, in the same transaction, or has done it. */
export async function deleteDueWork(db: Db, orgId: string, kind: DueWorkKind, subject: WorkSubject): Promise<void> {
  await sql`delete from due_work where ${dueWork(orgId, kind, subject)}`.execute(db);
}

/** Marks what was requested up to now, for work that takes more than one transaction. */
export async function beginDueWork(db: Db, orgId: string, kind: DueWorkKind, subject: WorkSubject): Promise<void> {
  await sql`update due_work set is_begun = true where ${dueWork(orgId, kind, subject)} and not is_begun`.execute(db);
}

/** Deletes what was marked when the work began. What was requested meanwhile is left. */
export async function endBegunWork(db: Db, orgId: string, kind: DueWorkKind, subject: WorkSubject): Promise<void> {
  await sql`delete from due_work where ${dueWork(orgId, kind, subject)} and is_begun`.execute(db);
}

/** Returns a function that lists the work of a kind, each subject once. */
export const listDueWork =
  (kind: DueWorkKind) =>
  async (db: Db, after: DueWorkRef | undefined, limit: number): Promise<DueWorkRef[]> => {
    const { rows } = await sql<DueWorkRef>`
      select distinct org_id as "orgId", subject_id as "subjectId", number from due_work
      where kind = ${kind} and ${
        after === undefined
          ? sql`true`
          : sql`(org_id, subject_id, number) > (${after.orgId}::uuid, ${after.subjectId}::uuid, ${after.number})`
      }
      order by org_id, subject_id, number limit ${limit}
    `.execute(db);
    return rows;
  };
