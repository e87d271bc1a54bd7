import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { newId } from '../../src/ids.ts';

interface Column {
  name: string;
  type: string;
  isGenerated: boolean;
  isRequired: boolean;
}

interface Reference {
  columns: string[];
  table: string;
  foreign: string[];
}

type Row = Record<string, unknown>;

/** Values that a check of the table ties to another column. */
const TIED: Record<string, Row> = {
  sla_clocks: { decided_at: new Date().toISOString() },
  exports: { actor: { kind: 'system', id: null, name: null }, media_id: null },
  imports: { actor: { kind: 'system', id: null, name: null } },
  ai_turns: { state: 'skipped', ended_at: new Date().toISOString() },
  ai_tag_suggestions: { score: 0.5, model: null },
  ai_calls: { state: 'needs_confirmation', workflow_id: null, ended_at: null, expires_at: '2100-01-01T00:00:00Z' },
};

/** An insight that is part of no other one: it is its own root. */
const newInsight = (number: number): Row => {
  const id = newId();
  return { id, root_id: id, merged_into: null, category: 'Delivery', number };
};

/**
 * Inserts a row of the org into each of the tables, for tables that no route fills. A row refers to rows of the org; its
 * texts begin with the mark.
 */
export async function fillTables(db: Db, orgId: string, mark: string, tables: readonly string[]): Promise<void> {
  for (const [nth, table] of tables.entries()) {
    const tied = table === 'insights' ? newInsight(nth + 1) : TIED[table];
    const [columns, references] = await Promise.all([columnsOf(db, table), referencesOf(db, table)]);
    const row: Row = { org_id: orgId, principal_id: orgId, ...(await allowedValues(db, table)), ...tied };
    for (const { columns: own, table: other, foreign } of references) {
      const found = await findRow(db, orgId, other);
      if (found === undefined) continue;
      for (const [nth, name] of own.entries()) if (!(name in row)) row[name] = found[foreign[nth] ?? ''];
    }
    for (const { name, type, isGenerated, isRequired } of columns) {
      if (isGenerated || name in row) continue;
      const value = sampleOf(type, `${mark} ${name}`);
      if (isRequired || /(^|_)(id|ids|key|token)$/.test(name)) row[name] = value;
    }
    const names = Object.keys(row).filter((name) =>
      columns.some((column) => column.name === name && !column.isGenerated),
    );
    await sql`
      insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
      select ${sql.join(names.map((name) => sql.ref(name)))} from jsonb_populate_record(null::${sql.table(table)}, ${JSON.stringify(row)}::jsonb)
    `
      .execute(db)
      .catch((error: unknown) => {
        throw new Error(`${table}: ${JSON.stringify(row)}`, { cause: error });
      });
  }
}

async function findRow(db: Db, orgId: string, table: string): Promise<Row | undefined> {
  const { rows } = await sql<{ row: Row }>`
    select to_jsonb(t) as row from ${sql.table(table)} t where org_id = ${orgId} limit 1
  `.execute(db);
  return rows[0]?.row;
}

async function columnsOf(db: Db, table: string): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select column_name as name, data_type as type, is_nullable = 'NO' and column_default is null as "isRequired",
      is_generated = 'ALWAYS' or is_identity = 'YES' as "isGenerated"
    from information_schema.columns where table_schema = 'public' and table_name = ${table}
  `.execute(db);
  return rows;
}

/** Returns an allowed value for each column whose values the table lists. */
async function allowedValues(db: Db, table: string): Promise<Row> {
  const { rows } = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint where contype = 'c' and conrelid = ${table}::regclass
  `.execute(db);
  const lists = rows.flatMap(({ text }) => [...text.matchAll(/\((\w+) = ANY \(ARRAY\['([^']+)'/g)]);
  return Object.fromEntries(lists.map(([, column, value]) => [column, value]));
}

/** Returns the foreign keys of a table that contain the org. */
async function referencesOf(db: Db, table: string): Promise<Reference[]> {
  const { rows } = await sql<Reference>`
    select confrelid::regclass::text as table,
      (select array_agg(attname::text order by nth) from unnest(conkey) with ordinality as k (num, nth)
        join pg_attribute on attrelid = conrelid and attnum = num) as columns,
      (select array_agg(attname::text order by nth) from unnest(confkey) with ordinality as k (num, nth)
        join pg_attribute on attrelid = confrelid and attnum = num) as foreign
    from pg_constraint
    where contype = 'f' and conrelid = ${table}::regclass and array_length(conkey, 1) > 1
  `.execute(db);
  return rows;
}

function sampleOf(type: string, text: string): unknown {
  switch (type) {
    case 'uuid':
      return newId();
    case 'boolean':
      return false;
    case 'jsonb':
      return { text };
    case 'bytea':
      return `\\x${Buffer.from(text).toString('hex')}`;
    case 'timestamp with time zone':
    case 'date':
      return new Date().toISOString();
    case 'ARRAY':
      return [];
    case 'text':
      return text;
    default:
      return 1;
  }
}
