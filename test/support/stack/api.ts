import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { createApp } from '../../../src/api/app.ts';
import { createApiDeps } from '../../../src/api/create-deps.ts';
import type { Deps } from '../../../src/api/deps.ts';
import { type Config, loadConfig } from '../../../src/config.ts';
import { connect, LOCK_TIMEOUT_MS } from '../../../src/db/connect.ts';
import { createWriteQuota } from '../../../src/db/write-quota.ts';
import { anyFreePort } from '../../../src/dev/ports.ts';
import { issueOrgKey, issuePartnerKey } from '../../../src/keys/service.ts';
import { createOrg, createPartner, type NewPartner } from '../../../src/partners/service.ts';
import { type Client, clientOf, inProcess, overNetwork } from './clients.ts';
import { createTestDatabase } from './servers.ts';

export type { Answer, Client } from './clients.ts';

const LOOPBACK = '127.0.0.1';
/** Rate limits are for the tests that are about them. */
const UNLIMITED = '1000000';

export interface TestPartner extends Client {
  id: string;
  key: string;
  keyId: string;
}

export interface TestOrg extends Client {
  id: string;
  name: string;
  key: string;
  keyId: string;
  widgetToken: string;
  partner: TestPartner;
  /** A client with a new key of the org that has just these scopes. */
  withScopes(...scopes: string[]): Promise<Client & { key: string; keyId: string }>;
}

export interface ApiOptions {
  /** Environment variables over the defaults of tests. */
  env?: Record<string, string>;
  /** The database of another api, to run a second process of the same installation. */
  databaseUrl?: string;
  /** What takes the place of a real dependency. Load shedding is off unless a test sets `maxEventLoopDelayMs`. */
  deps?: Partial<Deps>;
  /** The clients call the api without sockets, at half the cost: for tests that make thousands of requests. */
  isInProcess?: boolean;
}

export type TestApi = Awaited<ReturnType<typeof startApi>>;

/**
 * The real api on a loopback port with a database of its own, two orgs of one partner, and nobody else. Close it after use.
 *
 *     const { org, other, close } = await startApi();
 *     const { status, body } = await org.post('/contacts', { contact: { email: 'ann@example.com' } });
 */
export async function startApi({ env = {}, databaseUrl, deps: replaced = {}, isInProcess = false }: ApiOptions = {}) {
  const database = databaseUrl === undefined ? await createTestDatabase() : undefined;
  const port = await anyFreePort();
  const publicUrl = `http://${LOOPBACK}:${port}`;
  const config = testConfig(databaseUrl ?? (database as { url: string }).url, { PUBLIC_URL: publicUrl, ...env });
  const quota = createWriteQuota(config.WRITE_QUOTA_BYTES);
  const {
    db,
    pool,
    close: closeDatabase,
  } = connect(config.DATABASE_URL, {
    poolSize: config.DATABASE_POOL_SIZE,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    quota,
  });
  const logger = pino({ level: config.LOG_LEVEL });
  const temporal = { check: async () => 'ok' as const, describeQueues: async () => [] };
  const { deps, close: closeDeps } = createApiDeps({
    config,
    db,
    pool,
    quota,
    temporal,
    logger,
    replaced: { maxEventLoopDelayMs: 0, ...replaced },
  });
  const { tokens } = deps;
  const app = await createApp(deps, logger);
  await app.listen({ host: LOOPBACK, port });
  const url = `http://${LOOPBACK}:${port}`;
  const send = isInProcess ? inProcess(app, url) : overNetwork(url);
  const client = (key?: string) => clientOf(send, key);

  const makePartner = async (input: Partial<NewPartner> = {}): Promise<TestPartner> => {
    const { id } = await createPartner(db, { name: 'Partner', ...input });
    const { api_key, api_key_id } = await issuePartnerKey(db, tokens, id, 'Test');
    return { ...client(api_key), id, key: api_key, keyId: api_key_id };
  };
  const makeOrg = async (owner: TestPartner, name = 'Org'): Promise<TestOrg> => {
    const { id, widget_token } = await createOrg(db, owner.id, { name });
    const issue = async (scopes: string[] | null) => {
      const { api_key, api_key_id } = await issueOrgKey(db, tokens, id, { name: 'Test', scopes });
      return { ...client(api_key), key: api_key, keyId: api_key_id };
    };
    const withScopes = (...scopes: string[]) => issue(scopes);
    return { ...(await issue(null)), id, name, widgetToken: widget_token, partner: owner, withScopes };
  };
  const partner = await makePartner();

  return {
    url,
    app,
    db,
    deps,
    config,
    databaseUrl: config.DATABASE_URL,
    partner,
    org: await makeOrg(partner, 'Org'),
    other: await makeOrg(partner, 'Other org'),
    /** Calls with this key, or without any. */
    client,
    createPartner: makePartner,
    createOrg: (name?: string, owner = partner) => makeOrg(owner, name),
    /** Stops the api and drops its database. */
    async close() {
      await app.close();
      await closeDeps();
      await closeDatabase();
      if (database === undefined) return;
      await database.drop();
      await rm(filesOf(database.url), { recursive: true, force: true });
    },
  };
}

/** The folder of an installation's files. */
const filesOf = (databaseUrl: string) =>
  pathToFileURL(join(tmpdir(), 'switchboard-tests', new URL(databaseUrl).pathname));

function testConfig(databaseUrl: string, env: Record<string, string>): Config {
  return loadConfig({
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '10',
    FAREHARBOR_BASE_URL: 'http://127.0.0.1:9',
    JWT_SECRET: 'the secret of the tests, 32 characters and more',
    SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    RATE_LIMIT_STORE: 'memory',
    RATE_LIMIT_STANDARD: UNLIMITED,
    RATE_LIMIT_STREAMING: UNLIMITED,
    RATE_LIMIT_MEMBER: UNLIMITED,
    RATE_LIMIT_ASSISTANT: UNLIMITED,
    RATE_LIMIT_PARTNER: UNLIMITED,
    RATE_LIMIT_LOGIN_LINKS: UNLIMITED,
    RATE_LIMIT_ADDRESS: UNLIMITED,
    RATE_LIMIT_REFUSED: UNLIMITED,
    STORAGE_URL: filesOf(databaseUrl).href,
    DEVELOPMENT: 'true',
    EMBEDDING_MODEL: 'none',
    LOG_LEVEL: 'silent',
    ...env,
  });
}
