import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import type { Answer, Client, TestOrg, TestPartner } from '../support/stack/api.ts';
import { type Document, type Operation, type Place, pathTo, type Schema } from './document.ts';
import { inParallel } from './parallel.ts';

const ROUNDS = 3;
const IDS_A_COLUMN = process.env.TEST_TIER === 'long' ? 10 : 1;
const FIRST_BIGINT_ID = 700_000_001;
const BIGINTS_A_COLUMN = 1_000_000;

/** Makes numeric ids unique too: the ids of each column start at another number. */
export async function startBigintsHigh(db: Db): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and is_identity = 'YES'
  `.execute(db);
  for (const [nth, { table, column }] of rows.entries()) {
    const first = sql.lit(FIRST_BIGINT_ID + nth * BIGINTS_A_COLUMN);
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} restart with ${first}`.execute(db);
  }
}

/**
 * Fills an org with something of everything: calls every creating route of the document with its examples, with a mark
 * in every text. In a path it tries first the id that was right for the same resource before. Returns the cursors received, as `nexts`.
 */
export async function fill(document: Document, db: Db, org: TestOrg, marker: string): Promise<{ nexts: string[] }> {
  let count = 0;
  const mark = (operation: Operation, body: unknown) =>
    marked(document, operation.body, body, '', (name) => {
      if (/domain/.test(name)) return `${marker}.example`;
      return `${marker}-${++count}${/email/.test(name) ? `@${marker}.example` : ''}`;
    });
  const opened = new Map<string, string>();
  const isReadable = createReading(document, org);
  const creating = document.operations.filter(({ method, key }) => method === 'POST' && key !== 'none');
  const putting = document.operations.filter(({ method, body }) => method === 'PUT' && body !== undefined);

  const done = new Set<Operation>();
  for (let round = 0; round < ROUNDS; round++) {
    const known = new Set(await idsOf(db, org));
    for (const operation of [...creating, ...putting].filter((each) => !done.has(each))) {
      const client = operation.key === 'partner' ? org.partner : org;
      let ids = await idsFor(operation, [...known], isReadable);
      let isDone = true;
      for (const body of [...variants(document, operation), ...withNumbers(document, [...known], operation)]) {
        const place = parentOf(operation);
        const likely = opened.get(place);
        const inOrder = likely !== undefined && ids.includes(likely) ? [...new Set([likely, ...ids])] : ids;
        const missing = new Set<string>();
        let isOpen = false;
        for (const id of inOrder) {
          const answer = await call(client, operation, pathWith(operation, id), mark(operation, body));
          if (answer.status === 404) missing.add(id);
          if (answer.status >= 300) continue;
          for (const made of idsIn(answer.body)) known.add(made);
          opened.set(place, id);
          isOpen = true;
          break;
        }
        isDone &&= isOpen;
        ids = ids.filter((id) => !missing.has(id)); // what another body does not find either
      }
      if (isDone) done.add(operation);
    }
  }
  const lists = document.operations.filter(({ queryParameters }) =>
    queryParameters.some(({ name }) => name === 'cursor'),
  );
  const answers = await Promise.all(
    lists.map(({ path, key }) => (key === 'partner' ? org.partner : org).get(`${path}?limit=1`)),
  );
  return { nexts: answers.map(({ body }) => body?.next).filter((next) => typeof next === 'string') };
}

/** Calls an operation at a path. */
export function call(client: Client, { method }: Operation, path: string, body?: unknown): Promise<Answer> {
  if (method === 'GET') return client.get(path);
  if (method === 'DELETE') return client.delete(path);
  if (method === 'PATCH') return client.patch(path, body);
  return method === 'PUT' ? client.put(path, body) : client.post(path, body);
}

/** Returns the ids of the org and its partner, and some of the newest values in every id column of their rows. */
export async function idsOf(db: Db, org: { id: string; widgetToken: string; partner: TestPartner }): Promise<string[]> {
  const newest = (await idColumns(db)).map(
    ({ table, column, owner }) => sql<{ id: string }>`(
      select ${sql.ref(column)}::text as id from ${sql.table(table)}
      where ${sql.ref(owner)} = ${sql.lit(owner === 'partner_id' ? org.partner.id : org.id)} and ${sql.ref(column)} is not null
      group by 1 order by max(ctid) desc limit ${sql.lit(IDS_A_COLUMN)}
    )`,
  );
  const { rows } = await sql<{ id: string }>`${sql.join(newest, sql` union all `)}`.execute(db);
  const found = [org.id, org.widgetToken, org.partner.id, org.partner.keyId, ...rows.map(({ id }) => id)];
  return [...new Set(found)];
}

/** What an org's own calls of its providers change, up to a minute later. */
const SHOWN_OF_CALLS = ['connected', 'last_success_at', 'last_error', 'last_error_at', 'failing_since'];

/** Returns one checksum per table over all rows of the org and its partner. */
export async function checksums(db: Db, org: TestOrg): Promise<Record<string, string>> {
  const sums: Record<string, string> = {};
  const tables = new Map((await idColumns(db)).map(({ table, owner }) => [table, owner]));
  for (const [table, owner] of [...tables, ['users', 'id'] as const]) {
    const ofOrg =
      table === 'users'
        ? sql`id in (select user_id from members where org_id = ${org.id})`
        : sql`${sql.ref(owner)} = ${owner === 'partner_id' ? org.partner.id : org.id}`;
    const { rows } = await sql<{ sum: string }>`
      select count(*) || ' rows ' || md5(coalesce(string_agg(content, ',' order by content), '')) as sum
      from (
        select (to_jsonb(t) - ${table === 'integrations' ? SHOWN_OF_CALLS : []}::text[])::text as content
        from ${sql.table(table)} t where ${ofOrg}
      ) contents
    `.execute(db);
    sums[table] = rows[0]?.sum ?? '';
  }
  return sums;
}

/** Returns the columns with ids, each with its table's owner column. */
function idColumns(db: Db): Promise<IdColumn[]> {
  const columns = known.get(db) ?? listIdColumns(db);
  known.set(db, columns);
  return columns;
}

interface IdColumn {
  table: string;
  column: string;
  owner: string;
}

const known = new WeakMap<Db, Promise<IdColumn[]>>();

async function listIdColumns(db: Db): Promise<IdColumn[]> {
  const { rows } = await sql<IdColumn>`
    select c.table_name as "table", c.column_name as "column", o.column_name as owner
    from information_schema.columns c
    join information_schema.columns o on o.table_schema = c.table_schema and o.table_name = c.table_name
      and (o.column_name in ('org_id', 'principal_id') or o.column_name = 'partner_id' and c.table_name in ('orgs', 'partner_api_keys'))
    where c.table_schema = 'public'
      and (c.data_type in ('uuid', 'bigint') or c.column_name ~ '(_id|token|^key|^domain|^tag_key)$' and c.data_type = 'text')
      and (c.table_name, c.column_name) <> ('audit_entries', 'actor_id') -- ids of other tables, that of the org's own key first
    order by 1, 2
  `.execute(db);
  return rows;
}

/** Returns the ids to try in an operation's path: those of its resource, where that can be read. */
async function idsFor(operation: Operation, ids: string[], isReadable: Reading): Promise<string[]> {
  if (operation.pathParameters.length === 0) return [''];
  const values = operation.pathParameters.flatMap(({ schema }) => (schema.enum ?? []).map(String));
  if (values.length > 0) return values;
  const readable = await inParallel(ids, async (id) => ((await isReadable(operation, id)) ? id : undefined));
  return readable.length > 0 ? readable : ids;
}

/** Tells whether the resource of an operation's path is there under an id. */
type Reading = (operation: Operation, id: string) => Promise<boolean>;

/** Asks once for each resource and id: an id of one resource is none of another. */
function createReading(document: Document, org: TestOrg): Reading {
  const asked = new Map<string, Promise<boolean>>();
  return async (operation, id) => {
    const place = parentOf(operation);
    const get = document.operations.find(({ method, path }) => method === 'GET' && path === place);
    if (get === undefined) return false;
    const path = pathWith(get, id);
    const client = get.key === 'partner' ? org.partner : org;
    const answer = asked.get(path) ?? client.get(path).then(({ status }) => status === 200);
    asked.set(path, answer);
    return answer;
  };
}

/** Returns the ids in an answer. */
function idsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return /(^|_)(id|key|token)$|[a-z]Id$/.test(name) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inside]) => idsIn(inside, Array.isArray(value) ? name : member));
}

/** Returns the path with an id. In a path with several all are the same. */
const pathWith = (operation: Operation, id: string): string =>
  pathTo(operation, Object.fromEntries(operation.pathParameters.map(({ name }) => [name, id])));

/** Returns the part of a path with one id, which operations on the same resource share. */
const parentOf = ({ path }: Operation): string => path.slice(0, path.indexOf('}') + 1);

/** Returns the bodies of an operation, and each of them with every top-level boolean inverted. */
function variants(document: Document, operation: Operation): unknown[] {
  const properties = document.resolve(operation.body ?? {}).properties ?? {};
  const flags = Object.keys(properties).filter((name) => document.resolve(properties[name] ?? {}).type === 'boolean');
  return document.bodiesOf(operation).flatMap((body) => [
    body,
    ...flags.map((name) => {
      const other = { ...(body as Record<string, unknown>) };
      other[name] = !(other[name] ?? properties[name]?.default ?? false);
      return other;
    }),
  ]);
}

/** Returns bodies of the operation with a numeric id of the org in each possible place. */
function withNumbers(document: Document, ids: string[], operation: Operation): unknown[] {
  const places = numberPlaces(document, operation);
  return places.flatMap(({ put }) => ids.filter(isNumeric).map((id) => put(Number(id))));
}

/** Returns the possible places of a numeric id in the operation's bodies. No example can contain a real one. */
export function numberPlaces(document: Document, operation: Operation): Place[] {
  const { body } = operation;
  if (body === undefined) return [];
  const all = document.bodiesOf(operation).flatMap((base) => [...document.places(body, base)]);
  return all.filter(({ path, schema }) => schema.type === 'integer' && /[a-z]Id$/.test(path.at(-1) ?? ''));
}

export const isNumeric = (id: string): boolean => /^\d+$/.test(id);

/** Returns the body with a mark in every free text, every domain and every e-mail address. Phone numbers stay. */
function marked(
  document: Document,
  given: Schema | undefined,
  value: unknown,
  name: string,
  mark: (name: string) => string,
): unknown {
  if (given === undefined || /phone/.test(name)) return value;
  const schema = document.resolve(given);
  const branch = (schema.oneOf ?? schema.anyOf)?.find((one) => document.allows(one, value));
  if (branch !== undefined) return marked(document, branch, value, name, mark);
  if (Array.isArray(value)) return value.map((item) => marked(document, schema.items, item, name, mark));
  if (typeof value === 'object' && value !== null) {
    const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    const members = Object.entries(value).map(([member, inside]) => {
      return [member, marked(document, schema.properties?.[member] ?? others, inside, member, mark)];
    });
    return Object.fromEntries(members);
  }
  if (typeof value !== 'string' || schema.const !== undefined || schema.enum !== undefined) return value;
  if (schema.format === 'email') return mark('email');
  return schema.format === undefined && schema.pattern === undefined && schema.examples === undefined
    ? mark(name)
    : value;
}
