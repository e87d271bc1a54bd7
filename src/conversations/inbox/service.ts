import { valueAt } from '../../collections/checked-access.ts';
import type { Db } from '../../db/connect.ts';
import { tagKeyOf } from '../../desk/tags/rules.ts';
import { refusedQuery } from '../../errors.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import { findSessionsWith } from '../search/service.ts';
import { isPersonal } from './built-in-views.rules.ts';
import type { InboxCriteria, SearchedText } from './conditions.queries.ts';
import type { ConfirmationsPort } from './confirmations.port.ts';
import { cursorOf, type InboxPosition, positionOf } from './cursors.ts';
import {
  countInbox,
  hasOnePlan,
  type InboxCount,
  type InboxRequest,
  listPageRows,
  listPositions,
  sessionsOfList,
} from './queries.ts';
import { readRows, rowOf } from './rows.service.ts';
import type { InboxFilters, InboxRow, InboxSelection, ListInbox } from './schema.ts';
import { getViewQueries } from './views.service.ts';

const TICKET_NUMBER = /^#?([0-9]{1,12})$/;

/** Returns a page of a list of sessions, as the caller sees it. Throws notFound for a view hidden from it. */
export async function pageOfInbox(
  db: Db,
  caller: OrgPrincipal,
  { view, cursor, limit, ...given }: ListInbox,
  confirmations: ConfirmationsPort,
) {
  const asOf = new Date();
  const filters = await filtersOf(db, caller, { view, ...given });
  const { order = 'newest', status } = filters;
  const criteria = await criteriaOf(db, caller, filters);
  const after = cursor === undefined ? undefined : positionOf(order, cursor);
  const found = await readPage(db, caller, { status, criteria, order, after, limit }, confirmations);
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    items: found.slice(0, limit).flatMap(({ row }) => row ?? []),
    next: last === undefined ? null : cursorOf(order, last),
    as_of: asOf,
  };
}

/** A place in a page. Its session may have been deleted since it was found. */
interface Place extends InboxPosition {
  row: InboxRow | undefined;
}

/** Reads a page in its order, plus one place more if there is one: its row may be left out. */
async function readPage(
  db: Db,
  { id: orgId, member }: OrgPrincipal,
  request: InboxRequest,
  confirmations: ConfirmationsPort,
): Promise<Place[]> {
  const memberId = member?.id ?? null;
  const memberIds = memberId === null ? [] : [memberId];
  if (hasOnePlan(request)) {
    const rows = await listPageRows(db, orgId, request, { memberIds, confirmations });
    return rows.map((row) => ({ id: row.id, at: row.at, row: rowOf(row, memberId) }));
  }
  const positions = await listPositions(db, orgId, request);
  const keys = positions.slice(0, request.limit).map(({ id }) => ({ orgId, id }));
  const rows = await readRows(db, keys, memberIds, confirmations);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return positions.map(({ id, at }) => ({ id, at, row: byId.get(id)?.rowFor(memberId) }));
}

/** Returns the sessions of a list as SQL: their ids. Throws notFound for a view hidden from the caller. */
export async function selectSessions(db: Db, caller: OrgPrincipal, selection: InboxSelection) {
  const filters = await filtersOf(db, caller, selection);
  const criteria = await criteriaOf(db, caller, filters);
  return sessionsOfList(caller.id, { status: filters.status, criteria });
}

/** Returns the filters of a view, overridden by those of the request. */
async function filtersOf(db: Db, caller: OrgPrincipal, { view, ...given }: InboxSelection): Promise<InboxFilters> {
  const ofView = view === undefined ? {} : valueAt(await getViewQueries(db, caller, [view]), view);
  return { ...ofView, ...given };
}

/** Counts the sessions of views. Throws notFound for a view hidden from the caller. */
export async function countViews(db: Db, caller: OrgPrincipal, views: string[]) {
  const asOf = new Date();
  const queries = await getViewQueries(db, caller, views);
  const counts: Record<string, InboxCount> = {};
  for (const [view, filters] of queries) {
    const criteria = await criteriaOf(db, caller, filters);
    counts[view] = await countInbox(db, caller.id, { status: filters.status, criteria });
  }
  return { counts, as_of: asOf };
}

async function criteriaOf(
  db: Db,
  { id: orgId, member }: OrgPrincipal,
  { status, tag, q, order, ...filters }: InboxFilters,
): Promise<InboxCriteria> {
  if (member === undefined && isPersonal(filters))
    throw refusedQuery('assignee', 'me and the filter unread need a member who is signed in: an API key is nobody');
  return {
    ...filters,
    memberId: member?.id ?? null,
    tagKey: tag === undefined ? undefined : tagKeyOf(tag.trim()),
    text: q === undefined ? undefined : await findText(db, orgId, q),
  };
}

async function findText(db: Db, orgId: string, q: string): Promise<SearchedText> {
  const [, number] = TICKET_NUMBER.exec(q.trim()) ?? [];
  const found = q.trim().startsWith('#') ? { contactIds: [], sessionIds: [] } : await findSessionsWith(db, orgId, q);
  return { ...found, ticketNumber: number === undefined ? undefined : Number(number) };
}
