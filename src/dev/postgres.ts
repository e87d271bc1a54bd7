import { execFile } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Child, startChild, waitUntilReady } from './child.ts';
import type { Guard } from './guard.ts';
import { type Owner, postgresFolder, postgresOwner, postgresPrograms } from './postgres-home.ts';
import { identityOf } from './processes.ts';

export type PostgresOptions = {
  folder: string;
  port: number;
  password: string;
  database: string;
  logFile: string;
  guard: Guard;
  /** The data is temporary: the server does not wait for the disk. */
  isThrowaway?: boolean;
};

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};
/** Of the path of a Unix socket, on every platform. */
const MAX_SOCKET_BYTES = 103;
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
/** Several stacks share it. */
const THROWAWAY = { fsync: 'off', full_page_writes: 'off', max_connections: '300', max_wal_size: '512MB' };

/**
 * Starts Postgres on the folder, creating the cluster and the database on the first start. Resolves when Postgres
 * answers. It listens by TCP, and by a Unix socket in its folder. The socket costs less: `url` names it.
 */
export async function startPostgres(options: PostgresOptions): Promise<Child & { url: string }> {
  const { port, password, database, logFile, guard, isThrowaway = false } = options;
  const owner = postgresOwner();
  const programs = postgresPrograms(owner);
  const home = postgresFolder(options.folder, owner);
  const folder = join(home, 'cluster');
  if (!existsSync(folder)) await initialise(home, { programs, owner, password, isThrowaway });
  const hasSocket = Buffer.byteLength(join(home, `.s.PGSQL.${port}`)) <= MAX_SOCKET_BYTES && !/[",]/.test(home);
  for (const file of locksIn(home, folder)) removeStaleLock(file);

  const settings = {
    ...SETTINGS,
    unix_socket_directories: hasSocket ? `"${home}"` : '',
    ...(isThrowaway ? THROWAWAY : DURABLE),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = await startChild(join(programs, 'bin/postgres'), ['-D', folder, '-p', String(port), ...flags], {
    logFile,
    guard,
    stopSignal: 'SIGINT', // Postgres' fast shutdown: ends the connections, keeps the data
    cwd: folder,
    ...owner,
  });
  const host = hasSocket ? encodeURIComponent(home) : '127.0.0.1';
  const url = (name: string) => `postgres://postgres:${password}@${host}:${port}/${name}`;
  await waitUntilReady(child, logFile, () => query(url('postgres'), 'select 1'), 30_000);
  await createDatabase(url('postgres'), database);
  return { ...child, url: url(database) };
}

/** Runs one statement on a separate connection. */
async function query(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // the query's own rejection reports it
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

async function createDatabase(adminUrl: string, name: string) {
  const { rowCount } = await query(adminUrl, `select from pg_database where datname = ${pg.escapeLiteral(name)}`);
  if (rowCount === 0) await query(adminUrl, `create database ${pg.escapeIdentifier(name)}`);
}

async function initialise(
  home: string,
  {
    programs,
    owner,
    password,
    isThrowaway,
  }: { programs: string; owner: Owner; password: string; isThrowaway: boolean },
) {
  const unfinished = join(home, 'cluster.new');
  rmSync(unfinished, { recursive: true, force: true });
  const temporary = mkdtempSync(join(tmpdir(), 'switchboard-initdb-'));
  const passwordFile = join(temporary, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (owner) for (const path of [temporary, passwordFile]) chownSync(path, owner.uid, owner.gid);
  const flags = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8'];
  // The collation is built into Postgres: the same on every machine, independent of its locales.
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  try {
    await promisify(execFile)(
      join(programs, 'bin/initdb'),
      [`--pgdata=${unfinished}`, ...flags, ...locale, ...(isThrowaway ? ['--no-sync'] : [])],
      { ...owner, cwd: home, env: { ...process.env, LC_ALL: 'C' } },
    );
    renameSync(unfinished, join(home, 'cluster')); // an interrupted start leaves no incomplete cluster
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Returns the lock files of a cluster and of its sockets. */
function locksIn(home: string, folder: string): string[] {
  const sockets = readdirSync(home).filter((name) => /^\.s\.PGSQL\.\d+\.lock$/.test(name));
  return [join(folder, 'postmaster.pid'), ...sockets.map((name) => join(home, name))].filter((file) =>
    existsSync(file),
  );
}

/**
 * Removes a lock file left by a kill -9. Its process id may belong to another program by now, and Postgres would refuse to
 * start.
 */
function removeStaleLock(file: string) {
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  const holder = identityOf(pid);
  if (Number.isNaN(pid) || (holder !== undefined && !holder.includes('postgres'))) rmSync(file, { force: true });
}
