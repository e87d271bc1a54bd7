import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest, type Position } from '../../db/cursor.ts';
import { NIL_UUID, newId } from '../../ids.ts';
import type { EnrollmentStatus } from '../schema.ts';

/** Returns those of the given contacts matching the condition, an expression over `contacts`. */
export async function filterContacts(
  db: Db,
  orgId: string,
  contactIds: string[],
  condition: Expression<SqlBool>,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select contacts.id from contacts
    where contacts.org_id = ${orgId} and contacts.id = any(${contactIds}::uuid[]) and ${condition}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns the contact id of each given former state matching the condition. */
export async function filterFormerContacts(db: Db, rows: object[], condition: Expression<SqlBool>): Promise<string[]> {
  const { rows: found } = await sql<{ id: string }>`
    select contacts.id from jsonb_populate_recordset(null::contacts, ${JSON.stringify(rows)}::jsonb) as contacts
    where ${condition}
  `.execute(db);
  return found.map(({ id }) => id);
}

/** Returns matching contacts in the order of their ids, without those created after a time if there is one. */
export async function listMatchingContacts(
  db: Db,
  orgId: string,
  condition: Expression<SqlBool>,
  { after, createdUntil, limit }: { after: string | null; createdUntil: Date | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select contacts.id from contacts
    where contacts.org_id = ${orgId} and (${createdUntil}::timestamptz is null or contacts.created_at <= ${createdUntil})
      and contacts.id > ${after ?? NIL_UUID}::uuid and ${condition}
    order by contacts.id limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Enrolls contacts not enrolled yet. Resolves to the contacts enrolled now. */
export async function insertEnrollments(
  db: Db,
  orgId: string,
  { sequenceId, runId }: { sequenceId: string; runId: string | null },
  contactIds: string[],
): Promise<string[]> {
  if (contactIds.length === 0) return [];
  const { rows } = await sql<{ contact_id: string }>`
    insert into enrollments (org_id, id, sequence_id, contact_id, run_id)
    select ${orgId}::uuid, fresh.id, ${sequenceId}::uuid, fresh.contact_id, ${runId}::uuid
    from unnest(${contactIds.map(newId)}::uuid[], ${contactIds}::uuid[]) as fresh (id, contact_id)
    on conflict (org_id, sequence_id, contact_id) do nothing
    returning contact_id
  `.execute(db);
  return rows.map(({ contact_id }) => contact_id);
}

export function insertRun(db: Db, run: { org_id: string; id: string; sequence_id: string; is_enrolled: boolean }) {
  return db.insertInto('sequence_runs').values(run).execute();
}

/** Returns the oldest run with contacts still to be enrolled. */
export function findOpenRun(db: Db, orgId: string, sequenceId: string) {
  return db
    .selectFrom('sequence_runs')
    .select(['id', 'enrolled_through', 'created_at'])
    .where('org_id', '=', orgId)
    .where('sequence_id', '=', sequenceId)
    .where('is_enrolled', '=', false)
    .where('canceled_at', 'is', null)
    .orderBy('created_at')
    .executeTakeFirst();
}

export async function updateRun(
  db: Db,
  orgId: string,
  runId: string,
  changes: { enrolled_through?: string; is_enrolled?: boolean },
): Promise<void> {
  await db.updateTable('sequence_runs').set(changes).where('org_id', '=', orgId).where('id', '=', runId).execute();
}

/** Cancels a run. Resolves to its sequence, or undefined if there is no such run. */
export async function cancelRun(db: Db, orgId: string, runId: string): Promise<string | undefined> {
  const run = await db
    .updateTable('sequence_runs')
    .set({ canceled_at: sql<Date>`coalesce(canceled_at, now())` })
    .where('org_id', '=', orgId)
    .where('id', '=', runId)
    .returning('sequence_id')
    .executeTakeFirst();
  return run?.sequence_id;
}

const CONTACT_ID = sql<string>`coalesce(enrollments.contact_id, enrollments.merged_contact_id)`;

/** SQL: who is enrolled. */
const CONTACT = sql<{ name: string | null; email: string | null }>`(
  select jsonb_build_object('name', contact.name, 'email', contact.email) from contacts as contact
  where contact.org_id = enrollments.org_id and contact.id = coalesce(enrollments.contact_id, enrollments.merged_contact_id)
)`;

/** Builds the query for the enrollments of a sequence. In a canceled sequence, active rows are shown as canceled. */
const enrollmentQuery = (db: Db, orgId: string, sequence: { id: string; status: string }) => {
  const status = sql<EnrollmentStatus>`
    case when status = 'active' and ${sequence.status === 'canceled'}::boolean then 'canceled' else status end`;
  const query = db
    .selectFrom('enrollments')
    .select(['id', 'run_id', 'last_step_id', 'anchor_at', 'held_until', 'exit_reason', 'created_at', 'ended_at'])
    .select([status.as('status'), CONTACT.as('contact'), CONTACT_ID.as('contact_id')])
    .where('org_id', '=', orgId)
    .where('sequence_id', '=', sequence.id);
  return { query, status };
};

export interface EnrollmentFilters {
  status: EnrollmentStatus | undefined;
  contactId: string | undefined;
  /** The positions of which active enrollments are listed. */
  positions: string[] | undefined;
  exitReason: string | undefined;
}

function filteredEnrollments(
  db: Db,
  orgId: string,
  sequence: { id: string; status: string },
  { status: named, contactId, positions, exitReason }: EnrollmentFilters,
) {
  const { query, status } = enrollmentQuery(db, orgId, sequence);
  return query
    .$if(named !== undefined, (rows) => rows.where(status, '=', sql<EnrollmentStatus>`${named}`))
    .$if(contactId !== undefined, (rows) =>
      rows.where(sql<SqlBool>`(contact_id = ${contactId}::uuid or merged_contact_id = ${contactId}::uuid)`),
    )
    .$if(positions !== undefined, (rows) =>
      rows
        .where('status', '=', 'active')
        .where(sql<SqlBool>`coalesce(last_step_id, sequence_id) = any(${positions}::uuid[])`),
    )
    .$if(exitReason !== undefined, (rows) =>
      rows.where(sql<SqlBool>`left(split_part(exit_reason, ':', 1), 100) = ${exitReason} and exit_reason is not null`),
    );
}

/** Returns a page of enrollments by creation. */
export const listEnrollments = (
  db: Db,
  orgId: string,
  sequence: { id: string; status: string },
  { page, ...filters }: EnrollmentFilters & { page: PageRequest },
) => filteredEnrollments(db, orgId, sequence, filters).$call(orderedByCreation(page)).execute();

/** Returns a page of the deferred active enrollments, plus one more if there is one, the first to be tried again first. */
export const listDeferredEnrollments = (
  db: Db,
  orgId: string,
  sequence: { id: string; status: string },
  { after, limit, ...filters }: EnrollmentFilters & { after: Position | undefined; limit: number },
) =>
  filteredEnrollments(db, orgId, sequence, filters)
    .where('status', '=', 'active')
    .where('held_until', 'is not', null)
    .$if(after !== undefined, (rows) =>
      rows.where(sql<SqlBool>`(held_until, id) > (${after?.at}::timestamptz, ${after?.id}::uuid)`),
    )
    .orderBy('held_until')
    .orderBy('id')
    .limit(limit + 1)
    .execute();

/** Returns the id of a contact's enrollment in a sequence. */
export async function findEnrollmentOf(
  db: Db,
  orgId: string,
  sequenceId: string,
  contactId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('enrollments')
    .select('id')
    .where('org_id', '=', orgId)
    .where('sequence_id', '=', sequenceId)
    .where('contact_id', '=', contactId)
    .executeTakeFirst();
  return row?.id;
}

/** Returns one of the sequence's enrollments with its present position. */
export const findEnrollment = (db: Db, orgId: string, sequence: { id: string; status: string }, enrollmentId: string) =>
  enrollmentQuery(db, orgId, sequence).query.where('id', '=', enrollmentId).executeTakeFirst();

/** Returns the deliveries of an enrollment, sent or not: at most one for each step. */
export function listEnrollmentDeliveries(db: Db, orgId: string, enrollmentId: string) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'step_id', 'status', 'reason', 'attempts', 'sent_at'])
    .where('org_id', '=', orgId)
    .where('enrollment_id', '=', enrollmentId)
    .execute();
}
