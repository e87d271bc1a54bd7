import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, type Db } from '../../../src/db/connect.ts';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { startChild, waitUntilReady } from '../../../src/dev/child.ts';
import { type Guard, startGuard } from '../../../src/dev/guard.ts';
import { anyFreePort } from '../../../src/dev/ports.ts';
import { startPostgres } from '../../../src/dev/postgres.ts';
import { programOf } from '../../../src/dev/scripts.ts';
import { startTemporal } from '../../../src/dev/temporal.ts';
import { createTokens } from '../../../src/keys/tokens.ts';
import { type FaultOrg, makeOrg } from './fault-org.ts';
import { type MailSink, startMailSink } from './mail-sink.ts';
import { type Program, restartable } from './programs.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const JWT_SECRET = 'the secret of the fault tests, 32 characters and more';
const START_LIMIT_MS = 30_000;

/**
 * The complete installation. Each part is a process, to be killed and restarted on the same port with the same data.
 */
export interface FaultStack {
  postgres: Program;
  temporal: Program;
  sink: MailSink;
  api: Program;
  worker: Program;
  db: Db;
  /** The address of the api. */
  url: string;
  temporalAddress: string;
  /** What all processes have logged. */
  logs(): string;
  /** Starts another worker. `env`: environment variables of this worker alone. */
  addWorker(env?: Record<string, string>, code?: Code): Promise<Program>;
  databaseUrl: string;
  /** Has the data of Postgres (`postgres/cluster`) and of Temporal (`temporal`). */
  folder: string;
  /** The settings of the programs. */
  env: Record<string, string | undefined>;
  /** Starts another api, at an address of its own. */
  addApi(code?: Code): Promise<{ program: Program; url: string }>;
  /** Creates an org, to separate a test's contacts from those of other tests. */
  newOrg(): Promise<FaultOrg>;
  close(): Promise<void>;
}

/** A version of the product. */
export interface Code {
  /** The folder with its built programs. */
  root: string;
  /** The file with its workflows. */
  workflowBundle: string | undefined;
  /** Brings a database to its schema. */
  migrate(databaseUrl: string): Promise<void>;
}

/** The version that is tested. */
export const THIS_CODE: Code = {
  root: ROOT,
  workflowBundle: process.env.TEST_WORKFLOW_BUNDLE,
  migrate: migrateToLatest,
};

/** Starts the installation. `env`: environment variables overriding its own. */
export async function startFaultStack({
  env = {},
  code = THIS_CODE,
}: {
  env?: Record<string, string>;
  code?: Code;
} = {}): Promise<FaultStack> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-faults-'));
  chmodSync(folder, 0o755); // Postgres' own user must be able to reach its data
  const guard = startGuard(join(folder, 'processes.json'));
  const removeAll = async () => {
    await guard.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return await startAll(folder, guard, removeAll, env, code);
  } catch (error) {
    await removeAll();
    throw error;
  }
}

async function startAll(
  folder: string,
  guard: Guard,
  removeAll: () => Promise<void>,
  more: Record<string, string>,
  ownCode: Code,
): Promise<FaultStack> {
  const log = (name: string) => join(folder, `${name}.log`);
  const [postgresPort, temporalPort, sinkPort, apiPort] = [
    await anyFreePort(),
    await anyFreePort(),
    await anyFreePort(),
    await anyFreePort(),
  ];
  const databaseUrl = `postgres://postgres:faults@127.0.0.1:${postgresPort}/switchboard`;
  mkdirSync(join(folder, 'temporal'));

  const [postgres, temporal, sink] = await Promise.all([
    restartable(() =>
      startPostgres({
        folder: join(folder, 'postgres'),
        port: postgresPort,
        password: 'faults',
        database: 'switchboard',
        logFile: log('postgres'),
        guard,
      }),
    ),
    restartable(() =>
      startTemporal({
        port: temporalPort,
        databaseFile: join(folder, 'temporal', 'temporal.db'),
        logFile: log('temporal'),
        guard,
      }),
    ),
    startMailSink(folder, sinkPort, guard),
  ]);
  await ownCode.migrate(databaseUrl);

  const url = `http://127.0.0.1:${apiPort}`;
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}`,
    HOST: '127.0.0.1',
    PORT: String(apiPort),
    PUBLIC_URL: url,
    JWT_SECRET,
    SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    DEVELOPMENT: 'true',
    RATE_LIMIT_STORE: 'memory',
    RATE_LIMIT_STANDARD: '1000000',
    SMTP_URL: sink.url,
    EMBEDDING_MODEL: 'none',
    LOG_LEVEL: 'info',
    DRAIN_SECONDS: '0',
    STOP_GRACE_SECONDS: '10',
    ...more,
  };
  const start = (name: string, script: 'api' | 'worker', code: Code, own: Record<string, string> = {}) => {
    const program = programOf(script);
    const { root: cwd, workflowBundle: WORKFLOW_BUNDLE } = code;
    const options = { logFile: log(name), guard, cwd, env: { ...env, WORKFLOW_BUNDLE, ...program.env, ...own } };
    return startChild(process.execPath, [...program.flags, program.file], options);
  };
  const startApi = (name: string, at: string, code: Code) =>
    restartable(async () => {
      const child = await start(name, 'api', code, { PORT: new URL(at).port });
      await waitUntilReady(child, log(name), () => mustAnswer(`${at}/healthz`), START_LIMIT_MS);
      return child;
    });
  const startWorker = (name: string, code: Code, own: Record<string, string> = {}) => {
    let starts = 0;
    return restartable(async () => {
      starts++;
      const child = await start(name, 'worker', code, own);
      // The worker waits for Temporal by itself, so readiness is checked only for the first, undisturbed start.
      if (starts === 1)
        await waitUntilReady(child, log(name), () => mustSay(log(name), '"msg":"working"'), START_LIMIT_MS);
      return child;
    });
  };
  const [api, worker] = await Promise.all([startApi('api', url, ownCode), startWorker('worker-1', ownCode)]);
  const { db, close } = connect(databaseUrl, { poolSize: 4, applicationName: 'faults' });
  const tokens = createTokens([JWT_SECRET]);
  const orgs: FaultOrg[] = [];
  const workers = [worker];
  const apis = [api];

  return {
    postgres,
    temporal,
    sink,
    api,
    worker,
    db,
    url,
    temporalAddress: env.TEMPORAL_ADDRESS,
    databaseUrl,
    folder,
    env,
    logs: () =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.log'))
        .map((name) => readFileSync(join(folder, name), 'utf8'))
        .join('\n'),
    async addWorker(own, code = ownCode) {
      const another = await startWorker(`worker-${workers.length + 1}`, code, own);
      workers.push(another);
      return another;
    },
    async addApi(code = ownCode) {
      const at = `http://127.0.0.1:${await anyFreePort()}`;
      const program = await startApi(`api-${apis.length + 1}`, at, code);
      apis.push(program);
      return { program, url: at };
    },
    async newOrg() {
      const org = await makeOrg({ db, tokens, url, sink });
      orgs.push(org);
      return org;
    },
    async close() {
      for (const org of orgs) org.close();
      await close();
      await Promise.all([...workers, ...apis, sink, temporal, postgres].map((part) => part.kill()));
      await removeAll();
    },
  };
}

async function mustAnswer(url: string): Promise<void> {
  const { ok } = await fetch(url);
  if (!ok) throw new Error('not ready');
}

async function mustSay(file: string, text: string): Promise<void> {
  if (!readFileSync(file, 'utf8').includes(text)) throw new Error('not working yet');
}
