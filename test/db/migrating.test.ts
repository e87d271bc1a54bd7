import pg from 'pg';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { newId } from '../../src/ids.ts';
import { administer } from '../support/stack/servers.ts';

const IS_LONG = process.env.TEST_TIER === 'long';
const NAME = `test_migrating_${newId().replaceAll('-', '')}`;
const url = new URL(process.env.TEST_DATABASE_URL ?? '');
url.pathname = `/${NAME}`;
let client: pg.Client;

beforeEach(async () => {
  await administer(`create database ${NAME}`);
  client = new pg.Client({ connectionString: url.href });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await administer(`drop database ${NAME} with (force)`);
  await administer(`drop role if exists ${NAME}`);
});

/** Has each index that is made show the limits of its transaction. None is made, as if somebody had its table, before this one. */
const seeLimits = (first: string) =>
  client.query(`
    create table limits_seen (statement_timeout text, lock_timeout text, deadlock_timeout text);
    grant select, insert on limits_seen to public;
    create function see_limit() returns event_trigger language plpgsql as $$
    begin
      if current_setting('lock_timeout') <> '${first}' and not exists (select from public.limits_seen) then
        raise exception using errcode = 'lock_not_available';
      end if;
      insert into public.limits_seen values
        (current_setting('statement_timeout'), current_setting('lock_timeout'), current_setting('deadlock_timeout'));
    end $$;
    create event trigger see_limit on ddl_command_end when tag in ('CREATE INDEX') execute function see_limit();
  `);
const limitsSeen = async () =>
  (await client.query('select distinct on (lock_timeout) * from limits_seen order by lock_timeout')).rows;
const SHORT = { statement_timeout: '0', lock_timeout: '20ms' };

it('a migration may take any time for an index, hardly waits for a table at first, and gives way to who waits for it', async () => {
  await seeLimits('20ms');
  await migrateToLatest(url.href);
  expect(await limitsSeen()).toEqual([{ ...SHORT, deadlock_timeout: '100ms' }]);
});

(IS_LONG ? describe : describe.skip)('a migration whose table is taken for long', () => {
  it('waits for a while: Postgres ends an autovacuum then', async () => {
    await seeLimits('300ms');
    await migrateToLatest(url.href);
    expect(await limitsSeen()).toEqual([
      { ...SHORT, deadlock_timeout: '100ms' },
      { statement_timeout: '0', lock_timeout: '300ms', deadlock_timeout: '100ms' },
    ]);
  }, 60_000);

  it('waits for longer where a vacuum has a table, and its owner may not say when Postgres ends that', async () => {
    await seeLimits('1500ms');
    await administer(`create role ${NAME} login password 'owner'; alter database ${NAME} owner to ${NAME}`);
    await client.query('begin; lock table limits_seen in share update exclusive mode');
    await migrateToLatest(Object.assign(new URL(url), { username: NAME, password: 'owner' }).href);
    await client.query('commit');
    expect(await limitsSeen()).toEqual([
      { statement_timeout: '0', lock_timeout: '1500ms', deadlock_timeout: '1s' },
      { ...SHORT, deadlock_timeout: '1s' },
    ]);
  }, 60_000);
});
