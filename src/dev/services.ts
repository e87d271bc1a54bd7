import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from './child.ts';
import type { Guard } from './guard.ts';
import { startPostgres } from './postgres.ts';
import { programOf } from './scripts.ts';
import type { Ports, StackSecrets } from './settings.ts';
import { supervise } from './supervise.ts';
import { startTemporal } from './temporal.ts';

/** The order of stopping: programs use servers, and servers use databases. */
export type Role = 'program' | 'server' | 'database';

export type Context = {
  dataFolder: string;
  env: NodeJS.ProcessEnv;
  ports: Ports;
  secrets: StackSecrets;
  guard: Guard;
  say: (line: string) => void;
  stops: { role: Role; stop: () => Promise<void> }[];
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAX_STOP_MS = 10_000;
const PROGRAM_NAMES = { api: 'Api', worker: 'Worker' };

/** Starts Postgres, unless DATABASE_URL names one. Returns the database's URL. */
export async function provideDatabase(context: Context): Promise<string> {
  const { dataFolder, env, ports, secrets, guard, say } = context;
  if (env.DATABASE_URL) {
    say('Postgres     set by DATABASE_URL');
    return env.DATABASE_URL;
  }
  const logFile = newLog(dataFolder, 'postgres');
  const start = () =>
    startPostgres({
      folder: join(dataFolder, 'postgres'),
      port: ports.POSTGRES_PORT,
      password: secrets.postgresPassword,
      database: 'switchboard',
      logFile,
      guard,
    });
  const { url } = await startSupervised(context, 'Postgres', 'database', start);
  say(`Postgres     ${url}`);
  return url;
}

/** Starts Temporal with its UI, unless TEMPORAL_ADDRESS names a server. */
export async function provideTemporal(context: Context): Promise<{ address: string; ui: string }> {
  const { dataFolder, env, ports, guard, say } = context;
  if (env.TEMPORAL_ADDRESS) {
    say(`Temporal     ${env.TEMPORAL_ADDRESS}, set by TEMPORAL_ADDRESS`);
    return { address: env.TEMPORAL_ADDRESS, ui: '' };
  }
  const logFile = newLog(dataFolder, 'temporal');
  const start = () =>
    startTemporal({
      port: ports.TEMPORAL_PORT,
      uiPort: ports.TEMPORAL_UI_PORT,
      databaseFile: join(dataFolder, 'temporal.db'),
      logFile,
      guard,
    });
  const { address } = await startSupervised(context, 'Temporal', 'server', start);
  const ui = `http://127.0.0.1:${ports.TEMPORAL_UI_PORT}`;
  say(`Temporal     ${address}`);
  say(`Temporal UI  ${ui}`);
  return { address, ui };
}

/** Starts one of our own programs without waiting until it is ready. Returns its log file. */
export async function provideProgram(
  context: Context,
  script: 'api' | 'worker',
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const logFile = newLog(context.dataFolder, script);
  const { guard } = context;
  const program = programOf(script);
  const options = { logFile, guard, cwd: ROOT, env: { ...program.env, ...env } };
  const start = () => startChild(process.execPath, [...program.flags, program.file], options);
  await startSupervised(context, PROGRAM_NAMES[script], 'program', start);
  return logFile;
}

async function startSupervised<T extends Child>(
  context: Context,
  name: string,
  role: Role,
  start: () => Promise<T>,
): Promise<T> {
  const child = await start();
  const { stop } = supervise(name, child, start, context.say);
  context.stops.push({ role, stop: () => stop(MAX_STOP_MS) });
  return child;
}

function newLog(dataFolder: string, name: string): string {
  const file = join(dataFolder, 'logs', `${name}.log`);
  writeFileSync(file, '');
  return file;
}
