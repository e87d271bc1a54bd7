import type { Db } from '../../db/connect.ts';
import { type SecretPlace, type Secrets, UnreadableSecret } from '../../secrets.ts';
import { listSealedRows, replaceSealed, type SealedRow } from './queries.ts';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts';

const SEALED = /(?<=^|[":])v1\.[\w-]+\.[\w-]{16}\.[\w-]*\.[\w-]{22}(?=$|")/g;
const MAX_LISTED = 20;

/** A key of the ring, or one that stored secrets need. */
export interface KeyUse {
  key: string;
  use: 'encrypts' | 'decrypts' | 'is missing in SECRET_KEYS';
  /** The number of stored secrets that it has encrypted. */
  secrets: number;
  /** Where they are. */
  columns: string[];
  advice: string;
}

/** Counts the stored secrets by their keys, of all tables or of those that are named. */
export async function listKeyUses(db: Db, secrets: Secrets, tables?: string[]): Promise<KeyUse[]> {
  const counts = new Map<string, Map<string, number>>(secrets.keyIds.map((keyId) => [keyId, new Map()]));
  for (const column of SEALED_COLUMNS.filter(({ table }) => tables === undefined || tables.includes(table)))
    for await (const { key_ids } of sealedRows(db, secrets, column))
      for (const keyId of key_ids) {
        const columns = counts.get(keyId) ?? new Map<string, number>();
        counts.set(keyId, columns.set(nameOf(column), (columns.get(nameOf(column)) ?? 0) + 1));
      }
  return [...counts].map(([key, columns]) => keyUseOf(secrets, key, columns));
}

function keyUseOf({ keyIds }: Secrets, key: string, columns: Map<string, number>): KeyUse {
  const use = key === keyIds[0] ? 'encrypts' : keyIds.includes(key) ? 'decrypts' : 'is missing in SECRET_KEYS';
  const count = [...columns.values()].reduce((sum, one) => sum + one, 0);
  return {
    key,
    use,
    secrets: count,
    columns: [...columns].map(([name, number]) => `${name}: ${number}`),
    advice: adviceOf(use, count),
  };
}

function adviceOf(use: KeyUse['use'], count: number): string {
  if (use === 'encrypts') return 'keep it: new secrets are encrypted by it';
  if (use !== 'decrypts') return 'add it to SECRET_KEYS again: its secrets cannot be read';
  return count === 0
    ? 'unused: remove it from SECRET_KEYS once every process encrypts by the first key'
    : 'in use: run "secrets reencrypt"';
}

export interface Reencryption {
  /** The rows whose secrets the first key has encrypted now. */
  reencrypted: number;
  /** The rows that were changed meanwhile. Another run does them. */
  changed_meanwhile: number;
  /** The rows with a secret that no key decrypts. */
  unreadable: number;
  /** Some of these, with the reason. */
  unreadable_rows: string[];
}

/**
 * Encrypts all stored secrets by the first key of the ring, a page of rows at a time. Each row is replaced by itself and
 * only if nobody changes it meanwhile, so it can be interrupted and repeated at any time.
 */
export async function reencryptSecrets(db: Db, secrets: Secrets): Promise<Reencryption> {
  const done: Reencryption = { reencrypted: 0, changed_meanwhile: 0, unreadable: 0, unreadable_rows: [] };
  for (const column of SEALED_COLUMNS)
    for await (const row of sealedRows(db, secrets, column)) {
      if (row.stored === null) continue;
      const outcome = await reencryptRow(db, secrets, column, { ...row, stored: row.stored });
      if (typeof outcome === 'boolean') done[outcome ? 'reencrypted' : 'changed_meanwhile']++;
      else if (++done.unreadable <= MAX_LISTED)
        done.unreadable_rows.push(`${nameOf(column)} of ${row.key.join(' ')}: ${outcome.reason}`);
    }
  return done;
}

/** Returns whether the row was replaced, or why its secrets cannot be read. */
async function reencryptRow(
  db: Db,
  secrets: Secrets,
  column: SealedColumn,
  { key, row, stored }: SealedRow & { stored: string },
): Promise<boolean | { reason: string }> {
  const place = { orgId: key[0], table: column.table, column: column.column, row, ...column.place };
  const reseal = column.reseal ?? resealTexts;
  try {
    return await replaceSealed(db, column, { key, stored, resealed: reseal(secrets, stored, place) });
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    return { reason: error.message };
  }
}

const resealTexts = (secrets: Secrets, stored: string, place: SecretPlace): string =>
  stored.replaceAll(SEALED, (sealed) => secrets.encrypt(secrets.decrypt(sealed, place), place));

async function* sealedRows(db: Db, { keyIds: [keyId = ''] }: Secrets, column: SealedColumn) {
  let after: SealedRow['key'] | undefined;
  do {
    const rows: SealedRow[] = await listSealedRows(db, column, { after, keyId });
    yield* rows;
    after = rows.at(-1)?.key;
  } while (after !== undefined);
}

const nameOf = ({ table, column }: SealedColumn) => `${table}.${column}`;
