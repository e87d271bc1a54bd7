import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { migrateToLatest } from '../db/migrate.ts';
import { compileCacheIn } from './compile-cache.ts';
import { endLeftovers, startGuard } from './guard.ts';
import { waitUntilResponding } from './http-probe.ts';
import { startMailCatcher } from './mail-catcher.ts';
import { type Demo, seedDemo } from './seed.ts';
import { type Context, provideDatabase, provideProgram, provideTemporal, type Role } from './services.ts';
import { choosePorts, loadOrCreateSecrets, writePrivateJson } from './settings.ts';

/** What dev.json holds: all that a script needs to use the stack. */
export type DevJson = {
  api: string;
  temporal_address: string;
  temporal_ui: string;
  mail: string;
  database_url: string;
  smtp_port: number;
} & Demo;

export type Stack = {
  /** Resolves when every service answers. */
  ready: Promise<void>;
  /** Ends what has been started, what needs another one first. Leaves no process. */
  stop(): Promise<void>;
};

/** Starts Postgres, Temporal, the mail catcher, the api and the worker on a data folder. */
export function startStack(dataFolder: string, env: NodeJS.ProcessEnv, say: (line: string) => void): Stack {
  const preparing = prepare(dataFolder, env, say);
  return {
    ready: preparing.then(startAll),
    async stop() {
      const context = await preparing.catch(() => undefined); // `ready` tells why
      if (!context) return;
      const { guard, stops } = context;
      guard.seal();
      for (const role of ['program', 'server', 'database'] satisfies Role[]) {
        await Promise.all(stops.filter((one) => one.role === role).map(({ stop }) => stop()));
      }
      await guard.close(); // ends what was still about to start
    },
  };
}

async function prepare(dataFolder: string, env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<Context> {
  mkdirSync(join(dataFolder, 'logs'), { recursive: true });
  const processesFile = join(dataFolder, 'processes.json');
  const ended = await endLeftovers(processesFile);
  if (ended > 0) say(`Ended ${ended} processes that an earlier start had left`);
  const ports = await choosePorts(dataFolder, env, say);
  const secrets = loadOrCreateSecrets(dataFolder);
  return { dataFolder, env, ports, secrets, guard: startGuard(processesFile), say, stops: [] };
}

async function startAll(context: Context): Promise<void> {
  const { dataFolder, env, ports, say, stops } = context;
  const [databaseUrl, temporal, mail] = await Promise.all([
    provideDatabase(context),
    provideTemporal(context),
    startMailCatcher({ smtpPort: ports.SMTP_PORT, httpPort: ports.MAIL_PORT, file: join(dataFolder, 'mail.ndjson') }),
  ]);
  stops.push({ role: 'server', stop: mail.stop });
  say(`Mail         ${mail.url} (takes mail at ${mail.smtpUrl})`);
  await migrateToLatest(databaseUrl);

  const api = `http://127.0.0.1:${ports.PORT}`;
  const defaults = {
    HOST: '127.0.0.1',
    PUBLIC_URL: api,
    DASHBOARD_URL: api,
    JWT_SECRET: context.secrets.JWT_SECRET,
    SECRET_KEYS: context.secrets.SECRET_KEYS,
    SMTP_URL: mail.smtpUrl,
    TEMPORAL_NAMESPACE: 'default',
    STORAGE_URL: pathToFileURL(join(dataFolder, 'media')).href,
    DEVELOPMENT: 'true',
    NODE_COMPILE_CACHE: compileCacheIn(dataFolder),
  };
  // What the environment sets wins, but for what has been found out here.
  const settings = { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporal.address, PORT: String(ports.PORT) };
  const childEnv = { ...defaults, ...env, ...settings };

  const [demo] = await Promise.all([
    seedDemo(databaseUrl, childEnv.JWT_SECRET, dataFolder),
    provideProgram(context, 'api', childEnv).then((logFile) => waitUntilResponding(`${api}/healthz`, logFile)),
  ]);
  await provideProgram(context, 'worker', childEnv); // after the api, which somebody waits for
  const devJson: DevJson = {
    api,
    temporal_address: temporal.address,
    temporal_ui: temporal.ui,
    mail: mail.url,
    database_url: databaseUrl,
    smtp_port: ports.SMTP_PORT,
    ...demo,
  };
  writePrivateJson(join(dataFolder, 'dev.json'), devJson);
  say(`Api          ${api} (documentation at ${api}/docs)`);
  say(`Worker       running; its log and the others are in ${join(dataFolder, 'logs')}`);
  say(`Demo keys    ${join(dataFolder, 'dev.json')}`);
}
