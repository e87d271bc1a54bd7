import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/connect.ts';
import { doublesOf, readDoubles } from '../../src/db/doubles.ts';
import { percentilesOf } from '../../src/percentiles.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const FRACTIONS = [0, 0.5, 0.9, 0.95, 1];
const Seconds = fc.option(
  fc.oneof(
    fc.nat({ max: 5 }),
    fc.integer({ max: 2 ** 40 }).map((ms) => ms / 1000),
  ),
);

/** Lets Postgres gather the values of each group, and compute their percentiles and those of all. */
async function asPostgres(db: Db, groups: (number | null)[][]) {
  const values = sql`(select (element->>0)::int as nth, (element->>1)::float8 as value
    from jsonb_array_elements(${JSON.stringify(groups.flatMap((group, nth) => group.map((value) => [nth, value])))}::jsonb) as element) as given`;
  const { rows } = await sql<{ nth: number; doubles: string | null }>`
    select nth, ${doublesOf(sql`value`)} as doubles from ${values} group by nth`.execute(db);
  const expected = await sql<{ nth: number | null; percentiles: number[] | null }>`
    select nth, percentile_cont(${FRACTIONS}::float8[]) within group (order by value) as percentiles
    from ${values} group by grouping sets ((nth), ())`.execute(db);
  const of = (nth: number | null) =>
    expected.rows.find((row) => row.nth === nth)?.percentiles ?? FRACTIONS.map(() => null);
  return {
    doubles: groups.map((_, nth) => rows.find((row) => row.nth === nth)?.doubles ?? null),
    percentiles: [...groups.map((_, nth) => of(nth)), of(null)],
  };
}

describe('percentiles of groups', () => {
  it('are those of Postgres, for each group and for all values', async () => {
    const groups = fc.array(fc.array(Seconds, { maxLength: 60 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(groups, async (given) => {
        const { doubles, percentiles } = await asPostgres(api.db, given);
        expect(await percentilesOf(readDoubles(doubles), FRACTIONS)).toEqual(percentiles);
      }),
      { numRuns: 60 },
    );
  });

  it('are the same in whatever order the values come, and let others run meanwhile', async () => {
    const size = 400_000;
    const rising = Float64Array.from({ length: size }, (_, nth) => nth);
    const orders = [
      rising,
      rising.toReversed(),
      rising.map((nth) => (nth * 7_919) % size),
      new Float64Array(size).fill(3),
    ];
    let longest = 0;
    let ranAt = performance.now();
    const others = setInterval(() => {
      longest = Math.max(longest, performance.now() - ranAt);
      ranAt = performance.now();
    }, 1);
    for (const [nth, values] of orders.entries()) {
      const [, all] = await percentilesOf({ values, ends: [size] }, [0.5, 0.9]);
      expect(all).toEqual(nth === 3 ? [3, 3] : [(size - 1) / 2, 0.9 * (size - 1)]);
    }
    clearInterval(others);
    expect(longest).toBeLessThan(500);
  });
});
