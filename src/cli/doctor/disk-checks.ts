import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import { createStorage } from '../../providers/storage/storage.ts';
import { examine, type Finding, fault, type Judgement, ok, skipped, warning } from './findings.ts';

const GIGABYTE = 1e9;
const LOW_BYTES = 5 * GIGABYTE;
const FULL_BYTES = GIGABYTE / 2;
/** No file has this key. To say so, a store has to know the bucket and accept the credentials. */
const ABSENT_FILE = 'doctor';

/** Checks where files and the database are: that they can be reached, and have room. */
export async function examineDisk(db: Db | undefined, config: Config): Promise<Finding[]> {
  const isFolder = config.STORAGE_URL?.startsWith('file:') === true;
  const remedy = isFolder
    ? 'create the folder of STORAGE_URL, and let this user write to it'
    : 'correct STORAGE_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  return [
    await examine('files', remedy, () => (isFolder ? judgeFolder(config) : judgeBucket(config))),
    await examine('disk of Postgres', 'correct DATABASE_URL, or start Postgres', () => judgeDatabase(db, config)),
  ];
}

async function judgeFolder({ STORAGE_URL = '' }: Config): Promise<Judgement> {
  const folder = fileURLToPath(STORAGE_URL);
  await access(folder, constants.W_OK);
  return judgeRoom('in the folder', await freeBytesAt(folder), 'files of customers are refused soon');
}

async function judgeBucket(config: Config): Promise<Judgement> {
  if (config.STORAGE_URL === undefined) return skipped('STORAGE_URL is not set: no files are taken');
  const storage = createStorage(config);
  try {
    (await storage.get(ABSENT_FILE))?.destroy();
    return ok(`the bucket ${new URL(config.STORAGE_URL).hostname} answers`);
  } finally {
    await storage.close();
  }
}

/** Postgres does not say how much room its disk has. It is read where Postgres runs on this machine and says where it is. */
async function judgeDatabase(db: Db | undefined, { DATABASE_URL }: Config): Promise<Judgement> {
  if (db === undefined) return skipped('Postgres cannot be asked');
  const { bytes, folder } = onlyRow(
    await sql<{ bytes: string; folder: string | null }>`
      select pg_database_size(current_database())::text as bytes, case when
        pg_has_role('pg_read_all_settings', 'usage') then current_setting('data_directory', true) end as folder
    `.execute(db),
  );
  const size = `the database has ${gigabytes(Number(bytes))}`;
  const free = folder !== null && isHere(DATABASE_URL) ? await freeBytesAt(folder).catch(() => undefined) : undefined;
  return free === undefined
    ? ok(`${size}; watch the room of its disk at its machine`)
    : judgeRoom(`${size}, on a disk`, free, 'Postgres stops when its disk is full');
}

function isHere(databaseUrl: string): boolean {
  const host = URL.parse(databaseUrl)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return host === '' || host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const gigabytes = (bytes: number) => `${(bytes / GIGABYTE).toFixed(1)} GB`;

function judgeRoom(where: string, bytes: number, consequence: string): Judgement {
  const found = `${where}: ${gigabytes(bytes)} free`;
  if (bytes < FULL_BYTES) return fault(found, `make room: ${consequence}`);
  return bytes < LOW_BYTES ? warning(found, `make room: ${consequence}`) : ok(found);
}
