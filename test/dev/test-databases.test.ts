import pg from 'pg';
import { createTestDatabase } from '../support/stack/servers.ts';

const databases: { drop(): Promise<void> }[] = [];
afterAll(() => Promise.all(databases.map((database) => database.drop())));

it('every test gets a separate migrated database, even for concurrent requests', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, createTestDatabase));
  databases.push(...made);

  expect(new Set(made.map(({ url }) => url)).size).toBe(8);
  for (const { url } of made) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('select count(*)::int as count from orgs');
    await client.end();
    expect(rows).toEqual([{ count: 0 }]);
  }
});
