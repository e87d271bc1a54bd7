import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { REPORT } from '../db/connections/preparing-client.ts';
import { type DividedRange, firstDayOf, periodAt, periodsOf } from '../db/periods.ts';
import { onlyRow } from '../db/rows.ts';
import { isPeriod } from '../periods.rules.ts';

/** One report: what is counted, by what, and how. */
export interface Report {
  /** The range, and whether its periods are the keys. */
  scope: GroupedScope;
  /** Selects the rows to count, each with its `key`. That of a period is its number. */
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
export async function countFacts<Figures>(
  db: Db,
  { scope, facts, figures, nameOf }: Report,
): Promise<Reported<Figures>> {
  const { group_by, ...range } = scope;
  const key = isPeriod(group_by) ? firstDayOf(sql`facts.key`, group_by, range) : sql`facts.key`;
  const { rows } = await sql<Row<Figures>>`
    ${sql.raw(REPORT)} with facts as (${facts}),
    grouped as (
      select (${key})::text as key, grouping(facts.key) = 1 as is_total, ${figures}
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

/** What a report is grouped by, and its range. */
export interface GroupedScope extends DividedRange {
  group_by: string;
}

/** Returns the number of the period of a time. Undefined for other keys. */
export const periodOf = (
  { group_by, ...range }: GroupedScope,
  at: RawBuilder<unknown>,
): RawBuilder<unknown> | undefined => (isPeriod(group_by) ? periodAt(at, group_by, range) : undefined);

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
 * are looked up period by period: to compute the period of each row takes almost as long as to read it.
 */
export function sumsBy(
  { group_by, ...range }: GroupedScope,
  keys: Record<string, RawBuilder<unknown>>,
  counted: Counted,
): RawBuilder<unknown> {
  const columns = counted.by === undefined ? counted.sums : sql`${counted.by}, ${counted.sums}`;
  const more = counted.by === undefined ? sql`` : sql`, ${counted.by}`;
  const rowsOf = (first: RawBuilder<unknown>, next: RawBuilder<unknown>) =>
    sql`${counted.from} where ${counted.where} and ${counted.at} >= ${first} and ${counted.at} < ${next}`;
  if (!isPeriod(group_by))
    return sql`
      select ${keys[group_by] ?? sql`null::text`} as key, ${columns} from ${rowsOf(sql`${range.from}`, sql`${range.to}`)} group by 1 ${more}`;
  return sql`
    select periods.nth as key, counted.* from ${periodsOf(group_by, range)} cross join lateral (
      select ${columns} from ${rowsOf(sql`periods.first`, sql`periods.next`)} group by periods.nth ${more}
    ) as counted`;
}

/** The share of one figure in another. Null if there is nothing to divide by. */
export const share = (part: RawBuilder<unknown>, whole: RawBuilder<unknown>) =>
  sql`(${part})::float8 / nullif(${whole}, 0)`;

/** The median and the 90th percentile of a column of facts. */
export const percentiles = (column: string, name: string) => sql`
  percentile_cont(0.5) within group (order by ${sql.ref(column)}) as ${sql.ref(`${name}_p50_seconds`)},
  percentile_cont(0.9) within group (order by ${sql.ref(column)}) as ${sql.ref(`${name}_p90_seconds`)}`;

/** The number of facts for which a condition holds. */
export const countOf = (condition: RawBuilder<unknown>) => sql`count(*) filter (where ${condition})`;
