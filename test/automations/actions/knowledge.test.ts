import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { createActionRunner, type RunAction } from '../action-runner.ts';

let api: TestApi;
let perform: RunAction;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
  perform = createActionRunner(api);
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
  await org.post('/training', { title: 'Refunds', content: 'A refund takes five days.' });
  await org.post('/training', { title: 'Tone', content: 'Be brief.', type: 'BEHAVIORAL' });
});

const search = (input: object, of = org) => perform(of, 'search-knowledge', input);

it('search-knowledge returns the same as POST /training/search', async () => {
  const input = { query: 'How long does a refund take?', limit: 3, explain: true };
  const output = await search(input);
  expect(output).toEqual((await org.post('/training/search', input)).body);
  expect(output.results).toMatchObject([
    { title: 'Refunds', citation: { quote: { text: 'A refund takes five days.' } } },
  ]);
  expect(output.instructions).toMatchObject([{ title: 'Tone', content: 'Be brief.' }]);
});

it('search-knowledge respects the limit and finds only its own org’s knowledge', async () => {
  await org.post('/training', { title: 'More', content: 'Refund again.' });
  expect((await search({ query: 'refund' })).results).toHaveLength(2);
  expect((await search({ query: 'refund', limit: 1 })).results).toHaveLength(1);
  expect(await search({ query: 'refund' }, api.other)).toEqual({ results: [], instructions: [] });
});

it.each([{}, { query: 'x' }, { query: 'refund', limit: 51 }, { query: 'refund', page: 2 }])(
  'search-knowledge rejects the input %j',
  async (input) => {
    await expect(search(input)).rejects.toMatchObject({ name: 'ZodError' });
  },
);
