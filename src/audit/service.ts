import type { Db } from '../db/connect.ts';
import { pageOf } from '../db/cursor.ts';
import { listEntries } from './queries.ts';
import type { ListAudit } from './schema.ts';

export { deleteOldEntries as deleteOldAuditEntries } from './queries.ts';

/** Returns a page of who changed what an org has set up, newest first. Throws invalid for a cursor that is not ours. */
export async function pageOfAudit(db: Db, orgId: string, { cursor, limit, ...filter }: ListAudit) {
  const { items, next } = await pageOf(db, { cursor, limit, order: 'newest' }, (page) =>
    listEntries(db, orgId, filter, page),
  );
  return {
    items: items.map(({ created_at: at, actor_kind: kind, actor_id: id, actor_name: name, ...entry }) => ({
      ...entry,
      at,
      actor: { kind, id, name },
    })),
    next,
  };
}
