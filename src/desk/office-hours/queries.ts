import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import type { Holiday, Shift } from './schema.ts';

const COLUMNS = ['id', 'name', 'iana_timezone', 'shifts', 'holidays', 'created_at', 'updated_at'] as const;

interface OfficeHoursFields {
  name: string;
  iana_timezone: string;
  shifts: Shift[];
  holidays: Holiday[];
}

export function insertOfficeHours(db: Db, orgId: string, id: string, { shifts, holidays, ...rest }: OfficeHoursFields) {
  return db
    .insertInto('office_hours')
    .values({ org_id: orgId, id, ...rest, shifts: JSON.stringify(shifts), holidays: JSON.stringify(holidays) })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

const selectOfficeHours = (db: Db, orgId: string, id: string) =>
  db.selectFrom('office_hours').select(COLUMNS).where('org_id', '=', orgId).where('id', '=', id);

export const findOfficeHours = (db: Db, orgId: string, id: string) =>
  selectOfficeHours(db, orgId, id).executeTakeFirst();

/** Locks office hours: until the transaction ends, no other transaction can change, delete or begin to use them. */
export const lockOfficeHours = (trx: Trx, orgId: string, id: string) =>
  selectOfficeHours(trx, orgId, id).forUpdate().executeTakeFirst();

/** Returns whether office hours exist, and locks them against deletion until the transaction ends. */
export async function lockOfficeHoursShared(trx: Trx, orgId: string, id: string): Promise<boolean> {
  return (await selectOfficeHours(trx, orgId, id).forKeyShare().executeTakeFirst()) !== undefined;
}

export async function updateOfficeHours(
  db: Db,
  orgId: string,
  id: string,
  { shifts, holidays, ...rest }: Omit<OfficeHoursFields, 'holidays'> & { holidays: Holiday[] | undefined },
): Promise<void> {
  await db
    .updateTable('office_hours')
    .set({ ...rest, shifts: JSON.stringify(shifts), updated_at: sql<Date>`now()` })
    .$if(holidays !== undefined, (query) => query.set({ holidays: JSON.stringify(holidays) }))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

export async function deleteOfficeHours(db: Db, orgId: string, id: string): Promise<void> {
  await db.deleteFrom('office_hours').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** Returns a page of office hours in order of creation. */
export const listOfficeHours = (db: Db, orgId: string, page: PageRequest) =>
  db.selectFrom('office_hours').select(COLUMNS).where('org_id', '=', orgId).$call(orderedByCreation(page)).execute();

/** Lists the office hours of the teams that have any, or of one team. */
export const listSupportHours = (db: Db, orgId: string, teamId: string | undefined) =>
  db
    .selectFrom('teams as team')
    .innerJoin('office_hours as hours', (join) =>
      join.onRef('hours.org_id', '=', 'team.org_id').onRef('hours.id', '=', 'team.support_office_hours_id'),
    )
    .select(['hours.iana_timezone', 'hours.shifts', 'hours.holidays'])
    .select(sql<string[]>`array_agg(team.id::text)`.as('team_ids'))
    .where('team.org_id', '=', orgId)
    .$if(teamId !== undefined, (query) => query.where('team.id', '=', teamId ?? ''))
    .groupBy(['hours.org_id', 'hours.id'])
    .execute();

/** Returns the names of some of the teams that work in these office hours, the oldest first. */
export const listTeamNames = (db: Db, orgId: string, officeHoursId: string, limit: number): Promise<string[]> =>
  listNames(db, 'teams', sql<SqlBool>`support_office_hours_id = ${officeHoursId}`, { orgId, limit });

/** Returns the names of some of the SLA policies that count by these office hours, the oldest first. */
export const listPolicyNames = (db: Db, orgId: string, officeHoursId: string, limit: number): Promise<string[]> =>
  listNames(db, 'sla_policies', sql<SqlBool>`office_hours_id = ${officeHoursId}`, { orgId, limit });

async function listNames(
  db: Db,
  table: 'teams' | 'sla_policies',
  condition: RawBuilder<SqlBool>,
  { orgId, limit }: { orgId: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(table)} where org_id = ${orgId} and ${condition} order by created_at, id limit ${limit}
  `.execute(db);
  return rows.map(({ name }) => name);
}

/** Lists the time zones of the office hours of all orgs. */
export async function listZones(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('office_hours').select('iana_timezone').distinct().execute();
  return rows.map(({ iana_timezone }) => iana_timezone);
}
