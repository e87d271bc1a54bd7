import pg from 'pg';
import { StartRefused } from '../../logging/failing-start.ts';

const PROBES = 5;
const PROBE_TIMEOUT_MS = 2_000;
const STATEMENT_MODE = 'transaction blocks not allowed in statement pooling mode';

/**
 * Throws StartRefused if a pooler such as PgBouncer gives the connections of Postgres to single transactions or statements.
 * Prepared statements, settings and LISTEN need the same connection throughout a session.
 */
export async function refuseSharedConnections(url: string): Promise<void> {
  const first = await openClient(url);
  const others: pg.Client[] = [];
  try {
    const own = await backendOf(first);
    if (own === backendKeyOf(first)) return;
    if (await isTakenByAnother(url, own, others)) throw shared();
    if ((await backendOf(first)) !== own) throw shared();
  } finally {
    await Promise.all([first, ...others].map((client) => client.end().catch(() => undefined)));
  }
}

/** Whether a transaction of another session gets the connection of one that is idle. */
async function isTakenByAnother(url: string, own: number, others: pg.Client[]): Promise<boolean> {
  for (let n = 0; n < PROBES; n++) {
    try {
      const client = await openClient(url);
      others.push(client);
      await client.query('begin');
      if ((await backendOf(client)) === own) return true;
    } catch (error) {
      return error instanceof Error && error.message.includes(STATEMENT_MODE); // or the pooler has no more connections
    }
  }
  return false;
}

async function openClient(connectionString: string): Promise<pg.Client> {
  const timeouts = { connectionTimeoutMillis: PROBE_TIMEOUT_MS, query_timeout: PROBE_TIMEOUT_MS };
  const client = new pg.Client({ connectionString, ...timeouts });
  client.on('error', () => undefined); // its queries report it
  await client.connect();
  return client;
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

/** The process that the server has announced. A pooler invents one. */
const backendKeyOf = (client: pg.Client): unknown => 'processID' in client && client.processID;

const shared = () =>
  new StartRefused(
    'DATABASE_URL leads to a pooler in transaction or statement mode, which gives one session several connections of Postgres: prepared statements, time limits and LISTEN need the same one throughout. Set pool_mode = session for this database, or use the address of Postgres itself',
  );
