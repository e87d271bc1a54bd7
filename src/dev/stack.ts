import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { migrateToLatest } from '../db/migrate.ts';
import { fetchModel } from '../embedder/fetch-model.ts';
import { DEFAULT_MODELS_FOLDER, MODEL } from '../embedder/model-folder.ts';
import { messageOf } from '../errors.ts';
import { buildWhatChanged } from './builds.ts';
import { compileCacheIn } from './compile-cache.ts';
import { loadDemoHelpCenter, untilDemoAnswers } from './demo/help-center.ts';
import { startDemoShop } from './demo/shop.ts';
import { endLeftovers, startGuard } from './guard.ts';
import { waitUntilResponding } from './http-probe.ts';
import { startMailCatcher } from './mail/catcher.ts';
import { createDemoLogin, type Demo, recordHelpCenter, seedDemo } from './seed.ts';
import { type Context, provideDatabase, provideProgram, provideTemporal, type Role } from './services.ts';
import { choosePorts, loadOrCreateSecrets, writePrivateJson } from './settings.ts';

/** The contents of dev.json: everything a script needs to use the stack. */
export type DevJson = {
  api: string;
  temporal_address: string;
  temporal_ui: string;
  mail: string;
  /** A page with the widget of the demo org. */
  shop: string;
  database_url: string;
  smtp_port: number;
} & Omit<Demo, 'has_help_center'>;

export type Stack = {
  /** Resolves when every service answers. */
  ready: Promise<void>;
  /** Stops all services, dependent ones first. Leaves no process. */
  stop(): Promise<void>;
};

/** Starts Postgres, Temporal, the mail catcher, the api and the worker on a data folder. */
export function startStack(dataFolder: string, env: NodeJS.ProcessEnv, say: (line: string) => void): Stack {
  const preparing = prepare(dataFolder, env, say);
  return {
    ready: preparing.then(startAll),
    async stop() {
      const context = await preparing.catch(() => undefined); // `ready` reports the error
      if (!context) return;
      const { guard, stops } = context;
      guard.seal();
      for (const role of ['program', 'server', 'database'] satisfies Role[]) {
        await Promise.all(stops.filter((one) => one.role === role).map(({ stop }) => stop()));
      }
      await guard.close(); // ends children still starting
    },
  };
}

async function prepare(dataFolder: string, env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<Context> {
  mkdirSync(join(dataFolder, 'logs'), { recursive: true });
  const processesFile = join(dataFolder, 'processes.json');
  const ended = await endLeftovers(processesFile);
  if (ended > 0) say(`Ended ${ended} processes left by an earlier start`);
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
    buildWhatChanged(),
  ]);
  stops.push({ role: 'server', stop: mail.stop });
  say(`Mail         ${mail.url} (accepts mail at ${mail.smtpUrl})`);
  await migrateToLatest(databaseUrl);
  await buildConsole(say);

  const api = `http://127.0.0.1:${ports.PORT}`;
  const defaults = {
    HOST: '127.0.0.1',
    PUBLIC_URL: api,
    DASHBOARD_URL: api,
    ...(temporal.ui !== '' && { TEMPORAL_UI_URL: temporal.ui }),
    JWT_SECRET: context.secrets.JWT_SECRET,
    SECRET_KEYS: context.secrets.SECRET_KEYS,
    SMTP_URL: mail.smtpUrl,
    TEMPORAL_NAMESPACE: 'default',
    STORAGE_URL: pathToFileURL(join(dataFolder, 'media')).href,
    DEVELOPMENT: 'true',
    DRAIN_SECONDS: '0',
    STOP_GRACE_SECONDS: '10',
    NODE_COMPILE_CACHE: compileCacheIn(dataFolder),
  };
  // The environment overrides the defaults, except for the addresses determined here.
  const settings = { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporal.address, PORT: String(ports.PORT) };
  const childEnv = { ...defaults, ...env, ...settings };

  const [{ has_help_center, ...demo }] = await Promise.all([
    seedDemo(databaseUrl, childEnv.JWT_SECRET, dataFolder),
    provideProgram(context, 'api', childEnv).then((logFile) => waitUntilResponding(`${api}/healthz`, logFile)),
  ]);
  await provideProgram(context, 'worker', childEnv); // started after the api, because the user waits for the api
  if (has_help_center !== true) {
    await loadDemoHelpCenter(api, demo.org_api_key);
    recordHelpCenter(dataFolder, demo);
  }
  const shop = await startDemoShop({ port: ports.SHOP_PORT, api, token: demo.widget_token });
  stops.push({ role: 'server', stop: shop.stop });
  const devJson: DevJson = {
    api,
    temporal_address: temporal.address,
    temporal_ui: temporal.ui,
    mail: mail.url,
    shop: shop.url,
    database_url: databaseUrl,
    smtp_port: ports.SMTP_PORT,
    ...demo,
  };
  writePrivateJson(join(dataFolder, 'dev.json'), devJson);
  say(`Api          ${api} (documentation at ${api}/docs)`);
  say(`Console      ${await createDemoLogin(databaseUrl, api, demo)} (signs in once, within 15 minutes)`);
  say(`Chat         ${shop.url} (a page with the widget)`);
  say(`Worker       running; its log and the others are in ${join(dataFolder, 'logs')}`);
  say(`Demo keys    ${join(dataFolder, 'dev.json')}`);
  void announceAnswers(devJson, say).then(() => provideModel(env, say));
}

/** Says where to ask, once a question gets its answer at once. */
async function announceAnswers({ api, org_api_key, shop }: DevJson, say: (line: string) => void): Promise<void> {
  try {
    await untilDemoAnswers(api, org_api_key);
    say(`AI           answers on ${shop}: ask “How do I change my password?”`);
  } catch (error) {
    say(`AI           ${messageOf(error)}`);
  }
}

/** Builds the console where its sources have changed. Without it, the rest of the stack works. */
async function buildConsole(say: (line: string) => void): Promise<void> {
  const script = join(import.meta.dirname, '../../console/scripts/build.ts');
  await promisify(execFile)(process.execPath, [script]).catch((error: Error) => {
    say(`Console      could not be built: ${error.message}`);
  });
}

/** Fetches the embedding model last, because its conversion takes a processor. The worker uses it once it is there. */
async function provideModel(
  { EMBEDDING_MODEL, MODELS_FOLDER }: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> {
  if (EMBEDDING_MODEL === 'none') return say('Knowledge    questions are compared by words: EMBEDDING_MODEL is none');
  try {
    await fetchModel(MODELS_FOLDER || DEFAULT_MODELS_FOLDER);
    say(`Knowledge    questions are compared by words and by the model ${MODEL}`);
  } catch (error) {
    say(`Knowledge    questions are compared by words: the embedding model was not fetched. ${messageOf(error)}`);
  }
}
