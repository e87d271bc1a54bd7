import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { STATUSES_OF_RANGE } from '../src/api/edge/documents/openapi-document/answers.ts';
import { type ApiDocument, operationsOf } from '../src/api/edge/documents/openapi-document/document.ts';
import { migrateToLatest } from '../src/db/migrate.ts';
import { buildWhatChanged } from '../src/dev/builds.ts';
import { type Child, startChild, waitUntilReady } from '../src/dev/child.ts';
import { type Guard, startGuard } from '../src/dev/guard.ts';
import { anyFreePort } from '../src/dev/ports.ts';
import { startPostgres } from '../src/dev/postgres.ts';
import { seedDemo } from '../src/dev/seed.ts';
import { startFakeDns } from '../test/support/fakes/dns.ts';
import { startFakeFareHarbor } from '../test/support/fakes/fareharbor.ts';
import { installPython, type Python } from './tools/python.ts';

// Runs schemathesis over the OpenAPI document served by the real API: examples, edge cases, fuzzing, and sequences of
// dependent calls.

const IS_LONG = process.env.TEST_TIER === 'long';
const SECONDS = IS_LONG ? { org: 2400, partner: 600 } : { org: 30, partner: 8 };
/** The short run uses the same cases each time, to guard the main branch. The long run explores new ones. */
const SEED = IS_LONG ? String(Date.now() % 1_000_000) : '1';
const REQUIREMENTS = resolve('scripts/schemathesis-requirements.txt');
const HOME = resolve('.data/schemathesis');
const JWT_SECRET = 'the secret of a database that is thrown away';
const NO_LIMIT = '1000000000';
const START_TIMEOUT_MS = 30_000;

/** Checks in conflict with the intended behavior of this API. */
const EXCLUDED_CHECKS = [
  // JSON Schema cannot express some rules: a real phone number, the cursor of an earlier page, an existing segment, one
  // of two fields.
  'positive_data_acceptance',
  // /contacts/batch also matches /contacts/{id}: a PATCH of it is a 400, and Allow names it. test/security requires 405
  // from every path.
  'unsupported_method',
  'allow_header_conformance',
];
const TEXT_TYPES = ['application/x-ndjson', 'message/rfc822'];
/** Routes calling real third parties, routes waiting for such a call by a worker, and routes with endless responses. */
const EXCLUDED_PATHS = [
  '^/integrations/[^/]+/test$',
  '^/actions/[^/]+/test$',
  '^/whatsapp/send-template$',
  '^/phone/(numbers|sip-trunks|voices|models)(/|$)',
  '/events$',
];

/** The defaults lack 413: a body too large is refused before its content is checked. */
const SETTINGS = `
[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 406, 413, 422, 428, "5xx"]
`;

/** Starts Schemathesis. Bodies of the types that it does not know are written as text. */
const PROGRAM = `
import sys, schemathesis
from schemathesis.cli import schemathesis as run
schemathesis.serializer.alias(${JSON.stringify(TEXT_TYPES)}, 'text/plain')
sys.exit(run())
`;
/** The name of the document in the folder. */
const DOCUMENT = 'openapi.json';
const folder = mkdtempSync(join(tmpdir(), 'switchboard-schemathesis-'));
chmodSync(folder, 0o755); // Postgres' own user has to reach its data in it
const guard = startGuard(join(folder, 'processes.json'));
const fareHarbor = await startFakeFareHarbor();
const dns = await startFakeDns();
const children: Child[] = [];
let python: Python;
try {
  python = installPython(REQUIREMENTS, HOME);
  const { url, orgKey, partnerKey } = await startStack(guard);
  await writeStrictDocument(url);
  writeFileSync(join(folder, 'schemathesis.toml'), SETTINGS);
  const org = await run(
    url,
    orgKey,
    ['--exclude-path-regex', ['^/partner/', ...EXCLUDED_PATHS].join('|')],
    SECONDS.org,
  );
  const partner = await run(url, partnerKey, ['--include-path-regex', '^/partner/'], SECONDS.partner);
  process.exitCode = org && partner ? 0 : 1;
} finally {
  for (const child of children.reverse()) await child.stop(10_000);
  await fareHarbor.close();
  await dns.close();
  await guard.close();
  if (process.exitCode !== 0) console.log(readLog('api.log'));
  rmSync(folder, { recursive: true, force: true });
}

/** Starts Postgres and the API in their production form, with an org and a partner. */
async function startStack(guard: Guard): Promise<{ url: string; orgKey: string; partnerKey: string }> {
  const [databasePort, port] = [await anyFreePort(), await anyFreePort()];
  const database = await startPostgres({
    folder: join(folder, 'postgres'),
    port: databasePort,
    password: 'schemathesis',
    database: 'switchboard',
    logFile: join(folder, 'postgres.log'),
    guard,
    isThrowaway: true,
  });
  children.push(database);
  await migrateToLatest(database.url);
  const demo = await seedDemo(database.url, JWT_SECRET, folder);

  const url = `http://127.0.0.1:${port}`;
  const logFile = join(folder, 'api.log');
  const environment = {
    PATH: process.env.PATH,
    DATABASE_URL: database.url,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: url,
    JWT_SECRET,
    SECRET_KEYS: `check:${Buffer.alloc(32, 1).toString('base64')}`,
    RATE_LIMIT_STORE: 'memory',
    RATE_LIMIT_STANDARD: NO_LIMIT,
    RATE_LIMIT_ASSISTANT: NO_LIMIT,
    RATE_LIMIT_STREAMING: NO_LIMIT,
    RATE_LIMIT_PARTNER: NO_LIMIT,
    RATE_LIMIT_ADDRESS: NO_LIMIT,
    RATE_LIMIT_HELP: NO_LIMIT,
    RATE_LIMIT_REFUSED: NO_LIMIT,
    RATE_LIMIT_LOGIN_LINKS: NO_LIMIT,
    TEMPORAL_ADDRESS: '127.0.0.1:1', // nothing listens here: the API accepts requests regardless
    FAREHARBOR_BASE_URL: fareHarbor.url,
    DNS_SERVERS: dns.address,
    STORAGE_URL: pathToFileURL(join(folder, 'media')).href,
    DEVELOPMENT: 'true',
    LOG_LEVEL: 'error',
  };
  await buildWhatChanged();
  const api = await startChild(process.execPath, ['dist/api.js'], { logFile, guard, env: environment });
  children.push(api);
  await waitUntilReady(api, logFile, () => isHealthy(url), START_TIMEOUT_MS);
  return { url, orgKey: demo.org_api_key, partnerKey: demo.partner_api_key };
}

/**
 * Runs every phase with every check, on one thread: on two, Python 3.11 occasionally fails. Returns whether no
 * problem was found.
 */
async function run(url: string, key: string, filters: string[], seconds: number): Promise<boolean> {
  const options = [
    ['--header', `Authorization: Bearer ${key}`],
    ['--phases', 'examples,coverage,fuzzing,stateful'],
    ['--checks', 'all', '--exclude-checks', EXCLUDED_CHECKS.join(',')],
    ['--max-time', String(seconds), '--request-timeout', '10', '--seed', SEED],
    ['--suppress-health-check', 'all', '--continue-on-failure', '--warnings', 'off'],
    filters,
  ].flat();
  const child = spawn(python.program, ['-c', PROGRAM, '--no-color', 'run', DOCUMENT, '--url', url, ...options], {
    cwd: folder, // it stores its examples in its working directory
    env: { ...process.env, ...python.env },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: (seconds * 2 + 120) * 1000,
    killSignal: 'SIGKILL',
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

/** Stores the document with the statuses in place of their ranges: any other status is a fault. */
async function writeStrictDocument(url: string): Promise<void> {
  const document: ApiDocument = JSON.parse(await (await fetch(`${url}/openapi.json`)).text());
  for (const { operation } of operationsOf(document))
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses ?? {}).flatMap(([status, answer]) =>
        (STATUSES_OF_RANGE[status] ?? [status]).map((one) => [one, answer]),
      ),
    );
  writeFileSync(join(folder, DOCUMENT), JSON.stringify(document));
}

async function isHealthy(url: string): Promise<void> {
  const { ok } = await fetch(`${url}/healthz`);
  if (!ok) throw new Error('not healthy yet');
}

function readLog(name: string): string {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-20_000) : '';
}
