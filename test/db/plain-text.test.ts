import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { sql } from 'kysely';
import { startApi, type TestApi } from '../support/stack/api.ts';

const RUNS = { numRuns: 150 };
const SURROGATES = { first: 0xd800, last: 0xdfff };
const LAST_CODE_POINT = 0x1ffff;
const FUNCTIONS = new URL('../../src/db/baseline/functions/search.sql', import.meta.url);

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
  const [former] = /create function plain_text\(.*?\nend\n\$\$;/s.exec(readFileSync(FUNCTIONS, 'utf8')) ?? [];
  await sql.raw(former?.replace('plain_text', 'former_plain_text') ?? 'missing').execute(api.db);
});
afterAll(() => api.close());

const firstDifference = async (texts: string[]) => {
  const { rows } = await sql<{ given: string; former: string; plain: string }>`
    select given, former_plain_text(given) as former, plain_text(given) as plain from unnest(${texts}::text[]) as given
    where former_plain_text(given) <> plain_text(given)
  `.execute(api.db);
  return rows[0];
};

const isSurrogate = (code: number): boolean => code >= SURROGATES.first && code <= SURROGATES.last;

it('makes each character of a text as plain as the function that filled the indexes', async () => {
  const codes = Array.from({ length: LAST_CODE_POINT }, (_, nth) => nth + 1).filter((code) => !isSurrogate(code));
  const alone = codes.map((code) => `a${String.fromCodePoint(code)}B`);
  expect(await firstDifference(alone)).toBeUndefined();
});

it('makes texts as plain as the function that filled the indexes', async () => {
  const ascii = fc.string({ unit: 'binary-ascii' });
  const any = fc.oneof(ascii, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme-ascii', maxLength: 300 }));
  await fc.assert(
    fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 20 }), async (texts) => {
      expect(await firstDifference(texts.map((text) => text.replaceAll('\0', '')))).toBeUndefined();
    }),
    RUNS,
  );
});
