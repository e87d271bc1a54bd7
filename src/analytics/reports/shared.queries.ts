import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { REPORT } from '../../db/connections/preparing-client.ts';
import { type DividedRange, divisionOf, firstDayOf, periodAt, periodsOf } from '../../db/periods.ts';
import { isPeriod } from '../../reports/periods.rules.ts';

/** One report: what is counted, by what, and how. */
export interface Report {
  /** The range, and whether its periods are the keys. */
  scope: GroupedScope;
  /** Selects sums by `key`, as sumsBy does. */
  facts: RawBuilder<unknown>;
  /** The aggregates over these sums, each with its name. */
  figures: RawBuilder<unknown>;
  /** Columns of facts made by doublesOf. The percentiles of their seconds are named after them. Each key must have one row. */
  times?: readonly string[];
  /** Selects the name of what `grouped.key`, an id as text, stands for. */
  nameOf?: RawBuilder<unknown> | undefined;
}

/** The figures of a key by their names, and its seconds for each of the times. */
export type GroupRow = { key: string | null; name: string | null; is_total: boolean } & Record<string, unknown>;

/** What countFacts has counted. */
export interface Groups {
  /** By key. The last one is the total. */
  rows: GroupRow[];
  times: readonly string[];
}

/**
 * Counts facts by their key, and all of them, in one statement. It is planned at each call: a generic plan
 * expects few rows and uses no parallel workers. The sums of the keys are few. Percentiles are left to figuresOf: Postgres would sort the times in one
 * process, once by key and once for all.
 */
export async function countFacts(db: Db, { scope, facts, figures, times = [], nameOf }: Report): Promise<Groups> {
  const { group_by, ...range } = scope;
  const key = isPeriod(group_by) ? firstDayOf(sql`facts.key`, group_by, range) : sql`facts.key`;
  const columns = [
    figures,
    ...times.map(
      (time) => sql`case when grouping(facts.key) = 0 then any_value(${sql.ref(time)}) end as ${sql.ref(time)}`,
    ),
  ];
  const { rows } = await sql<GroupRow>`
    ${sql.raw(REPORT)} with facts as (${facts}),
    grouped as (
      select (${key})::text as key, grouping(facts.key) = 1 as is_total, ${sql.join(columns)}
      from facts group by grouping sets ((facts.key), ())
    )
    select grouped.*, ${nameOf ?? sql`null`} as name from grouped order by is_total, key
  `.execute(db);
  return { rows, times };
}

/** The shortest range whose sums are worth a worker of their own. */
const MIN_LENGTH_MS = 90 * 86_400_000;

/** What a report is grouped by, and its range. */
export interface GroupedScope extends DividedRange {
  group_by: string;
}

/** Which rows are counted, by what besides the key, and what of them. */
export interface Counted {
  columns: RawBuilder<unknown>;
  from: RawBuilder<unknown>;
  where: RawBuilder<unknown>;
  /** The time in the range. Its period may be the key. */
  at: RawBuilder<unknown>;
  /** One of the columns. */
  by?: RawBuilder<unknown>;
  /** The aggregates over the columns, each with its name. */
  sums: RawBuilder<unknown>;
}

/**
 * Selects sums of the rows of a range by one of some keys, or by the number of the period of a time: if rows of one table
 * are only read. Periods are looked up one by one: to find the period of each row takes almost as long as to read it. For other keys it is parallelSums.
 */
export function sumsBy(
  scope: GroupedScope,
  keys: Record<string, RawBuilder<unknown>>,
  counted: Counted,
): RawBuilder<unknown> {
  const { group_by, ...range } = scope;
  if (!isPeriod(group_by)) return parallelSums(scope, keys, counted);
  const { columns, from, where, at, by, sums } = counted;
  const [more, moreGroups] = by === undefined ? [sql``, sql``] : [sql`${by}, `, sql`, ${by}`];
  return sql`
    select periods.nth as key, counted.* from ${periodsOf(group_by, range)} cross join lateral (
      select ${more} ${sums} from (
        select ${columns} from ${from} where ${where} and ${at} >= periods.first and ${at} < periods.next
      ) as counted group by periods.nth ${moreGroups}
    ) as counted`;
}

/**
 * Selects the same sums as sumsBy, by parallel workers: if rows are joined, or a column is computed. With `offset '0'`
 * Postgres expects few keys, and lets workers aggregate. Without it, it expects as many keys as rows, and aggregates in one
 * process.
 */
export function parallelSums(
  { group_by, ...range }: GroupedScope,
  keys: Record<string, RawBuilder<unknown>>,
  { columns, from, where, at, by, sums }: Counted,
): RawBuilder<unknown> {
  const [key, division] = isPeriod(group_by)
    ? [periodAt(at), sql`cross join ${divisionOf(group_by, range)}`]
    : [keys[group_by] ?? sql`null::text`, sql``];
  const groups = by === undefined ? sql`key` : sql`key, ${by}`;
  return sql`
    select ${groups}, ${sums} from (
      select ${columns}, ${key} as key from ${from} ${division}
      where ${where} and ${inRange(range, at)} offset bigint '0'
    ) as counted group by ${groups}`;
}

/**
 * Selects several sums of sumsBy, each computed by one process beside those of the others. For rows that are only read:
 * workers that share them map the same memory once each, which takes about as long as they save. Postgres plans it this way
 * only if the columns of all have the same types, and if all can run in workers: `offset '0'` separates these from others.
 * In a short range they are computed one after the other, as a worker takes longer to start than Postgres expects.
 */
export function beside({ from, to }: DividedRange, sums: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const all = sql.join(sums, sql` union all `);
  return to.getTime() - from.getTime() < MIN_LENGTH_MS ? all : sql`select * from (${all} offset bigint '0') as sums`;
}

/** Restricts a time to the range. */
export const inRange = ({ from, to }: DividedRange, at: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${at} >= ${from} and ${at} < ${to}`;

/** Columns with their names. */
export const named = (columns: Record<string, RawBuilder<unknown>>): RawBuilder<unknown> =>
  sql.join(Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.ref(name)}`));

/** The sums of columns, with their names. */
export const summed = (names: readonly string[]): RawBuilder<unknown> =>
  named(Object.fromEntries(names.map((name) => [name, sumOf(sql.ref(name))])));

/** The sum of some sums, or 0. */
export const sumOf = (sums: RawBuilder<unknown>): RawBuilder<unknown> => sql`coalesce(sum(${sums}), 0)::float8`;

/** The share of one figure in another. Null if there is nothing to divide by. */
export const share = (part: RawBuilder<unknown>, whole: RawBuilder<unknown>) =>
  sql`(${part})::float8 / nullif(${whole}, 0)`;

/** The number of rows for which a condition holds. */
export const countOf = (condition: RawBuilder<unknown>) => sql`count(*) filter (where ${condition})`;
