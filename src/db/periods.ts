import { type RawBuilder, sql } from 'kysely';

/** SQL: the first day of the `day`, `week` or `month` of a local time. */
export const firstDayOf = (period: string, local: RawBuilder<unknown>): RawBuilder<unknown> =>
  period === 'day' ? sql`(${local})::date` : sql`date_trunc(${period}::text, ${local})::date`;
