import { type Kysely, type LogEvent, sql } from 'kysely';
import { TooManyRequests } from '../errors.ts';
import { currentWriter } from '../processes/current-work.ts';
import type { Database } from './database.ts';

const FLUSH_INTERVAL_MS = 1_000;
/** Statements with fewer bytes in their parameters are not counted: rate limits bound them. */
const MIN_COUNTED = 1_000;
const WRITES = /\binsert\s+into\b|\bupdate\s+\S+\s+(as\s+\S+\s+)?set\b/i;
const DAY_MS = 86_400_000;
const DAYS_KEPT = 2;
const COUNTS_PER_CLEANUP = 1_000;

/** The writer's bytes of the day are used up. */
export class WriteQuotaUsed extends TooManyRequests {
  constructor(retryAfterSeconds: number) {
    super(
      'The bytes that an organization or address may write in a day are used up: until the next day (UTC), only reading and deleting work',
      retryAfterSeconds,
      { code: 'quota_used_up' },
    );
    this.name = 'WriteQuotaUsed';
  }
}

/** Counts the bytes written for each org, and for each anonymous address, per day (UTC). */
export interface WriteQuota {
  /** Counts bytes that the writer, by default that of the current work, stores outside of the database. */
  add(bytes: number, writer?: string): void;
  /** Counts the parameters of a statement that writes. */
  countStatement(event: LogEvent): void;
  /** Whether the writer's quota is used up. */
  isUsed(writer: string): boolean;
  /** Throws WriteQuotaUsed if the writer's quota is used up. */
  assertLeft(writer: string): void;
  /** Begins to save the counts, and to read those of other processes. Returns the function that saves the last ones. */
  start(db: Kysely<Database>): () => Promise<void>;
}

/**
 * Creates the counts of this process. They are added to those of the other processes every second. Only then are the
 * sums read, and only of writers that wrote here. A writer can exceed its quota by what it writes in a second in each
 * process.
 */
export function createWriteQuota(bytesPerDay: number): WriteQuota {
  let pending = new Map<string, number>();
  let saving = new Map<string, number>();
  let written = new Map<string, number>();
  let day = today();

  const add = (bytes: number, writer = currentWriter()) => {
    if (writer !== undefined) pending.set(writer, (pending.get(writer) ?? 0) + bytes);
  };
  const flush = async (db: Kysely<Database>) => {
    if (day !== today()) {
      day = today();
      written = new Map();
    }
    if (pending.size === 0) return;
    saving = pending;
    pending = new Map();
    try {
      for (const { writer, bytes } of await saveCounts(db, day, saving)) written.set(writer, bytes);
    } catch {
      for (const [writer, bytes] of saving) add(bytes, writer);
    }
    saving = new Map();
  };

  const isUsed = (writer: string) => {
    const bytes = [written, saving, pending].reduce((sum, counts) => sum + (counts.get(writer) ?? 0), 0);
    return bytes >= bytesPerDay && day === today();
  };

  return {
    add,
    isUsed,
    countStatement({ level, query }) {
      if (level !== 'query') return;
      if (currentWriter() === undefined) return;
      const bytes = bytesOf(query.parameters);
      if (bytes >= MIN_COUNTED && WRITES.test(query.sql)) add(bytes);
    },
    assertLeft(writer) {
      if (isUsed(writer)) throw new WriteQuotaUsed(Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1000));
    },
    start(db) {
      let flushing: Promise<void> = Promise.resolve();
      const timer = setInterval(() => {
        flushing = flushing.then(() => flush(db));
      }, FLUSH_INTERVAL_MS).unref();
      return async () => {
        clearInterval(timer);
        await flushing;
        await flush(db);
      };
    },
  };
}

const today = () => new Date().toISOString().slice(0, 10);

function bytesOf(parameters: readonly unknown[]): number {
  let bytes = 0;
  for (const parameter of parameters) {
    if (typeof parameter === 'string' || Buffer.isBuffer(parameter)) bytes += Buffer.byteLength(parameter);
    else if (Array.isArray(parameter)) bytes += bytesOf(parameter);
  }
  return bytes;
}

/** Adds the counts to those of the day, and returns the sums. */
async function saveCounts(
  db: Kysely<Database>,
  day: string,
  counts: ReadonlyMap<string, number>,
): Promise<{ writer: string; bytes: number }[]> {
  const { rows } = await sql<{ writer: string; bytes: number }>`
    insert into written_bytes as known (writer, day, bytes)
    select writer, ${day}::date, bytes
    from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::bigint[]) as new (writer, bytes)
    order by writer
    on conflict (writer, day) do update set bytes = known.bytes + excluded.bytes
    returning writer, bytes
  `.execute(db);
  return rows;
}

/** Deletes the counts of days long over. Returns how many. */
export async function deleteOldCounts(db: Kysely<Database>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from written_bytes
    where (writer, day) in (
      select writer, day from written_bytes
      where day < current_date - ${DAYS_KEPT}::integer
      order by day
      limit ${COUNTS_PER_CLEANUP}
    )
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
