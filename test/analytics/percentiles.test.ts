import fc from 'fast-check';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { doublesOf, readDoubles } from '../../src/db/doubles.ts';
import { percentilesOf } from '../../src/db/percentiles.ts';
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

it('percentiles of each group and of all values are those of percentile_cont', async () => {
  const groups = fc.array(fc.array(Seconds, { maxLength: 60 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(groups, async (given) => {
      const { doubles, percentiles } = await asPostgres(api.db, given);
      expect(await percentilesOf(readDoubles(doubles), FRACTIONS)).toEqual(percentiles);
    }),
    { numRuns: 60 },
  );
});

const SIZE = 400_000;
const rising = Float64Array.from({ length: SIZE }, (_, nth) => nth);

it.each([
  ['rising', rising],
  ['falling', rising.toReversed()],
  ['scattered', rising.map((nth) => (nth * 7_919) % SIZE)],
])('percentiles of %s values are those of the sorted ones', async (_, given) => {
  const [, all] = await percentilesOf({ values: given.slice(), ends: [SIZE] }, [0.5, 0.9]);
  expect(all).toEqual([(SIZE - 1) / 2, 0.9 * (SIZE - 1)]);
});

it('the percentiles of equal values are this value, however many there are', async () => {
  const [, all] = await percentilesOf({ values: new Float64Array(SIZE).fill(3), ends: [SIZE] }, [0.5, 0.9]);
  expect(all).toEqual([3, 3]);
});

it('other work runs while the percentiles of many values are computed', async () => {
  let turns = 0;
  const others = setInterval(() => turns++, 1);
  await percentilesOf({ values: rising.map(() => Math.random()), ends: [SIZE] }, [0.1, 0.3, 0.5, 0.7, 0.9]);
  clearInterval(others);
  expect(turns).toBeGreaterThan(0);
});
