import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { buildWhatChanged } from '../../../src/dev/builds.ts';
import { type Guard, startGuard } from '../../../src/dev/guard.ts';
import { anyFreePort } from '../../../src/dev/ports.ts';
import { startPostgres } from '../../../src/dev/postgres.ts';
import { identityOf } from '../../../src/dev/processes.ts';
import { startTemporal } from '../../../src/dev/temporal.ts';
import { fetchModel } from '../../../src/embedder/fetch-model.ts';
import { DEFAULT_MODELS_FOLDER } from '../../../src/embedder/model-folder.ts';
import { loadWorkflowBundle } from '../../../worker/bundle.ts';
import { administer, TEMPLATE_DATABASE, TEST_NAMESPACES } from '../stack/servers.ts';

const WARM_UP = fileURLToPath(new URL('./warm-up.ts', import.meta.url));
const FOLDER_NAME = /^switchboard-test-(\d+)-/;
/** Linux' folder for files in memory. A database has some 1,500 files, and most tests create one. */
const MEMORY_FOLDER = '/dev/shm';
/** The most memory of a run's databases, with Postgres' log of changes. */
const LEAST_MEMORY_BYTES = 4 * 1024 ** 3;
const stops: (() => Promise<void>)[] = [];

/**
 * Starts what the tests share, once a run: Postgres with a migrated template, Temporal, the bundled workflows and a
 * cache of compiled modules. Fetches the embedding model if this checkout has none, and builds what browsers load. The tests learn of them by TEST_DATABASE_URL, TEST_TEMPORAL_ADDRESS, TEST_WORKFLOW_BUNDLE
 * and NODE_COMPILE_CACHE. A run that is cut short leaves no process.
 */
export default async function startServers(): Promise<void> {
  removeOldFolders();
  const folder = mkdtempSync(join(temporaryFolder(), `switchboard-test-${process.pid}-`));
  chmodSync(folder, 0o755); // Postgres' own user has to reach its data in it
  const guard = startGuard(join(folder, 'processes.json'));
  stops.push(async () => {
    await guard.close();
    rmSync(folder, { recursive: true, force: true });
  });
  try {
    await Promise.all([
      provideDatabase(folder, guard),
      provideTemporal(folder, guard),
      provideBundle(folder),
      provideCompileCache(folder),
      fetchModel(DEFAULT_MODELS_FOLDER),
      buildWhatChanged(),
    ]);
  } catch (error) {
    await stopServers();
    throw error;
  }
}

/** Stops the servers of the run, and removes their data. */
export async function stopServers(): Promise<void> {
  await Promise.all(stops.splice(1).map((stop) => stop()));
  await Promise.all(stops.splice(0).map((stop) => stop()));
}

async function provideDatabase(folder: string, guard: Guard) {
  process.env.TEST_DATABASE_URL = process.env.DATABASE_URL || (await ownDatabase(folder, guard));
  const template = new URL(process.env.TEST_DATABASE_URL);
  template.pathname = `/${TEMPLATE_DATABASE}`;
  await administer(`drop database if exists ${TEMPLATE_DATABASE} with (force)`);
  await administer(`create database ${TEMPLATE_DATABASE}`);
  await migrateToLatest(template.href);
  await administer(`alter database ${TEMPLATE_DATABASE} allow_connections false`);
}

async function ownDatabase(folder: string, guard: Guard): Promise<string> {
  const server = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await anyFreePort(),
    password: 'test',
    database: 'postgres',
    logFile: join(folder, 'postgres.log'),
    guard,
    isThrowaway: true,
  });
  stops.push(() => server.stop(5_000));
  return server.url;
}

async function provideTemporal(folder: string, guard: Guard) {
  if (process.env.TEMPORAL_ADDRESS) {
    process.env.TEST_TEMPORAL_ADDRESS = process.env.TEMPORAL_ADDRESS;
    return;
  }
  const logFile = join(folder, 'temporal.log');
  const server = await startTemporal({ port: await anyFreePort(), logFile, guard, namespaces: TEST_NAMESPACES });
  stops.push(() => server.stop(0)); // in memory: nothing to save
  process.env.TEST_TEMPORAL_ADDRESS = server.address;
}

async function provideBundle(folder: string) {
  const file = join(folder, 'workflows.js');
  writeFileSync(file, (await loadWorkflowBundle()).code);
  process.env.TEST_WORKFLOW_BUNDLE = file;
}

/** Shares compiled modules among all processes and threads of the run, the programs that tests start among them. */
async function provideCompileCache(folder: string) {
  const cache = join(folder, 'compile-cache');
  const env = { ...process.env, NODE_COMPILE_CACHE: cache };
  await once(fork(WARM_UP, { env, execArgv: [] }), 'exit');
  process.env.NODE_COMPILE_CACHE = cache;
}

/** Those of runs that were cut short. */
function removeOldFolders() {
  for (const root of [tmpdir(), MEMORY_FOLDER].filter((folder) => existsSync(folder))) {
    for (const name of readdirSync(root)) {
      const pid = FOLDER_NAME.exec(name)?.[1];
      if (pid && identityOf(Number(pid)) === undefined) rmSync(join(root, name), { recursive: true, force: true });
    }
  }
}

/** Returns a folder in memory if there is enough of it, or else the system's for temporary files. */
function temporaryFolder(): string {
  if (!existsSync(MEMORY_FOLDER)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return Math.min(bavail * bsize, freemem()) < LEAST_MEMORY_BYTES ? tmpdir() : MEMORY_FOLDER;
}
