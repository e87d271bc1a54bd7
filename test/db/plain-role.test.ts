import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { newId } from '../../src/ids.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { administer } from '../support/stack/servers.ts';

const ROLE = `plain_${newId().replaceAll('-', '')}`;
const PASSWORD = 'plain';
let owned: URL;
let api: TestApi;

beforeAll(async () => {
  owned = new URL(process.env.TEST_DATABASE_URL ?? '');
  owned.pathname = `/test_${ROLE}`;
  await administer(`create database test_${ROLE}`);
  const script = await readFile('deploy/postgres-role.sql', 'utf8');
  const client = new pg.Client({ connectionString: owned.href });
  await client.connect();
  await client.query(script.replaceAll('switchboard', ROLE).replace(":'password'", `'${PASSWORD}'`));
  await client.end();
  await migrateToLatest(owned.href);
  const plain = new URL(owned);
  plain.username = ROLE;
  plain.password = PASSWORD;
  api = await startApi({ databaseUrl: plain.href, env: { RATE_LIMIT_STORE: 'postgres' } });
});
afterAll(async () => {
  await api.close();
  await administer(`drop database test_${ROLE} with (force)`);
  await administer(`drop role ${ROLE}`);
});

it('a role that owns nothing is enough for the api', async () => {
  const { rolsuper } = (await api.db
    .selectFrom('pg_roles' as never)
    .select('rolsuper' as never)
    .where('rolname' as never, '=', ROLE as never)
    .executeTakeFirstOrThrow()) as { rolsuper: boolean };
  expect(rolsuper).toBe(false);
  const headers = { 'idempotency-key': newId() };
  expect((await api.org.post('/contacts', { contact: { email: 'ann@example.com' } }, { headers })).status).toBe(201);
  const { body } = await api.org.get('/contacts');
  expect(body.items).toHaveLength(1);
  const session = await api.org.post('/chat/sessions', {});
  expect(session.status).toBe(201);
  expect(
    (
      await api.org.post(`/chat/sessions/${session.body.id}/send`, {
        sender: 'contact',
        message: { type: 'text', text: 'Hi' },
      })
    ).status,
  ).toBe(201);
  expect((await api.org.delete(`/contacts/${body.items[0].id}`)).status).toBe(200);
  for (const statement of ['create table mine (id int)', 'drop table contacts', "copy contacts to program 'true'"]) {
    const client = new pg.Client({ connectionString: api.databaseUrl });
    await client.connect();
    await expect(client.query(statement)).rejects.toThrow(/permission denied|must be owner/);
    await client.end();
  }
});
