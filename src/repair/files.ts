import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Storage } from '../providers/storage/port.ts';

/** A file that only one of the database and the storage has. */
export interface FileDifference {
  kind: 'row without file' | 'file without row';
  org_id: string | null;
  key: string;
  bytes: number;
  mended: 'none' | 'deleted';
}

const KEYS_PER_QUERY = 500;
/** At once. */
const LOOKS = 16;
/** A file is put before its row is committed. */
const MIN_AGE_MS = 86_400_000;

interface FileRow {
  org_id: string;
  key: string;
  bytes: number;
}

/** SQL: every row that has a file. Those of files that are to be deleted have it until they are. */
const FILE_ROWS = sql<FileRow & { is_kept: boolean }>`
  select org_id, key, size::float8 as bytes, deleted_at is null as is_kept from media
  union all select org_id, storage_key, size::float8, state = 'running' from contact_imports
  union all select org_id, storage_key, size::float8, state = 'running' from imports`;

/**
 * Compares the files with the database, as after a restore of one of them. A row without its file is only shown: its link
 * answers 404, and the file can still be brought back. A file without a row is deleted if `deletes`, once it is a day old.
 */
export async function compareFiles(
  db: Db,
  storage: Storage,
  { deletes }: { deletes: boolean },
): Promise<FileDifference[]> {
  return [...(await findLostFiles(db, storage)), ...(await findOrphans(db, storage, deletes))];
}

async function findLostFiles(db: Db, storage: Storage): Promise<FileDifference[]> {
  const lost: FileDifference[] = [];
  let rows: FileRow[] = [];
  do {
    const after = rows.at(-1)?.key ?? '';
    rows = (
      await sql<FileRow>`
        select org_id, key, bytes from (${FILE_ROWS}) as file where is_kept and key > ${after} order by key limit ${KEYS_PER_QUERY}
      `.execute(db)
    ).rows;
    for (let first = 0; first < rows.length; first += LOOKS) {
      const looked = rows.slice(first, first + LOOKS);
      const exist = await Promise.all(looked.map((row) => hasFile(storage, row)));
      for (const [nth, row] of looked.entries())
        if (exist[nth] === false) lost.push({ kind: 'row without file', ...row, mended: 'none' });
    }
  } while (rows.length === KEYS_PER_QUERY);
  return lost;
}

async function hasFile(storage: Storage, { key, bytes }: FileRow): Promise<boolean> {
  const content = await storage.get(key, bytes === 0 ? undefined : { start: 0, end: 0 });
  content?.destroy();
  return content !== undefined;
}

async function findOrphans(db: Db, storage: Storage, deletes: boolean): Promise<FileDifference[]> {
  const orphans: FileDifference[] = [];
  const oldest = Date.now() - MIN_AGE_MS;
  let batch: { key: string; bytes: number }[] = [];
  const endBatch = async () => {
    const keys = await listKnownKeys(
      db,
      batch.map(({ key }) => key),
    );
    for (const { key, bytes } of batch.filter((file) => !keys.has(file.key))) {
      if (deletes) await storage.delete(key);
      orphans.push({ kind: 'file without row', org_id: null, key, bytes, mended: deletes ? 'deleted' : 'none' });
    }
    batch = [];
  };
  for await (const { key, size, changedAt } of storage.list?.() ?? []) {
    if (changedAt.getTime() > oldest) continue;
    batch.push({ key, bytes: size });
    if (batch.length === KEYS_PER_QUERY) await endBatch();
  }
  await endBatch();
  return orphans;
}

async function listKnownKeys(db: Db, keys: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    select key from (${FILE_ROWS}) as file where key = any(${keys}::text[])
  `.execute(db);
  return new Set(rows.map(({ key }) => key));
}
