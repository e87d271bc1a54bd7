import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../src/db/connect.ts';
import { listen } from '../../src/db/listen.ts';
import { anyFreePort } from '../../src/dev/ports.ts';
import { startProgram } from '../logging/support/program.ts';
import { createTestDatabase, overTcp, type TestDatabase } from '../support/stack/servers.ts';
import { eventually } from '../support/stack/stack.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';
const isInstalled = existsSync(PGBOUNCER);
if (!isInstalled) console.log(`Tests of poolers are skipped: there is no ${PGBOUNCER} (Debian’s package pgbouncer)`);
const whenInstalled = isInstalled ? describe : describe.skip;

let database: TestDatabase;
let folder: string;
const running: ChildProcess[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  chmodSync(folder, 0o755);
});
afterAll(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true });
  await database.drop();
});

/** Starts PgBouncer in front of Postgres. Returns the address of the database through it. */
async function startPooler(mode: string, more: string[] = []): Promise<string> {
  const server = overTcp(database.url);
  const port = await anyFreePort();
  const file = join(folder, `${mode}-${port}.ini`);
  const address = `host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}`;
  const settings = [
    'listen_addr=127.0.0.1',
    `listen_port=${port}`,
    'unix_socket_dir=',
    'auth_type=any',
    'default_pool_size=50',
  ];
  writeFileSync(
    file,
    ['[databases]', `* = ${address}`, '[pgbouncer]', `pool_mode=${mode}`, ...settings, ...more, ''].join('\n'),
  );
  const child = spawn(PGBOUNCER, [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' });
  running.push(child);
  const url = overTcp(database.url);
  url.port = String(port);
  await eventually('the pooler', async () => {
    const { pool, close } = connect(url.href, { poolSize: 1 });
    const isThere = await pool.query('select 1').then(
      () => true,
      () => false,
    );
    await close();
    return isThere;
  });
  return url.href;
}

whenInstalled('a pooler in front of Postgres', () => {
  it.each(['transaction', 'statement'])('in %s mode is refused at the start, with the reason', async (mode) => {
    const url = await startPooler(mode);
    for (const script of ['api', 'worker'] as const) {
      const program = await startProgram(script, { DATABASE_URL: url });
      expect(await program.ended()).toBe(1);
      expect(program.lines().at(-1)).toMatchObject({ level: 60, msg: expect.stringContaining('pool_mode = session') });
    }
  });

  it.each([
    ['as it is', []],
    ['told to ignore parameters', ['ignore_startup_parameters = statement_timeout,lock_timeout']],
  ])('in session mode %s lets the programs start, with time limits and notifications', async (_, more) => {
    const url = await startPooler('session', more);
    const { pool, close } = connect(url, { poolSize: 2, lockTimeoutMs: 2_000 });
    const { rows } = await pool.query(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
    );
    expect(rows).toEqual([{ statement: '30s', lock: '2s' }]);
    const heard: string[] = [];
    const listener = listen(url, 'poolers', (payload) => heard.push(payload));
    await eventually('the listening', () => heard.includes(''));
    await pool.query(`notify poolers, 'news'`);
    await eventually('the notification', () => heard.includes('news'));
    await Promise.all([listener.close(), close()]);

    const program = await startProgram('api', { DATABASE_URL: url });
    await program.find('the api listens', ({ msg }) => String(msg).includes('Server listening'));
    await program.stop();
  });
});
