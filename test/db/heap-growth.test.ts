import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connect } from '../../src/db/connect.ts';
import { createTestDatabase } from '../support/stack/servers.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('./support/heap-growth.fixture.ts'));
const FLAGS = ['--max-semi-space-size=4', '--initial-heap-size=500', '--initial-old-space-size=500'];
const MAX_MB = 4;

it('answers of Postgres that nobody holds are collected young', async () => {
  const database = await createTestDatabase();
  const env = { ...process.env, NODE_OPTIONS: '', DATABASE_URL: database.url };
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, PROGRAM], { env });
  await database.drop();
  for (const grownMb of JSON.parse(stdout) as number[]) expect(grownMb).toBeLessThan(MAX_MB);
});

it('answers of Postgres are given to a callback in each place that pg takes one', async () => {
  const database = await createTestDatabase();
  const { pool, close } = connect(database.url, { poolSize: 1 });
  const client = await pool.connect();
  const asked = [
    new Promise((resolve) => client.query('select 1 as one', (_, { rows }) => resolve(rows))),
    new Promise((resolve) => client.query('select $1::integer as one', [1], (_, { rows }) => resolve(rows))),
  ];
  expect(await Promise.all(asked)).toEqual([[{ one: 1 }], [{ one: 1 }]]);
  client.release();
  await close();
  await database.drop();
});
