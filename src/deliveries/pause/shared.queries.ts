import { type RawBuilder, sql } from 'kysely';

/** SQL: when the last pause ended, or null. */
export const LAST_RESUME: RawBuilder<Date | null> = sql`(select resumed_at from sending_pause)`;
