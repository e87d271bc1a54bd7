import { sql } from 'kysely';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/connect.ts';
import { allowedConnections, neededConnections, poolSizeFor } from '../../db/connections/pool-sizes.rules.ts';
import { refuseSharedConnections } from '../../db/connections/poolers.ts';
import { readConnectionLimits } from '../../db/connections/starting.ts';
import { readSchemaDifferences } from '../../db/migrate.ts';
import { onlyRow } from '../../db/rows.ts';
import { examine, type Finding, fault, type Judgement, ok, warning } from './findings.ts';

const TESTED_VERSION = 18;
const EXTENSIONS = ['unaccent', 'pg_trgm', 'btree_gin'];
const MAX_CLOCK_MS = 1_000;
const REACH = 'correct DATABASE_URL, or start Postgres';

/** Checks Postgres: that it can be reached, its version and schema, its connections, and its clock. */
export async function examineDatabase(db: Db, config: Config): Promise<Finding[]> {
  const reached = await examine('Postgres', REACH, () => judgeVersion(db));
  if (reached.state === 'fault') return [reached];
  return [
    reached,
    await examine('schema', REACH, () => judgeSchema(db)),
    await examine('extensions', REACH, () => judgeExtensions(db)),
    await examine('connections', REACH, () => judgeConnections(db, config)),
    await examine('pooler', 'see the deployment guide on PgBouncer', async () => {
      await refuseSharedConnections(config.DATABASE_URL);
      return ok('each session keeps its connection');
    }),
    await examine('clock', REACH, () => judgeClock(db)),
  ];
}

async function judgeVersion(db: Db): Promise<Judgement> {
  const { version } = onlyRow(
    await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db),
  );
  return Number.parseInt(version, 10) === TESTED_VERSION
    ? ok(version)
    : warning(version, `Postgres ${TESTED_VERSION} is what is tested`);
}

async function judgeSchema(db: Db): Promise<Judgement> {
  const { pending, foreign } = await readSchemaDifferences(db);
  if (pending.length > 0) return fault(`lacks ${pending.join(', ')}`, 'run "npm run migrate" as the owner');
  if (foreign.length > 0) return fault(`is newer: ${foreign.join(', ')}`, 'run the newer version of the programs');
  return ok('is the one of this version');
}

async function judgeExtensions(db: Db): Promise<Judgement> {
  const { rows } = await sql<{ name: string }>`select extname as name from pg_extension`.execute(db);
  const missing = EXTENSIONS.filter((name) => !rows.some((row) => row.name === name));
  return missing.length === 0
    ? ok(EXTENSIONS.join(', '))
    : fault(`${missing.join(', ')} missing`, `as the owner: create extension ${missing.join('; create extension ')}`);
}

async function judgeConnections(db: Db, { DATABASE_PROCESSES, DATABASE_POOL_SIZE }: Config): Promise<Judgement> {
  const limits = await readConnectionLimits(db);
  const allowed = allowedConnections(limits);
  const size = poolSizeFor(limits, DATABASE_PROCESSES, DATABASE_POOL_SIZE);
  const remedy = 'raise max_connections, or lower DATABASE_PROCESSES if fewer run';
  if (size === undefined) return fault(`${allowed} are too few for ${DATABASE_PROCESSES} processes`, remedy);
  const found = `${DATABASE_PROCESSES} processes with pools of ${size} need up to ${neededConnections(DATABASE_PROCESSES, size)} of ${allowed}`;
  return size < DATABASE_POOL_SIZE
    ? warning(`${found}; DATABASE_POOL_SIZE ${DATABASE_POOL_SIZE} does not fit`, remedy)
    : ok(found);
}

async function judgeClock(db: Db): Promise<Judgement> {
  const before = Date.now();
  const { now } = onlyRow(await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db));
  const after = Date.now();
  const differenceMs = now.getTime() < before ? before - now.getTime() : Math.max(0, now.getTime() - after);
  return differenceMs > MAX_CLOCK_MS
    ? fault(`${differenceMs} ms from that of Postgres`, 'synchronize the clocks of both machines by NTP')
    : ok(`within ${MAX_CLOCK_MS} ms of that of Postgres`);
}
