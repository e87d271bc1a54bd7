import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Db } from '../../src/db/connect.ts';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { buildWhatChanged } from '../../src/dev/builds.ts';
import { startGuard } from '../../src/dev/guard.ts';
import { anyFreePort } from '../../src/dev/ports.ts';
import { startPostgres } from '../../src/dev/postgres.ts';
import { programOf } from '../../src/dev/scripts.ts';
import { startTemporal } from '../../src/dev/temporal.ts';
import { type Program, startProgram } from './processes.ts';

const POOL_SIZE = 4;
const ROOT = new URL('../../', import.meta.url);

type Script = 'api' | 'worker';

const isScript = (program: string): program is Script => program === 'api' || program === 'worker';

/** Servers for one bench, with the settings of `npm start`, on durable storage. */
export interface Stack {
  /** The URL of a migrated database. */
  databaseUrl: string;
  /** A pool of four connections to it. */
  db: Db;
  /** The environment of our programs on this stack. */
  env: Record<string, string>;
  /** The log file of everything running on this stack. */
  logFile: string;
  /** Starts a script of package.json, or a program at a URL with the flags and variables of one. */
  start(program: string, env?: Record<string, string>, like?: Script): Promise<Program>;
}

/** Runs `work` on a new stack, and stops the stack afterwards. */
export async function withStack<T>(
  { hasTemporal }: { hasTemporal: boolean },
  work: (stack: Stack) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  chmodSync(folder, 0o755); // Postgres' own user has to reach its data in it
  const guard = startGuard(join(folder, 'processes.json'));
  const logFile = join(folder, 'bench.log');
  const stops: (() => Promise<void>)[] = [];
  let isFailed = false;
  try {
    await buildWhatChanged();
    const postgres = await startPostgres({
      folder: join(folder, 'postgres'),
      port: await anyFreePort(),
      password: 'bench',
      database: 'bench',
      logFile,
      guard,
    });
    stops.push(() => postgres.stop(10_000));
    await migrateToLatest(postgres.url);
    const { db, close } = connect(postgres.url, { poolSize: POOL_SIZE });
    stops.push(close);
    const env = envOf(postgres.url);
    if (hasTemporal) {
      const databaseFile = join(folder, 'temporal.db');
      const temporal = await startTemporal({ port: await anyFreePort(), databaseFile, logFile, guard });
      stops.push(() => temporal.stop(5_000));
      env.TEMPORAL_ADDRESS = temporal.address;
    }
    return await work({
      databaseUrl: postgres.url,
      db,
      env,
      logFile,
      async start(started, own = {}, like = isScript(started) ? started : undefined) {
        const script = like === undefined ? { env: {}, flags: [], file: '' } : programOf(like);
        const file = isScript(started) ? new URL(script.file, ROOT).href : started;
        const options = { logFile, guard, execArgv: script.flags };
        const program = await startProgram(file, { ...env, ...script.env, ...own }, options);
        stops.push(() => program.stop());
        return program;
      },
    });
  } catch (error) {
    isFailed = true;
    console.error(`The log is kept at ${logFile}`);
    throw error;
  } finally {
    guard.seal();
    for (const stop of stops.reverse()) await stop();
    await guard.close();
    if (!isFailed) rmSync(folder, { recursive: true, force: true });
  }
}

const envOf = (databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  JWT_SECRET: 'only for measurements, so not a secret',
  SECRET_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
  HOST: '127.0.0.1',
  LOG_LEVEL: 'warn',
});
