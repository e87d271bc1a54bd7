import { formWith } from '../../media/samples.ts';
import { type Answer, startApi, type TestApi } from '../../support/stack/api.ts';
import { activate } from '../../support/triggers.ts';

/** Each of these texts took from 6 to 40 s while patterns read it before its length was checked. */
const MAX_MS = 4_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const simulation = (value: string) => ({
  trigger_type: 'manual-trigger',
  trigger_output: { value },
  workflow_blocks: [
    {
      $kind: 'Block',
      type: 'if-else',
      id: 'if',
      inputs: { condition: { operatorName: 'greater_than', left: '{{trigger.output.value}}', right: 1 } },
      // biome-ignore lint/suspicious/noThenProperty: the definitions' own word
      branches: { then: [] },
    },
  ],
});

async function submitForm(): Promise<Answer> {
  const fields = Array.from({ length: 40 }, (_, n) => ({ name: `f${n}`, label: `Field ${n}`, type: 'email' }));
  const { url } = await activate(api.org, { trigger_type: 'form-trigger', trigger_configuration: { fields } });
  const { pathname } = new URL(url);
  const begun = performance.now();
  const answer = await api
    .client()
    .post(pathname, Object.fromEntries(fields.map(({ name }) => [name, `a@${'.'.repeat(20_000)}`])));
  expect(performance.now() - begun).toBeLessThan(MAX_MS);
  return answer;
}

it.each<[string, () => Promise<Answer>, number]>([
  [
    'name of an uploaded file',
    () => api.org.post('/media', formWith(Buffer.from('text'), `a${' '.repeat(79_000)}.`)),
    201,
  ],
  ['number in a condition', () => api.org.post('/workflows/simulate', simulation(`${'1'.repeat(200_000)}!`)), 200],
  [
    'host of a mail server',
    () => api.org.put('/integrations/email', { provider: 'smtp', settings: { host: ':'.repeat(200_000) } }),
    400,
  ],
  [
    'website of an org',
    () => api.partner.post('/partner/v1/orgs', { name: 'Org', website: `a.${'b.'.repeat(50_000)} ` }),
    400,
  ],
])('a long %s holds up nobody', async (_, call, status) => {
  const begun = performance.now();
  const answer = await call();
  expect(performance.now() - begun).toBeLessThan(MAX_MS);
  expect([answer.status, answer.body.message]).toEqual([status, status < 400 ? undefined : expect.any(String)]);
});

it('long e-mail addresses in a public form hold up nobody', async () => {
  expect((await submitForm()).status).toBe(400);
});
