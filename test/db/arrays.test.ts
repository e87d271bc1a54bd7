import fc from 'fast-check';
import { sql } from 'kysely';
import { arrayLiteral, bigintArray, textArray } from '../../src/db/arrays.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const RUNS = { numRuns: 150 };
const ODD = [
  '',
  ' ',
  'NULL',
  'null',
  '{}',
  '{a,b}',
  '"',
  '\\',
  'a\\"b',
  ',',
  'ä',
  '漢字',
  '👍',
  "it's",
  '\n',
  '_',
  '1',
];
const text = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ unit: 'grapheme' }).map((any) => any.replaceAll('\0', '')),
);

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const given = async <T>(value: Buffer, type: string): Promise<T | undefined> => {
  const { rows } = await sql<{ value: T }>`select ${value}::${sql.raw(type)} as value`.execute(api.db);
  return rows[0]?.value;
};

it('texts of any content arrive unchanged in the database', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text), async (texts) => {
      expect(await given(textArray(texts), 'text[]')).toEqual(texts);
    }),
    RUNS,
  );
});

it('numbers up to the largest safe integer arrive unchanged in the database', async () => {
  const number = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER));
  await fc.assert(
    fc.asyncProperty(fc.array(number), async (numbers) => {
      expect(await given(bigintArray(Float64Array.from(numbers)), 'bigint[]')).toEqual(numbers.map(String));
    }),
    RUNS,
  );
});

it('arrays of different lengths arrive unchanged within one array', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(text), { minLength: 1 }), async (arrays) => {
      const { rows } = await sql<{ own: string[] }>`
        select own::text[] as own from unnest(${textArray(arrays.map(arrayLiteral))}::text[]) with ordinality as given (own, nth)
        order by nth
      `.execute(api.db);
      expect(rows.map(({ own }) => own)).toEqual(arrays);
    }),
    RUNS,
  );
});
