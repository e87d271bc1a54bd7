import type { Db } from '../../db/connect.ts';
import { tagKeyOf } from '../../desk/tags/rules.ts';
import type { Reader } from '../queries.ts';
import { listFilteredSessions, sessionsWhere } from './filter.queries.ts';
import type { FilterSessions, SessionFilters } from './filter.schema.ts';

/** Returns a page of the sessions meeting every condition. */
export async function filterSessions(db: Db, orgId: string, { page, limit, ...wanted }: FilterSessions & Reader) {
  const tagKeys = tagKeysOf(wanted.filters);
  const rows = await listFilteredSessions(
    db,
    orgId,
    { ...wanted, tagKeys },
    { offset: (page - 1) * limit, limit: limit + 1 },
  );
  return { data: rows.slice(0, limit), page, limit, has_next: rows.length > limit, has_previous: page > 1 };
}

/** SQL: the ids of the sessions meeting every condition. */
export const sessionsThatMeet = (orgId: string, filters: SessionFilters) =>
  sessionsWhere(orgId, { filters, tagKeys: tagKeysOf(filters) });

const tagKeysOf = ({ tags = [] }: SessionFilters): string[] => [...new Set(tags.map((name) => tagKeyOf(name.trim())))];
