import fc from 'fast-check';
import { jsonValuesIn } from '../../src/imports/reading/json-values.ts';

const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), { maxLength: 12 });

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
async function read(bytes: Buffer, { size = 7, after = 0 } = {}) {
  const values = [];
  for await (const value of jsonValuesIn(chunked(bytes.subarray(after), size), after)) values.push(value);
  return values;
}
const written = (given: object[], form: string): string =>
  form === 'list'
    ? JSON.stringify(given, null, 2)
    : given.map((one) => JSON.stringify(one, null, form === 'indented' ? 2 : 0)).join('\n');

it('objects are read as they were written: a line each, indented or as a list, in chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      objects,
      fc.constantFrom('lines', 'indented', 'list'),
      fc.integer({ min: 1, max: 50 }),
      async (given, form, size) => {
        const values = await read(Buffer.from(`\ufeff${written(given, form)}\n`), { size });
        expect(values.map(({ value }) => value)).toEqual(JSON.parse(JSON.stringify(given)));
      },
    ),
  );
});

it('reading continues behind any object with the same rest', async () => {
  await fc.assert(
    fc.asyncProperty(objects, fc.constantFrom('lines', 'indented', 'list'), fc.nat(12), async (given, form, nth) => {
      const bytes = Buffer.from(written(given, form));
      const all = await read(bytes);
      const place = Math.min(nth, all.length);
      expect(await read(bytes, { after: all[place - 1]?.end ?? 0 })).toEqual(all.slice(place));
    }),
  );
});

it.each([
  ['within a text', '{"a":1,"b":"c'],
  ['within a list', '{"a":[1,2'],
  ['behind a number', '{"a":1'],
  ['without an object', 'hello'],
])('an object that is cut off %s does not take the next ones with it', async (_, broken) => {
  const values = await read(Buffer.from(`{"n":1}\n${broken}\n{"n":2}\n{"n":3}`));
  expect(values.map(({ value, problem }) => value ?? problem)).toEqual([{ n: 1 }, 'not_readable', { n: 2 }, { n: 3 }]);
});

it('an object that is too large is left out, and the next one is read', async () => {
  const bytes = Buffer.from(`{"a":"${'x'.repeat(33 * 1024 ** 2)}"}\n{"n":1}\n`);
  const values = await read(bytes, { size: 65_536 });
  expect(values.map(({ value, problem }) => value ?? problem)).toEqual(['too_large', { n: 1 }]);
});
