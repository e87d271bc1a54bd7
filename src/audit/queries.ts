import { type SqlBool, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../db/cursor.ts';
import { deleteSome } from '../db/deletion.ts';
import type { AuditKind, ListAudit } from './schema.ts';

type Filter = Pick<ListAudit, 'actor' | 'kind' | 'ref' | 'from' | 'to'>;

/** Lists a page of the audit of an org. Each of the first three filters has an index. */
export const listEntries = (db: Db, orgId: string, { actor, kind, ref, from, to }: Filter, page: PageRequest) =>
  db
    .selectFrom('audit_entries')
    .selectAll()
    .where('org_id', '=', orgId)
    .$if(actor !== undefined, (rows) => rows.where('actor_id', '=', String(actor)))
    .$if(kind !== undefined, (rows) => rows.where('kind', '=', kind as AuditKind))
    .$if(ref !== undefined, (rows) => rows.where('ref', '=', String(ref)))
    .$if(from !== undefined, (rows) => rows.where(sql<SqlBool>`created_at >= ${from}::timestamptz`))
    .$if(to !== undefined, (rows) => rows.where(sql<SqlBool>`created_at < ${to}::timestamptz`))
    .$call(orderedByCreation(page))
    .execute();

/** Deletes some entries that are older than this. Returns their number: 0 once none are left. */
export const deleteOldEntries = (db: Db, days: number): Promise<number> =>
  deleteSome(db, 'audit_entries', sql`created_at < now() - ${days} * interval '1 day'`);
