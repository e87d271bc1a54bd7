import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import { type Kysely, sql } from 'kysely';
import { type Migration, type MigrationProvider, type MigrationResultSet, Migrator } from 'kysely/migration';
import { endOnUnhandledError, StartRefused } from '../logging/failing-start.ts';
import { createLogger } from '../logging/logger.ts';
import { readSettingFiles } from '../setting-files.ts';
import { connect, type Db } from './connect.ts';
import { refuseSharedConnections } from './connections/poolers.ts';
import { onceAvailable } from './connections/starting.ts';
import { isDeadlock, isLockTimeout } from './failures.ts';
import { assertPositionsContinue, continuePositions } from './positions.ts';

const folder = new URL('./migrations/', import.meta.url);

/** Returns the migrations. They wait this long for each table. */
async function readMigrations(lockTimeoutMs: number): Promise<Record<string, Migration>> {
  const migrations: Record<string, Migration> = {};
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort()) {
    const { up }: Migration = await import(new URL(file, folder).href);
    migrations[file.slice(0, -'.ts'.length)] = { up: (db) => limited(db, lockTimeoutMs, up) };
  }
  return migrations;
}

/**
 * A table of which somebody needs a lock may be used by nobody else meanwhile, and a migration holds its first table while
 * it waits for the next one. So at first it hardly waits, and tries often: between the transactions of the programs there
 * are moments in which nobody has its tables.
 */
const SHORT_LOCK_TIMEOUT_MS = 20;
const SHORT_MAX_PAUSE_MS = 50;
const SHORT_TRIES_MS = 20_000;
/** Later tries wait for longer. Requests give up after two seconds. */
const LOCK_TIMEOUT_MS = 300;
const MAX_PAUSE_MS = 2_000;
/**
 * After this, Postgres looks who has the table that a migration waits for: it ends an autovacuum, and the migration itself
 * if the holder waits for one of its tables in turn.
 */
const DEADLOCK_TIMEOUT_MS = 100;
/** Every fifth of these tries by an owner who may not set that, while a vacuum has a table: Postgres looks after a second by default. */
const LONG_LOCK_TIMEOUT_MS = 1_500;
const LONG_TRY = 5;
/** Of one migration. */
const MAX_WAIT_MS = 120_000;

/**
 * Runs a migration. An index of a large table may take any time, but a wait for a table ends soon: all others that use it
 * queue behind.
 */
async function limited(db: Kysely<unknown>, lockTimeoutMs: number, up: Migration['up']): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(db);
  await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(db);
  await sql`select set_config('deadlock_timeout', ${`${DEADLOCK_TIMEOUT_MS}ms`}, true) where ${MAY_LOOK_EARLY}`.execute(
    db,
  );
  await up(db);
}

/** SQL: whether this user may say when Postgres looks. Superusers may, and whom they have granted it. */
const MAY_LOOK_EARLY = sql<boolean>`has_parameter_privilege('deadlock_timeout', 'set')`;

/** Whether a vacuum has a table that is in the way, and only a long wait ends it. */
async function needsLongWait(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is_needed: boolean }>`
    select not ${MAY_LOOK_EARLY} and exists (
      select from pg_locks where locktype = 'relation' and mode = 'ShareUpdateExclusiveLock' and granted
        and database = (select oid from pg_database where datname = current_database())
    ) as is_needed
  `.execute(db);
  return rows[0]?.is_needed === true;
}

function migratorOf(db: Db, lockTimeoutMs: number): Migrator {
  const provider: MigrationProvider = { getMigrations: () => readMigrations(lockTimeoutMs) };
  return new Migrator({ db: db as unknown as Kysely<unknown>, provider });
}

/**
 * Migrates the schema to this version's state, and has the positions of a restored dump continued. Several processes may
 * call it at once: they queue on an advisory lock. Each migration is a transaction, which is repeated where the programs
 * at work had a table for too long, or waited for one another with it.
 */
export async function migrateToLatest(databaseUrl: string): Promise<void> {
  const { db, close } = connect(databaseUrl, { poolSize: 4, statementTimeoutMs: 0 });
  try {
    const { error, results } = await migrateUnderLoad(db);
    const failed = results?.find((result) => result.status === 'Error');
    if (error !== undefined) {
      throw new Error(`Migration ${failed?.migrationName ?? ''} failed`, { cause: error });
    }
    await continuePositions(db);
  } finally {
    await close();
  }
}

async function migrateUnderLoad(db: Db): Promise<MigrationResultSet> {
  for (;;) {
    const outcome = await migrateOnce(db);
    if (outcome.error !== undefined || outcome.results?.length === 0) return outcome;
  }
}

/** Runs the next migration, again where its tables are taken. */
async function migrateOnce(db: Db): Promise<MigrationResultSet> {
  const startedAt = performance.now();
  let patientTries = 0;
  for (;;) {
    const isShort = performance.now() - startedAt < SHORT_TRIES_MS;
    if (!isShort) patientTries++;
    const isLong = patientTries % LONG_TRY === LONG_TRY - 1 && (await needsLongWait(db));
    const lockTimeoutMs = isLong ? LONG_LOCK_TIMEOUT_MS : LOCK_TIMEOUT_MS;
    const outcome = await migratorOf(db, isShort ? SHORT_LOCK_TIMEOUT_MS : lockTimeoutMs).migrateUp();
    const { error } = outcome;
    if (error === undefined || !(isDeadlock(error) || isLockTimeout(error))) return outcome;
    if (performance.now() - startedAt > MAX_WAIT_MS) return outcome;
    await sleep(Math.random() * (isShort ? SHORT_MAX_PAUSE_MS : MAX_PAUSE_MS));
  }
}

/**
 * Throws unless the schema is exactly the one of this version, and new positions follow those that are stored. Waits while
 * the database is away.
 */
export async function assertSchemaKnown(db: Db, log: Pick<FastifyBaseLogger, 'warn'>): Promise<void> {
  const { pending, foreign } = await onceAvailable(() => readSchemaDifferences(db), log);
  if (pending.length > 0)
    throw new StartRefused(`The database lacks migrations (${pending.join(', ')}): run "npm run migrate" first`);
  if (foreign.length > 0)
    throw new StartRefused(`The database is newer than this version (${foreign.join(', ')}): run the newer one`);
  await onceAvailable(() => assertPositionsContinue(db), log);
}

/** Returns the migrations that the database lacks, and those that this version does not know. */
export async function readSchemaDifferences(db: Db): Promise<{ pending: string[]; foreign: string[] }> {
  const known = Object.keys(await readMigrations(LOCK_TIMEOUT_MS));
  const applied = await appliedMigrations(db);
  return {
    pending: known.filter((name) => !applied.includes(name)),
    foreign: applied.filter((name) => !known.includes(name)),
  };
}

async function appliedMigrations(db: Db): Promise<string[]> {
  const { rows: tables } = await sql`select 1 where to_regclass('kysely_migration') is not null`.execute(db);
  if (tables.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  endOnUnhandledError(createLogger({ name: 'migrate', level: 'info' }));
  const { env, problems } = readSettingFiles(process.env);
  if (problems.length > 0) throw new StartRefused(problems.join('; '));
  const url = env.DATABASE_URL;
  if (url === undefined) throw new StartRefused('DATABASE_URL is not set: set it to the database of the owner');
  await refuseSharedConnections(url);
  await migrateToLatest(url);
}
