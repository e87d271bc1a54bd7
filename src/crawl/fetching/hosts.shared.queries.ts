import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/**
 * Reserves the next slot of a host, shared by all its crawls, and returns the time until then. Returns null and
 * reserves nothing if the slot is further away than `maxWaitMs`.
 */
export async function reserveHostSlot(
  db: Db,
  host: string,
  { delayMs, maxWaitMs }: { delayMs: number; maxWaitMs: number },
): Promise<number | null> {
  const delay = sql`${Math.ceil(delayMs)}::integer * interval '1 millisecond'`;
  const { rows } = await sql<{ wait_ms: number }>`
    insert into crawl_hosts as known (host, next_at) values (${host}, now() + ${delay})
    on conflict (host) do update set next_at = greatest(known.next_at, now()) + ${delay}
      where known.next_at <= now() + ${maxWaitMs}::integer * interval '1 millisecond'
    returning (extract(epoch from next_at - now()) * 1000)::float8 - ${Math.ceil(delayMs)}::integer as wait_ms
  `.execute(db);
  const [turn] = rows;
  return turn === undefined ? null : Math.max(0, turn.wait_ms);
}

/** Defers all requests to the host by this time. */
export async function deferHost(db: Db, host: string, ms: number): Promise<void> {
  await sql`
    insert into crawl_hosts as known (host, next_at) values (${host}, now() + ${Math.ceil(ms)}::integer * interval '1 millisecond')
    on conflict (host) do update set next_at = greatest(known.next_at, excluded.next_at)
  `.execute(db);
}

/** Returns the time until the next request to a host is allowed. */
export async function findHostWaitMs(db: Db, host: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from next_at - now()) * 1000)::float8 as ms from crawl_hosts where host = ${host}
  `.execute(db);
  return Math.max(0, rows[0]?.ms ?? 0);
}

/** Returns a site's cached robots.txt and its age in milliseconds. */
export const findRobots = (db: Db, origin: string) =>
  db
    .selectFrom('crawl_robots')
    .select(['content', sql<number>`extract(epoch from now() - fetched_at)::float8 * 1000`.as('age_ms')])
    .where('origin', '=', origin)
    .executeTakeFirst();

export async function saveRobots(db: Db, origin: string, content: string): Promise<void> {
  const row = { content, fetched_at: sql<Date>`now()` };
  await db
    .insertInto('crawl_robots')
    .values({ origin, ...row })
    .onConflict((conflict) => conflict.column('origin').doUpdateSet(row))
    .execute();
}
