import type { Db } from '../../db/connect.ts';
import { tagKeyOf } from '../../desk/tags/rules.ts';
import type { Reader } from '../queries.ts';
import { listFilteredIds, listShownSessions, sessionsWhere } from './filter.queries.ts';
import type { FilterSessions, SessionFilters } from './filter.schema.ts';

/**
 * Returns a page of the sessions meeting every condition, as they are a moment after they were found: one that has changed
 * meanwhile is shown as it is then, and a deleted one is left out.
 */
export async function filterSessions(
  db: Db,
  orgId: string,
  { page, limit, memberId, ...wanted }: FilterSessions & Reader,
) {
  const criteria = { ...wanted, tagKeys: tagKeysOf(wanted.filters) };
  const found = await listFilteredIds(db, orgId, criteria, { offset: (page - 1) * limit, limit: limit + 1 });
  const ids = found.slice(0, limit);
  const rows = ids.length === 0 ? [] : await listShownSessions(db, orgId, ids, { memberId });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    data: ids.flatMap((id) => byId.get(id) ?? []),
    page,
    limit,
    has_next: found.length > limit,
    has_previous: page > 1,
  };
}

/** SQL: the ids of the sessions meeting every condition. */
export const sessionsThatMeet = (orgId: string, filters: SessionFilters) =>
  sessionsWhere(orgId, { filters, tagKeys: tagKeysOf(filters) });

const tagKeysOf = ({ tags = [] }: SessionFilters): string[] => [...new Set(tags.map((name) => tagKeyOf(name.trim())))];
