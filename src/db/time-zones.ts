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
    with known as materialized (select lower(name) as name from pg_timezone_names) -- each look at it reads 600 files
    select zone as time_zone, at,
      case when known.name is not null
        then (extract(epoch from (at at time zone zone) - (at at time zone 'UTC')) * 1000)::float8 end as offset_ms
    from unnest(${zones}::text[]) as zone left join known on known.name = lower(zone)
    cross join unnest(${instants}::timestamptz[]) as at
    order by zone, at
  `.execute(db);
  return rows;
}
