import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { firstDayOf } from '../db/periods.ts';
import { REPORT } from '../db/preparing-client.ts';
import { onlyRow } from '../db/rows.ts';

/** One report: what is counted, by what, and how. */
export interface Report {
  /** Selects the rows to count, each with its `key`. */
  facts: RawBuilder<unknown>;
  /** The aggregates over the facts, each with its name. */
  figures: RawBuilder<unknown>;
  /** Selects the name of what `grouped.key`, an id as text, stands for. */
  nameOf?: RawBuilder<unknown> | undefined;
}

export interface Reported<Figures> {
  items: (Figures & { key: string | null; name: string | null })[];
  totals: Figures;
}

type Row<Figures> = { key: string | null; name: string | null; is_total: boolean; figures: Figures };

/**
 * Counts facts by their key, and all of them, in one statement. A plan for any range would be one for few rows, without
 * parallel workers.
 */
export async function countFacts<Figures>(db: Db, { facts, figures, nameOf }: Report): Promise<Reported<Figures>> {
  const { rows } = await sql<Row<Figures>>`
    ${sql.raw(REPORT)} with facts as (${facts}),
    grouped as (
      select facts.key::text as key, grouping(facts.key) = 1 as is_total, ${figures}
      from facts group by grouping sets ((facts.key), ())
    )
    select key, is_total, to_jsonb(grouped) - 'key' - 'is_total' as figures, ${nameOf ?? sql`null`} as name
    from grouped order by is_total, key
  `.execute(db);
  const items = rows.filter(({ is_total }) => !is_total);
  return {
    items: items.map(({ key, name, figures }) => ({ ...figures, key, name })),
    totals: onlyRow({ rows: rows.filter(({ is_total }) => is_total) }).figures,
  };
}

const PERIODS = ['day', 'week', 'month'];

/** Returns the first day of the period of a time, by the wall clock of the zone. Undefined for other keys. */
export function periodOf(groupBy: string, at: RawBuilder<unknown>, timeZone: string): RawBuilder<unknown> | undefined {
  if (!PERIODS.includes(groupBy)) return undefined;
  return firstDayOf(groupBy, sql`${at} at time zone ${timeZone}::text`);
}

interface GroupedScope {
  group_by: string;
  from: Date;
  to: Date;
  timeZone: string;
}

/** Which rows are counted, at which of their times, and by what besides the key. */
export interface Counted {
  from: RawBuilder<unknown>;
  where: RawBuilder<unknown>;
  at: RawBuilder<unknown>;
  by?: RawBuilder<unknown>;
  sums: RawBuilder<unknown>;
}

/**
 * Selects sums of the rows of a range by one of some keys, or by the period of a time as periodOf has it. Rows of a period
 * are looked up day by day: to compute the day of each row takes twice as long as to read it.
 */
export function sumsBy(
  scope: GroupedScope,
  keys: Record<string, RawBuilder<unknown>>,
  counted: Counted,
): RawBuilder<unknown> {
  const { group_by, from, to, timeZone } = scope;
  const columns = counted.by === undefined ? counted.sums : sql`${counted.by}, ${counted.sums}`;
  const more = counted.by === undefined ? sql`` : sql`, ${counted.by}`;
  const rowsOf = (first: RawBuilder<unknown>, next: RawBuilder<unknown>) =>
    sql`${counted.from} where ${counted.where} and ${counted.at} >= ${first} and ${counted.at} < ${next}`;
  if (!PERIODS.includes(group_by))
    return sql`
      select ${keys[group_by] ?? sql`null::text`} as key, ${columns} from ${rowsOf(sql`${from}`, sql`${to}`)} group by 1 ${more}`;
  const dateOf = (time: Date) => sql`(${time}::timestamptz at time zone ${timeZone}::text)::date`;
  return sql`
    select ${firstDayOf(group_by, sql`day::timestamp`)} as key, counted.* from (
      select day::date as day, greatest(${from}::timestamptz, ${beginOf(sql`day`, timeZone)}) as first,
        least(${to}::timestamptz, ${beginOf(sql`day + interval '1 day'`, timeZone)}) as next
      from generate_series(${dateOf(from)}::timestamp, ${dateOf(to)}::timestamp, interval '1 day') as day
    ) as days cross join lateral (
      select ${columns} from ${rowsOf(sql`days.first`, sql`days.next`)} group by days.day ${more}
    ) as counted`;
}

/**
 * The time at which a day begins, given as its local midnight. Where clocks are set back to midnight an hour later, that
 * is the first of two.
 */
const beginOf = (day: RawBuilder<unknown>, timeZone: string): RawBuilder<unknown> => sql`(
  select case when (begin - interval '1 hour') at time zone ${timeZone}::text >= ${day} then begin - interval '1 hour' else begin end
  from (select (${day}) at time zone ${timeZone}::text as begin) as midnight)`;

/** The share of one figure in another. Null if there is nothing to divide by. */
export const share = (part: RawBuilder<unknown>, whole: RawBuilder<unknown>) =>
  sql`(${part})::float8 / nullif(${whole}, 0)`;

/** The median and the 90th percentile of a column of facts. */
export const percentiles = (column: string, name: string) => sql`
  percentile_cont(0.5) within group (order by ${sql.ref(column)}) as ${sql.ref(`${name}_p50_seconds`)},
  percentile_cont(0.9) within group (order by ${sql.ref(column)}) as ${sql.ref(`${name}_p90_seconds`)}`;

/** The number of facts for which a condition holds. */
export const countOf = (condition: RawBuilder<unknown>) => sql`count(*) filter (where ${condition})`;
