import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
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

it('no statement of a migration is ended for its time: an index of a large table takes minutes', async () => {
  await client.query(`
    create table limits_seen (statement_timeout text);
    create function see_limit() returns event_trigger language plpgsql as $$
    begin insert into public.limits_seen values (current_setting('statement_timeout')); end $$;
    create event trigger see_limit on ddl_command_end when tag in ('CREATE TABLE', 'CREATE INDEX') execute function see_limit();
  `);
  await migrateToLatest(url.href);
  const { rows } = await client.query('select distinct statement_timeout from limits_seen');
  expect(rows).toEqual([{ statement_timeout: '0' }]);
});
