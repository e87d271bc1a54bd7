import { sql } from 'kysely';
import type { Db } from './connect.ts';

export interface PostgresOffset {
  time_zone: string;
  at: Date;
  /** Ahead of UTC. Null: Postgres does not know the zone. */
  offset_ms: number | null;
}

/** Returns the offsets by Postgres's own time zone database. */
export async function listPostgresOffsets(db: Db, zones: string[], instants: Date[]): Promise<PostgresOffset[]> {
  const { rows } = await sql<PostgresOffset>`
    select zone as time_zone, at,
      case when exists (select from pg_timezone_names where lower(name) = lower(zone))
        then (extract(epoch from (at at time zone zone) - (at at time zone 'UTC')) * 1000)::float8 end as offset_ms
    from unnest(${zones}::text[]) as zone cross join unnest(${instants}::timestamptz[]) as at
    order by zone, at
  `.execute(db);
  return rows;
}
