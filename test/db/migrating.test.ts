import pg from 'pg';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { newId } from '../../src/ids.ts';
import { administer } from '../support/stack/servers.ts';

const NAME = `test_migrating_${newId().replaceAll('-', '')}`;
const url = new URL(process.env.TEST_DATABASE_URL ?? '');
url.pathname = `/${NAME}`;
const client = new pg.Client({ connectionString: url.href });

beforeAll(async () => {
  await administer(`create database ${NAME}`);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await administer(`drop database ${NAME} with (force)`);
});

it('a migration may take any time for an index, but waits only a while for a table that others use', async () => {
  await client.query(`
    create table limits_seen (statement_timeout text, lock_timeout text);
    create function see_limit() returns event_trigger language plpgsql as $$
    begin insert into public.limits_seen values (current_setting('statement_timeout'), current_setting('lock_timeout')); end $$;
    create event trigger see_limit on ddl_command_end when tag in ('CREATE INDEX') execute function see_limit();
  `);
  await migrateToLatest(url.href);
  const { rows } = await client.query('select distinct statement_timeout, lock_timeout from limits_seen');
  expect(rows).toEqual([{ statement_timeout: '0', lock_timeout: '300ms' }]);
});
