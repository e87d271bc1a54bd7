import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { connect, type Db } from '../../../src/db/connect.ts';
import { startChild, waitUntilReady } from '../../../src/dev/child.ts';
import { type Guard, startGuard } from '../../../src/dev/guard.ts';
import { anyFreePort, canConnect } from '../../../src/dev/ports.ts';
import { startPostgres } from '../../../src/dev/postgres.ts';
import { programOf } from '../../../src/dev/scripts.ts';
import { findTemporalCli } from '../../../src/dev/temporal-programs.ts';
import { createTokens } from '../../../src/keys/tokens.ts';
import { type FaultOrg, makeOrg } from '../../faults/support/fault-org.ts';
import { startMailSink } from '../../faults/support/mail-sink.ts';
import { type Program, restartable } from '../../faults/support/programs.ts';
import { type FakeDns, startFakeDns } from '../../support/fakes/dns.ts';
import { writeDividingConfig, writeTlsConfig } from './caddy.ts';
import { environmentOf } from './compose.ts';
import type { ClusterTools } from './tools.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);
const START_LIMIT_MS = 90_000;
const PASSWORD = 'cluster';
const JWT_SECRET = 'the secret of the cluster, 32 characters and more';
/** What s3rver expects of everybody. */
const S3_KEY = 'S3RVER';
/** Two apis at one port, as two containers have it. */
const API_ADDRESSES = ['127.0.0.1', '127.0.0.2'];
/** From which sequences of a FaultOrg send. */
const SENDER_DOMAIN = 'example.org';
/** The apis' name, for the proxy. */
const API_NAME = 'api.test';
/** One worker for each. All queues of docker-compose.yml. */
const QUEUES = ['interactive', 'bulk,embedding,webhooks', 'crawls,rendering'];
/** Temporal's services, each with ports of its own. */
const TEMPORAL_PORTS = [
  ...['FRONTEND', 'MATCHING', 'HISTORY', 'WORKER'].flatMap((name) => [`${name}_GRPC_PORT`, `${name}_MEMBERSHIP_PORT`]),
  'FRONTEND_HTTP_PORT',
];

/** The production shape: the processes of docker-compose.yml with PgBouncer, a proxy with TLS and S3. */
export interface Cluster {
  /** All that may be killed, by name. */
  programs: Record<string, Program>;
  db: Db;
  /** Where the S3 server keeps its objects. */
  objects: string;
  /** Creates an org with a verified sending domain, whose requests go to the address with TLS. */
  newOrg(): Promise<FaultOrg>;
  close(): Promise<void>;
}

/** Starts the production shape. `variables`: those of the caller of docker-compose.yml. */
export async function startCluster(tools: ClusterTools, variables: Record<string, string> = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-cluster-'));
  chmodSync(folder, 0o755);
  const guard = startGuard(join(folder, 'processes.json'));
  const dns = await startFakeDns();
  const removeAll = async () => {
    await guard.close();
    await dns.close();
    if (process.env.KEEP_CLUSTER === undefined) rmSync(folder, { recursive: true, force: true });
    else console.log(`The cluster's logs are in ${folder}`);
  };
  try {
    return await startAll({ folder, guard, dns, tools, variables, removeAll });
  } catch (error) {
    await removeAll();
    throw error;
  }
}

interface Parts {
  folder: string;
  guard: Guard;
  dns: FakeDns;
  tools: ClusterTools;
  variables: Record<string, string>;
  removeAll: () => Promise<void>;
}

async function startAll({ folder, guard, dns, tools, variables, removeAll }: Parts): Promise<Cluster> {
  const log = (name: string) => join(folder, `${name}.log`);
  const ports = { postgres: 0, pooler: 0, api: 0, divider: 0, tls: 0, s3: 0, sink: 0 };
  for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await anyFreePort();
  const url = `https://localhost:${ports.tls}`;

  /** Starts a program again at the same port. */
  const listening = (name: string, port: number, command: string, flags: string[], env: NodeJS.ProcessEnv = {}) =>
    restartable(async () => {
      const options = { logFile: log(name), guard, cwd: folder, env: { PATH: process.env.PATH, ...env } };
      const child = await startChild(command, flags, options);
      await waitUntilReady(child, log(name), () => mustConnect(port), START_LIMIT_MS);
      return child;
    });

  const postgres = await restartable(() =>
    startPostgres({
      folder: join(folder, 'postgres'),
      port: ports.postgres,
      password: PASSWORD,
      database: 'switchboard',
      logFile: log('postgres'),
      guard,
    }),
  );
  const databaseUrl = (user: string, port: number) => `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/switchboard`;
  await createRoles(databaseUrl('postgres', ports.postgres), databaseUrl('owner', ports.postgres));

  const pooler = await listening(
    'pgbouncer',
    ports.pooler,
    tools.pgbouncer,
    poolerFlags(folder, ports.postgres, ports.pooler),
  );
  const [temporal, temporalAddress] = await startTemporalServer({
    folder,
    tools,
    postgresPort: ports.postgres,
    listening,
  });

  mkdirSync(join(folder, 's3'));
  const [sink, s3] = await Promise.all([
    startMailSink(folder, ports.sink, guard),
    listening('s3', ports.s3, process.execPath, [
      ...[tools.s3, '--directory', join(folder, 's3'), '--address', '127.0.0.1', '--port', String(ports.s3)],
      ...['--configure-bucket', 'files'],
    ]),
  ]);

  const given = {
    POSTGRES_PASSWORD: PASSWORD,
    POSTGRES_OWNER_PASSWORD: PASSWORD,
    TEMPORAL_POSTGRES_PASSWORD: PASSWORD,
    DATABASE_POOL_SIZE: '8', // one Postgres serves Temporal, too
    JWT_SECRET,
    SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    PUBLIC_URL: url,
    TRUSTED_PROXIES: '127.0.0.0/8',
    EGRESS_ALLOW: '127.0.0.0/8',
    EMBEDDING_MODEL: 'none',
    DNS_SERVERS: dns.address,
    SMTP_URL: sink.url,
    STORAGE_URL: `s3://files?region=us-east-1&endpoint=${encodeURIComponent(`http://127.0.0.1:${ports.s3}`)}`,
    AWS_ACCESS_KEY_ID: S3_KEY,
    AWS_SECRET_ACCESS_KEY: S3_KEY,
    RATE_LIMIT_STANDARD: '1000000',
    RATE_LIMIT_ADDRESS: '1000000',
    DRAIN_SECONDS: '0',
    STOP_GRACE_SECONDS: '10',
    ...variables,
  };
  const owner = { DATABASE_URL: databaseUrl('owner', ports.postgres) };
  const migration = { PATH: process.env.PATH, ...environmentOf('migrate', given), ...owner };
  await run(process.execPath, [join(ROOT, 'src/db/migrate.ts')], {
    cwd: ROOT,
    env: migration,
    timeout: START_LIMIT_MS,
  });

  const program = async (name: string, service: 'api' | 'worker' | 'crawler', host: string, queues?: string) => {
    const { flags, file, env } = programOf(service === 'api' ? 'api' : 'worker');
    const opsPort = String(await anyFreePort());
    const own = {
      ...{ PATH: process.env.PATH, WORKFLOW_BUNDLE: process.env.TEST_WORKFLOW_BUNDLE, ...env },
      ...environmentOf(service, given),
      ...{ DATABASE_URL: databaseUrl('switchboard', ports.pooler), TEMPORAL_ADDRESS: temporalAddress },
      ...{ HOST: host, PORT: String(ports.api), OPS_PORT: opsPort, WORKER_OPS_PORT: opsPort },
      ...(queues === undefined ? {} : { WORKER_QUEUES: queues }),
    };
    let starts = 0;
    return restartable(async () => {
      const child = await startChild(process.execPath, [...flags, file], {
        logFile: log(name),
        guard,
        cwd: ROOT,
        env: own,
      });
      // A program that is started again waits for its servers by itself.
      if (++starts === 1)
        await waitUntilReady(child, log(name), () => mustAnswer(`http://${host}:${opsPort}/readyz`), START_LIMIT_MS);
      return child;
    });
  };
  const apis = await Promise.all(API_ADDRESSES.map((host, n) => program(`api-${n + 1}`, 'api', host)));
  const workers = await Promise.all(
    QUEUES.map((queues, n) =>
      program(`worker-${n + 1}`, queues.includes('crawls') ? 'crawler' : 'worker', '127.0.0.1', queues),
    ),
  );

  dns.set(API_NAME, { addresses: API_ADDRESSES });
  const home = { HOME: folder, XDG_DATA_HOME: folder };
  const caddyOf = (config: string) => ['run', '--config', config, '--adapter', 'caddyfile'];
  const divider = await listening(
    'caddy',
    ports.divider,
    tools.caddy,
    caddyOf(writeDividingConfig(folder, dns.address)),
    {
      ...home,
      ...{ PROXY_PORT: String(ports.divider), API_HOST: API_NAME, API_PORT: String(ports.api) },
      PROXIES_IN_FRONT: '127.0.0.0/8',
    },
  );
  const tls = await listening(
    'caddy-tls',
    ports.tls,
    tools.caddy,
    caddyOf(writeTlsConfig(folder, ports.tls, ports.divider)),
    home,
  );
  const ca = readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8');
  const { db, close } = connect(databaseUrl('postgres', ports.postgres), { poolSize: 4, applicationName: 'cluster' });
  const tokens = createTokens([JWT_SECRET]);
  const orgs: FaultOrg[] = [];
  const killed = Object.fromEntries([
    ...apis.map((api, n) => [`api ${n + 1}`, api] as const),
    ...workers.map((worker, n) => [`worker ${n + 1}`, worker] as const),
    ['Temporal', temporal] as const,
    ['Postgres', postgres] as const,
    ['PgBouncer', pooler] as const,
  ]);

  return {
    programs: killed,
    db,
    objects: join(folder, 's3', 'files'),
    async newOrg() {
      const org = await makeOrg({ db, tokens, url, sink, ca });
      orgs.push(org);
      await verifySender(org, dns);
      return org;
    },
    async close() {
      for (const org of orgs) org.close();
      await close();
      const all = [tls, divider, ...apis, ...workers, sink, s3, temporal, pooler, postgres];
      for (const each of all) await each.kill();
      await removeAll();
    },
  };
}

/** Publishes the DNS record of the org's sending domain, and lets the product verify it. */
async function verifySender(org: FaultOrg, dns: FakeDns): Promise<void> {
  const { body } = await org.call('PUT', '/email/domains', { domainName: SENDER_DOMAIN });
  const [{ name, value }] = body.domainRecords;
  dns.set(name, [value]);
  const checked = await org.call('PATCH', `/email/domains/${SENDER_DOMAIN}`);
  if (checked.body.domainStatus !== 'verified')
    throw new Error(`The domain is not verified: ${JSON.stringify(checked)}`);
}

/** The users of docker-compose.yml: the owner, the programs' by deploy/postgres-role.sql, and Temporal's. */
async function createRoles(adminUrl: string, ownerUrl: string): Promise<void> {
  await execute(
    adminUrl,
    `create role owner superuser login password '${PASSWORD}';
     create role temporal createdb login password '${PASSWORD}';
     alter database switchboard owner to owner`,
  );
  const role = readFileSync(join(ROOT, 'deploy/postgres-role.sql'), 'utf8');
  await execute(ownerUrl, role.replace(`:'password'`, `'${PASSWORD}'`));
}

async function execute(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** PgBouncer in session mode, which is the one the product works with. */
function poolerFlags(folder: string, postgresPort: number, port: number): string[] {
  const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'pgbouncer-users.txt')];
  writeFileSync(users, `"switchboard" "${PASSWORD}"\n`);
  writeFileSync(
    file,
    `[databases]
switchboard = host=127.0.0.1 port=${postgresPort}
[pgbouncer]
pool_mode = session
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
default_pool_size = 100
`,
  );
  return [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file];
}

type Listening = (
  name: string,
  port: number,
  command: string,
  flags: string[],
  env?: NodeJS.ProcessEnv,
) => Promise<Program>;

/** Sets up Temporal by the scripts of deploy/, in the order of docker-compose.yml. */
async function startTemporalServer({
  folder,
  tools,
  postgresPort,
  listening,
}: {
  folder: string;
  tools: ClusterTools;
  postgresPort: number;
  listening: Listening;
}): Promise<[Program, string]> {
  const store = {
    ...environmentOf('temporal-schema', { TEMPORAL_POSTGRES_PASSWORD: PASSWORD }),
    POSTGRES_SEEDS: '127.0.0.1',
    DB_PORT: String(postgresPort),
  };
  const path = [tools.temporal, dirname(await findTemporalCli()), process.env.PATH].join(delimiter);
  const script = (name: string, env: Record<string, string>) =>
    run('/bin/sh', [join(ROOT, 'deploy', name)], {
      env: { PATH: path, HOME: folder, ...env },
      timeout: START_LIMIT_MS,
    });
  await script('temporal-schema.sh', { ...store, TEMPORAL_SCHEMA: join(tools.temporal, 'schema') });

  const ports: Record<string, string> = {};
  for (const name of TEMPORAL_PORTS) ports[name] = String(await anyFreePort());
  const port = Number(ports.FRONTEND_GRPC_PORT);
  const program = await listening('temporal', port, join(tools.temporal, 'temporal-server'), ['start'], {
    ...environmentOf('temporal', { TEMPORAL_POSTGRES_PASSWORD: PASSWORD }),
    ...store,
    ...ports,
    BIND_ON_IP: '127.0.0.1',
    TEMPORAL_BROADCAST_ADDRESS: '127.0.0.1',
    DYNAMIC_CONFIG_FILE_PATH: join(ROOT, 'deploy/temporal-settings.yaml'),
    // Temporal has up to four pools, and shares its Postgres here.
    SQL_MAX_CONNS: '10',
    SQL_VIS_MAX_CONNS: '5',
  });
  const address = `127.0.0.1:${port}`;
  await script('temporal-namespace.sh', {
    ...environmentOf('temporal-namespace', {}),
    TEMPORAL_ADDRESS: address,
  });
  return [program, address];
}

async function mustConnect(port: number): Promise<void> {
  if (!(await canConnect('127.0.0.1', port, 1_000))) throw new Error('it does not listen yet');
}

async function mustAnswer(url: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
}
