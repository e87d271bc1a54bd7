import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { codeOf } from '../errors.ts';
import type { Storage } from '../providers/storage/port.ts';

/** A file that only one of the database and the storage has, or what could not be looked at. */
export interface FileDifference {
  kind: 'row without file' | 'file without row' | 'not readable';
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

const ID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
/** The files that we put, and what an interrupted put has left of one. Whatever else is in the folder is not ours. */
const OURS = new RegExp(`^(?:(?:contact-)?imports/)?${ID}/${ID}(?:\\.${ID}\\.part)?$`);

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
 * Files under other keys than ours are left alone.
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
      const kinds = await Promise.all(looked.map((row) => lookFor(storage, row)));
      for (const [nth, row] of looked.entries()) {
        const kind = kinds[nth];
        if (kind !== undefined) lost.push({ kind, ...row, mended: 'none' });
      }
    }
  } while (rows.length === KEYS_PER_QUERY);
  return lost;
}

/** Returns what is wrong with the file of a row, or undefined. */
async function lookFor(storage: Storage, { key, bytes }: FileRow): Promise<FileDifference['kind'] | undefined> {
  try {
    const content = await storage.get(key, bytes === 0 ? undefined : { start: 0, end: 0 });
    content?.destroy();
    return content === undefined ? 'row without file' : undefined;
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(codeOf(error) ?? '')) return 'not readable';
    throw error;
  }
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
  const report = (key: string) =>
    void orphans.push({ kind: 'not readable', org_id: null, key, bytes: 0, mended: 'none' });
  for await (const { key, size, changedAt } of storage.list?.(report) ?? []) {
    if (!OURS.test(key) || changedAt.getTime() > oldest) continue;
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
