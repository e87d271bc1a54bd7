import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** SQL: when the last pause ended, or null. */
export const LAST_RESUME: RawBuilder<Date | null> = sql`(select resumed_at from sending_pause)`;

/** SQL: whether the operator has paused all sending. */
export const IS_SENDING_PAUSED: RawBuilder<SqlBool> = sql`exists (select from sending_pause where resumed_at is null)`;
