import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.ts';

/** Columns that say when, in which transaction or on which path a thing was done. */
const OF_THE_PATH = [
  'batch_id',
  'left_batch',
  'is_inline',
  'resumed_at',
  'is_sending',
  'duration_ms',
  'latency_ms',
  'last_event_xid',
  'xid',
];
/** Columns that are drawn by chance, made from others that are compared, or count what a busy machine tries again. */
const BY_CHANCE = ['secret', 'webhook_token', 'search', 'tries'];
const LEFT_OUT = new Set([...OF_THE_PATH, ...BY_CHANCE]);
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const PORT = /(?<=127\.0\.0\.1:)\d+/g;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?/g;

/** Returns a value as JSON without its times and ports, and with numbers for its ids: the same one for the same id. */
export function withoutTimesAndIds(value: unknown): string {
  const numbers = new Map<string, number>();
  const numberOf = (id: string) => numbers.get(id) ?? numbers.set(id, numbers.size + 1).get(id);
  const text = JSON.stringify(value, (key, inner) => (LEFT_OUT.has(key) ? undefined : inner));
  return text
    .replaceAll(TIME, '(time)')
    .replaceAll(PORT, '(port)')
    .replaceAll(UUID, (id) => `(id ${numberOf(id)})`);
}

/** Returns every row that an org has in any table, without times and ids, in an order of their own. */
export async function rowsOfOrg(db: Db, orgId: string): Promise<Record<string, string[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables join information_schema.columns using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and column_name = 'org_id' order by name
  `.execute(db);
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ row: unknown }>`
      select to_jsonb(t) as row from ${sql.table(name)} t where org_id = ${orgId}
    `.execute(db);
    if (rows.length > 0) found[name] = rows.map(({ row }) => withoutTimesAndIds(row)).toSorted();
  }
  return found;
}

/** Returns the rows that only one of two orgs has, by table. */
export function differingRows(ones: Record<string, string[]>, others: Record<string, string[]>) {
  const tables = [...new Set([...Object.keys(ones), ...Object.keys(others)])];
  const differing = tables.map((table) => {
    const [left, right] = [ones[table] ?? [], others[table] ?? []];
    return [table, { onlyInOne: without(left, right), onlyInOther: without(right, left) }] as const;
  });
  return Object.fromEntries(differing.filter(([, rows]) => Object.values(rows).some(({ length }) => length > 0)));
}

function without(rows: string[], taken: string[]): string[] {
  const left = [...taken];
  return rows.filter((row) => {
    const place = left.indexOf(row);
    if (place !== -1) left.splice(place, 1);
    return place === -1;
  });
}
