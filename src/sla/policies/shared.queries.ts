import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { lockName } from '../../db/locks.ts';
import type { CreateSlaPolicy, SlaAssignment, UpdateSlaPolicy } from './schema.ts';

const COLUMNS = [
  'id',
  'name',
  'office_hours_id',
  'first_reply_target_seconds',
  'next_reply_target_seconds',
  'resolution_target_seconds',
  'assignment',
  'created_at',
  'updated_at',
] as const;

/** Locks the creation of policies in the org, so that they can be counted. */
export async function lockPolicyCreation(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `sla policies ${orgId}`);
}

export async function countPolicies(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('sla_policies')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return count;
}

export const insertPolicy = (db: Db, orgId: string, id: string, policy: CreateSlaPolicy) =>
  db
    .insertInto('sla_policies')
    .values({ org_id: orgId, id, ...policy })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();

/** Selects policies as shown in answers, for callers to narrow down. */
export const selectPolicies = (db: Db, orgId: string) =>
  db.selectFrom('sla_policies').select(COLUMNS).where('org_id', '=', orgId);

export const findPolicy = (db: Db, orgId: string, id: string) =>
  selectPolicies(db, orgId).where('id', '=', id).executeTakeFirst();

export const updatePolicy = (db: Db, orgId: string, id: string, changes: UpdateSlaPolicy) =>
  db
    .updateTable('sla_policies')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst();

export const setAssignment = (db: Db, orgId: string, id: string, assignment: SlaAssignment) =>
  db
    .updateTable('sla_policies')
    .set({ assignment: JSON.stringify(assignment), updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst();

/** Deletes a policy. Its sessions are under no policy from then on. */
export async function deletePolicy(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sla_policies')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns a page of policies in order of creation. */
export const listPolicies = (db: Db, orgId: string, page: PageRequest) =>
  db.selectFrom('sla_policies').select(COLUMNS).where('org_id', '=', orgId).$call(orderedByCreation(page)).execute();

/** Returns the policies with an assignment, highest precedence first. */
export const listAssignments = (db: Db, orgId: string) =>
  db
    .selectFrom('sla_policies')
    .select(['id', 'assignment'])
    .where('org_id', '=', orgId)
    .where('assignment', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Returns the policies with these office hours, oldest first. */
export const listPoliciesWithHours = (db: Db, orgId: string, officeHoursIds: string[]) =>
  db
    .selectFrom('sla_policies')
    .select('id')
    .where('org_id', '=', orgId)
    .where('office_hours_id', '=', sql<string>`any(${officeHoursIds}::uuid[])`)
    .execute();

/** Returns the ids of those teams that belong to the org. */
export async function listKnownTeams(db: Db, orgId: string, ids: string[]): Promise<string[]> {
  const teams = await db
    .selectFrom('teams')
    .select('id')
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .where(sql<SqlBool>`id = any(${ids}::uuid[])`)
    .execute();
  return teams.map(({ id }) => id);
}

/** Returns the SLA policies with these ids. */
export const listPoliciesById = (db: Db, orgId: string, ids: string[]) =>
  selectPolicies(db, orgId).where('id', '=', sql<string>`any(${ids}::uuid[])`).execute();
