import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockTeamShared } from '../../desk/teams/service.ts';
import { conflict, forbidden, notFound, refused } from '../../errors.ts';
import { isUuid, newId } from '../../ids.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import { BUILT_IN_VIEWS, findBuiltInQuery, isPersonal } from './built-in-views.rules.ts';
import type { InboxFilters } from './schema.ts';
import {
  countViewsOf,
  deleteView,
  insertView,
  listViews,
  listViewsById,
  lockView,
  updateView,
  type Viewer,
  type ViewRow,
} from './views.queries.ts';
import type { CreateView, UpdateView } from './views.schema.ts';

const MAX_VIEWS = 1_000;

const viewerOf = ({ id, member }: OrgPrincipal): Viewer => ({ orgId: id, memberId: member?.id ?? null });

/** Lists the views visible to the caller: those of every org first. */
export async function listVisibleViews(db: Db, caller: OrgPrincipal) {
  const builtIn = BUILT_IN_VIEWS.filter(({ query }) => caller.member !== undefined || !isPersonal(query));
  const stored = await listViews(db, viewerOf(caller));
  const none = { team_id: null, is_own: false, can_edit: false, created_at: null, updated_at: null };
  return {
    items: [
      ...builtIn.map((view, position) => ({ ...view, ...none, shared: 'org' as const, position, is_built_in: true })),
      ...stored.map((row) => viewOf(caller, row)),
    ],
    next: null,
  };
}

/** Returns the queries of views, in the order of their ids. Throws notFound for a view hidden from the caller. */
export async function getViewQueries(db: Db, caller: OrgPrincipal, ids: string[]): Promise<Map<string, InboxFilters>> {
  const stored = ids.filter(isUuid);
  const rows = stored.length === 0 ? [] : await listViewsById(db, viewerOf(caller), stored);
  const queries = new Map(rows.map(({ id, query }) => [id, query]));
  return new Map(
    ids.map((id) => {
      const query = findBuiltInQuery(id) ?? queries.get(id);
      if (query === undefined) throw notFound('view');
      return [id, query];
    }),
  );
}

/** Creates a view. Throws invalid for a team unknown to the org, and conflict if the org has too many. */
export function createView(db: Db, caller: OrgPrincipal, { query, shared, team_id, ...view }: CreateView) {
  return inTransaction(db, async (trx) => {
    if ((await countViewsOf(trx, caller.id)) >= MAX_VIEWS)
      throw conflict(`The org has ${MAX_VIEWS} views: delete one first`);
    const owner = await ownerOf(trx, caller, { shared, team_id });
    const row = await insertView(trx, {
      ...view,
      ...owner,
      org_id: caller.id,
      id: newId(),
      query: JSON.stringify(query),
      created_by: caller.member?.id ?? null,
    });
    return viewOf(caller, row);
  });
}

/**
 * Changes a view. Throws notFound, and forbidden for a shared view of somebody else unless the caller is an admin or a
 * program.
 */
export function changeView(
  db: Db,
  caller: OrgPrincipal,
  id: string,
  { query, shared, team_id, ...changes }: UpdateView,
) {
  return inTransaction(db, async (trx) => {
    const view = await lockOwnView(trx, caller, id);
    const wanted = { shared: shared ?? sharedOf(view), team_id: team_id === undefined ? view.team_id : team_id };
    if (shared !== undefined && shared !== 'team') wanted.team_id = team_id ?? null;
    const isMoved = shared !== undefined || team_id !== undefined;
    const row = await updateView(trx, caller.id, id, {
      ...changes,
      ...(query === undefined ? {} : { query: JSON.stringify(query) }),
      ...(isMoved ? await ownerOf(trx, caller, wanted) : {}),
    });
    return viewOf(caller, row);
  });
}

/** Deletes a view. Throws the same errors as changeView. */
export function removeView(db: Db, caller: OrgPrincipal, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    await lockOwnView(trx, caller, id);
    await deleteView(trx, caller.id, id);
  });
}

async function lockOwnView(trx: Trx, caller: OrgPrincipal, id: string): Promise<ViewRow> {
  const view = await lockView(trx, viewerOf(caller), id);
  if (view === undefined) throw notFound('view');
  if (!canEdit(caller, view)) throw forbidden('Only the member who made a shared view, or an admin, can change it');
  return view;
}

const isOwn = ({ member }: OrgPrincipal, { member_id, created_by }: ViewRow): boolean =>
  member !== undefined && (member_id === member.id || created_by === member.id);

/** Returns whether the caller may change a view visible to it. An admin and a program may change all shared ones. */
const canEdit = (caller: OrgPrincipal, view: ViewRow): boolean =>
  caller.member === undefined || caller.member.role === 'admin' || isOwn(caller, view);

type Sharing = Pick<CreateView, 'shared' | 'team_id'>;

async function ownerOf(trx: Trx, { id: orgId, member }: OrgPrincipal, { shared, team_id }: Sharing) {
  if ((shared === 'team') !== (team_id !== null))
    throw refused('team_id', 'must be given where `shared` is team, and only there');
  if (team_id !== null && !(await lockTeamShared(trx, orgId, team_id)))
    throw refused('team_id', 'must be the id of a team: GET /teams lists them');
  if (shared === 'me' && member === undefined)
    throw refused('shared', 'me is for a member who is signed in: an API key shares a view with a team or the org');
  return { member_id: shared === 'me' ? (member?.id ?? null) : null, team_id };
}

const sharedOf = ({ member_id, team_id }: ViewRow): Sharing['shared'] =>
  member_id !== null ? 'me' : team_id !== null ? 'team' : 'org';

function viewOf(caller: OrgPrincipal, row: ViewRow) {
  const { org_id, member_id, created_by, ...view } = row;
  return {
    ...view,
    shared: sharedOf(row),
    is_built_in: false,
    is_own: isOwn(caller, row),
    can_edit: canEdit(caller, row),
  };
}
