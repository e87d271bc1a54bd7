import { sql } from 'kysely';
import { dataAsStored } from '../../src/webhooks/sending/stored-data.rules.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

it.each([
  ['keys of different lengths', { zebra: 1, a: 2, bb: { yes: null, no: [] }, ab: 'x' }],
  ['numbers as keys', { b: 1, 10: 2, 9: 3, '01': 4 }],
  ['keys beyond ASCII', { ü: 1, uu: 2, z: 3, '😀': 4, '\uffff': 5, '\ue000a': 6, é: { ñ: 1, nn: 2 } }],
  ['keys of objects in arrays', { list: [{ second: 1, first: 2 }, [{ b: 1, a: 2 }], 'text'] }],
  [
    'names of properties that all objects have',
    JSON.parse('{"constructor": 1, "__proto__": {"b": 1, "a": 2}, "x": 3}'),
  ],
  ['empty keys, and numbers of any size', { '': 0, small: 1e-7, large: 1e21, negative: -0.5, whole: 5 }],
])('the body of a webhook is the same before and after its data was stored: %s', async (_, data) => {
  const json = JSON.stringify(data);
  const { rows } = await sql<{ data: object }>`select ${json}::jsonb as data`.execute(api.db);
  expect(JSON.stringify(dataAsStored(json))).toBe(JSON.stringify(rows[0]?.data));
});
