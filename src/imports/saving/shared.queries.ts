import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';
import type { ImportedRecordsTable } from '../table.ts';

/** Where records come from: an org, and a source with its account. */
export interface Origin {
  orgId: string;
  source: string;
}

/** Lets one import of an origin write at a time, until the transaction ends: another one sees what it has imported. */
export const lockOrigin = (trx: Trx, { orgId, source }: Origin): Promise<void> =>
  lockName(trx, `import ${orgId} ${source}`);

type Kind = ImportedRecordsTable['kind'];

export interface ImportedRecord<Data = Record<string, unknown>> {
  external_id: string;
  /** The contact or session. */
  id: string | null;
  data: Data;
}

/** Finds the records of a kind that were imported before, by their ids in the source. */
export async function findImported<Data>(
  db: Db,
  { orgId, source }: Origin,
  kind: Kind,
  externalIds: string[],
): Promise<Map<string, ImportedRecord<Data>>> {
  if (externalIds.length === 0) return new Map();
  const { rows } = await sql<ImportedRecord<Data>>`
    select record.external_id, coalesce(merge.contact_id, record.id) as id, record.data from imported_records as record
    left join contact_merges as merge on record.kind = 'contact' and merge.org_id = record.org_id and merge.absorbed_id = record.id
    where record.org_id = ${orgId} and record.source = ${source} and record.kind = ${kind}
      and record.external_id = any(${externalIds}::text[])
  `.execute(db);
  return new Map(rows.map((row) => [row.external_id, row]));
}

/** Records what was imported, or what was imported of it since. */
export async function upsertImported(
  trx: Trx,
  { orgId, source }: Origin,
  kind: Kind,
  records: ImportedRecord[],
): Promise<void> {
  if (records.length === 0) return;
  await sql`
    insert into imported_records (org_id, source, kind, external_id, id, data)
    select ${orgId}::uuid, ${source}, ${kind}, external_id, id, data
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as row (external_id text, id uuid, data jsonb)
    on conflict (org_id, source, kind, external_id) do update set id = excluded.id, data = excluded.data
  `.execute(trx);
}

/** Returns which of these contacts the org has, and keeps them from being deleted until the transaction ends. */
export async function lockExistingContacts(trx: Trx, orgId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from contacts where org_id = ${orgId} and id = any(${ids}::uuid[]) order by id for key share
  `.execute(trx);
  return new Set(rows.map(({ id }) => id));
}
