import { type Insertable, type SqlBool, sql, type Updateable } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { InboxViewsTable } from './table.ts';

/** The viewer of views: a member, or a program with an API key. */
export interface Viewer {
  orgId: string;
  memberId: number | null;
}

/**
 * SQL: whether a view is one of the member's own, of its teams or of the org. Who made a team's view sees it without being in
 * the team. A program sees all shared ones.
 */
const isVisible = ({ memberId }: Viewer) => sql<SqlBool>`(
  view.member_id is not distinct from ${memberId}::bigint and view.team_id is null
  or view.member_id is null and view.team_id is null
  or view.team_id is not null and exists (
    select from teams as team where team.org_id = view.org_id and team.id = view.team_id and team.deleted_at is null
      and (${memberId}::bigint is null or view.created_by = ${memberId}::bigint or exists (
        select from team_members as belonging
        where belonging.org_id = team.org_id and belonging.team_id = team.id and belonging.user_id = ${memberId}::bigint
      ))
  )
)`;

const selectViews = (db: Db, viewer: Viewer) =>
  db.selectFrom('inbox_views as view').selectAll().where('org_id', '=', viewer.orgId).where(isVisible(viewer));

/** Lists the views visible to somebody, in order. */
export const listViews = (db: Db, viewer: Viewer) =>
  selectViews(db, viewer).orderBy('position').orderBy('name').orderBy('id').execute();

/** Lists those of the views visible to somebody. */
export const listViewsById = (db: Db, viewer: Viewer, ids: string[]) =>
  selectViews(db, viewer).where('id', '=', sql<string>`any(${ids}::uuid[])`).execute();

export const lockView = (trx: Trx, viewer: Viewer, id: string) =>
  selectViews(trx, viewer).where('id', '=', id).forUpdate('view').executeTakeFirst();

export type ViewRow = Awaited<ReturnType<typeof listViews>>[number];

export async function countViewsOf(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('inbox_views')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return count;
}

export const insertView = (db: Db, view: Insertable<InboxViewsTable>): Promise<ViewRow> =>
  db.insertInto('inbox_views').values(view).returningAll().executeTakeFirstOrThrow();

export const updateView = (
  db: Db,
  orgId: string,
  id: string,
  changes: Pick<Updateable<InboxViewsTable>, 'name' | 'query' | 'position' | 'member_id' | 'team_id'>,
): Promise<ViewRow> =>
  db
    .updateTable('inbox_views')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

export async function deleteView(db: Db, orgId: string, id: string): Promise<void> {
  await db.deleteFrom('inbox_views').where('org_id', '=', orgId).where('id', '=', id).execute();
}
