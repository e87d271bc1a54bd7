import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/stack/servers.ts';
import { startProgram } from './support/program.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Returns the last line of a program that does not start, once it has ended. */
async function refusalOf(script: 'api' | 'worker', env: Record<string, string>) {
  const program = await startProgram(script, { DATABASE_URL: database.url, ...env });
  const exitCode = await program.ended();
  expect({ exitCode, said: program.text() }).toMatchObject({ exitCode: 1 });
  expect(program.text()).not.toMatch(/^ +at /m);
  const line = program.lines().at(-1);
  expect(line).toMatchObject({ level: 60, name: script });
  return line;
}

async function withStatement(statement: string, work: () => Promise<void>, undo: string) {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(statement);
  try {
    await work();
  } finally {
    await client.query(undo);
    await client.end();
  }
}

describe.each(['api', 'worker'] as const)('the %s that refuses to start says what to do in one line', (script) => {
  it('for settings that are missing or wrong', async () => {
    const line = await refusalOf(script, { DATABASE_URL: '', PORT: '70000' });
    expect(line.problems).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^DATABASE_URL: is not set\. Meaning: /),
        expect.stringMatching(/^PORT: \D*65535/),
      ]),
    );
    expect(line.msg).toContain('docs/configuration.md');
  });

  it('for more processes than Postgres has connections for', async () => {
    const { msg } = await refusalOf(script, { DATABASE_PROCESSES: '900' });
    expect(msg).toMatch(
      /^Postgres allows \d+ connections \(max_connections \d+, .*DATABASE_PROCESSES 900 need 9905 with/,
    );
  });

  it('for a schema of a newer version', async () => {
    await withStatement(
      `insert into kysely_migration (name, timestamp) values ('9999-later', '2030')`,
      async () => {
        const { msg } = await refusalOf(script, {});
        expect(msg).toBe('The database is newer than this version (9999-later): run the newer one');
      },
      `delete from kysely_migration where name = '9999-later'`,
    );
  });

  it('for a schema without all migrations', async () => {
    await withStatement(
      `update kysely_migration set name = '0001-x' where name = (select min(name) from kysely_migration)`,
      async () => {
        const { msg } = await refusalOf(script, {});
        expect(msg).toContain('run "npm run migrate" first');
      },
      `select 1`,
    );
    await database.drop();
    database = await createTestDatabase();
  });

  it('for a database that does not exist', async () => {
    const elsewhere = new URL(database.url);
    elsewhere.pathname = '/nothing_here';
    const line = await refusalOf(script, { DATABASE_URL: elsewhere.href });
    expect(line.msg).toContain('DATABASE_URL');
    expect(line.err).toMatchObject({ code: '3D000' });
  });

  it('for a port that is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    const settings: Record<string, string> =
      script === 'api' ? { PORT: port } : { INBOUND_SMTP_PORT: port, INBOUND_DOMAIN: 'in.example.com' };
    const { msg } = await refusalOf(script, settings);
    taken.close();
    expect(msg).toContain(script === 'api' ? 'PORT' : 'INBOUND_SMTP_PORT');
  });
});

it('a worker without its bundle of workflows names the setting', async () => {
  const { msg } = await refusalOf('worker', { WORKFLOW_BUNDLE: '/nowhere/bundle.js' });
  expect(msg).toContain('WORKFLOW_BUNDLE');
});
