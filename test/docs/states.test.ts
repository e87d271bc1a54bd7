import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/stack/servers.ts';
import { readDocument } from './documents.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The values that the constraint of a column allows. */
async function allowedStates(table: string, column: string): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select pg_get_constraintdef(oid) as text from pg_constraint
     where contype = 'c' and conrelid = $1::regclass
       and conkey = array[(select attnum from pg_attribute where attrelid = conrelid and attname = $2)]`,
    [table, column],
  );
  return [...new Set(rows.flatMap(({ text }) => [...text.matchAll(/'([a-z_]+)'/g)].map(([, value = '']) => value)))];
}

/** The states of the picture below a heading. */
function statesInPicture(heading: string): string[] {
  const [, section = ''] = readDocument('docs/architecture/states.md').split(`\n## ${heading}\n`);
  const [, picture = ''] = /```mermaid\n(.*?)```/s.exec(section) ?? [];
  return [
    ...new Set([...picture.matchAll(/^ {2}(\S+) --> ([a-z_]+)/gm)].flatMap(([, from = '', to = '']) => [from, to])),
  ]
    .filter((state) => state !== '[*]')
    .toSorted();
}

it.each([
  ['Session', 'sessions', 'status'],
  ['Delivery', 'deliveries', 'status'],
  ['Automation run', 'automation_runs', 'status'],
  ['AI turn', 'ai_turns', 'state'],
  ['Crawled page', 'crawl_pages', 'status'],
])('the picture "%s" has the states that %s.%s allows', async (heading, table, column) => {
  expect(statesInPicture(heading)).toEqual((await allowedStates(table, column)).toSorted());
});
