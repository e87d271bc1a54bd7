import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import {
  addCall,
  type CallResult,
  type CallSummary,
  resultOfResponse,
  resultOfSend,
} from '../../../src/orgs/integrations/calls.rules.ts';
import { callStep, connectTwilio, FAKES_ALLOWED, newNumber, send } from '../../support/channels.ts';
import { startFakeEmbeddings } from '../../support/fakes/embeddings.ts';
import { startFaultyServer } from '../../support/fakes/faulty-server.ts';
import { refusesWith, startFakeTwilio } from '../../support/fakes/twilio.ts';
import { smsStep } from '../../support/sequences.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

describe('what a response says about a connection', () => {
  it.each<[kind: Parameters<typeof resultOfResponse>[0], method: string, status: number, isSuccess?: boolean]>([
    ['crm', 'GET', 200, true],
    ['crm', 'POST', 302, true],
    ['crm', 'GET', 404],
    ['crm', 'GET', 400],
    ['crm', 'POST', 409],
    ['crm', 'POST', 400, false],
    ['crm', 'GET', 401, false],
    ['crm', 'GET', 429, false],
    ['crm', 'GET', 503, false],
    ['llm', 'POST', 404, false],
  ])('the response of %s to a %s with %i is success: %s', (kind, method, status, isSuccess) => {
    expect(resultOfResponse(kind, method, { status, body: '' })?.isSuccess).toBe(isSuccess);
  });

  it('quotes the provider for a refusal, not for a passing failure', () => {
    const body = JSON.stringify({ error: { message: 'no such model' } });
    const errorOf = (status: number) => resultOfResponse('llm', 'POST', { status, body });
    expect(errorOf(400)).toEqual({ isSuccess: false, error: 'The AI provider answered 400: no such model' });
    expect(errorOf(500)).toEqual({ isSuccess: false, error: 'The AI provider answered 500' });
  });

  it('is that a refused recipient got through, and a refused sender did not', () => {
    expect(resultOfSend({ kind: 'rejected', because: 'permanent', reason: 'no such number' }).isSuccess).toBe(true);
    expect(resultOfSend({ kind: 'rejected', because: 'config', reason: 'wrong key' }).isSuccess).toBe(false);
  });
});

describe('a summary of calls', () => {
  it('is failing since the first failure after the last success', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), (successes) => {
        const results = successes.map(
          (isSuccess): CallResult => (isSuccess ? { isSuccess } : { isSuccess, error: 'x' }),
        );
        const summary = results.reduce<CallSummary | undefined>(
          (sum, result, at) => addCall(sum, result, at),
          undefined,
        );
        const lastSuccess = successes.lastIndexOf(true);
        expect(summary).toMatchObject({
          succeededAt: lastSuccess === -1 ? null : lastSuccess,
          failingSince: successes.at(-1) === true ? null : lastSuccess + 1,
        });
      }),
    );
  });
});

describe('an integration shows how its calls end', () => {
  let stack: Stack;
  let org: TestOrg;
  beforeAll(async () => {
    stack = await startStack({ env: FAKES_ALLOWED });
  });
  afterAll(() => stack.close());
  beforeEach(async () => {
    org = await stack.createOrg();
  });

  const shown = async (kind: string) => (await org.get(`/integrations/${kind}`)).body;
  const failing = (kind: string) =>
    eventually(`${kind} failing`, async () => {
      const item = await shown(kind);
      return item.failing_since !== null && item;
    });
  const put = async (kind: string, provider: string, settings: object) =>
    expect((await org.put(`/integrations/${kind}`, { provider, settings })).status).toBe(200);
  const handOff = async (target: string) => {
    await org.patch('/org/settings', { handoff_target: target });
    const { id } = (await org.post('/chat/sessions', {})).body;
    await org.post(`/chat/sessions/${id}/handoff`, {});
  };
  const SECRET = 'sk-very-secret-0815';
  const RSA_KEY = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
  const EMAIL = {
    from_email: 'hello@acme.example',
    recipients: [{ to_email: 'ann@example.com' }],
    fallback_email_subject: 'Hi',
    fallback_email_body: 'Hi',
  };

  it.each<[kind: string, provider: string, settings: object, use: () => Promise<unknown>]>([
    [
      'sms',
      'twilio',
      { account_sid: 'AC1', auth_token: SECRET, from: '+15005550006' },
      () => send(org, newNumber(), smsStep('Hi')),
    ],
    [
      'whatsapp',
      'meta',
      { access_token: SECRET },
      () =>
        org.post('/whatsapp/send-template', {
          template_id: '1',
          phone_number_id: '2',
          variables: [],
          contact: { phone_number: newNumber() },
        }),
    ],
    [
      'voice',
      'vapi',
      { api_key: SECRET, phone_number_id: 'pn_1' },
      async () => {
        const agent = await org.post('/phone', { name: 'Calls', type: 'outbound' });
        await send(org, newNumber(), callStep(agent.body.id));
      },
    ],
    ['crm', 'hubspot', { access_token: SECRET }, () => handOff('crm')],
    [
      'crm',
      'hubspot',
      { oauth: { client_id: 'id', client_secret: 'other', refresh_token: SECRET } },
      () => handOff('crm'),
    ],
    [
      'miaw',
      'salesforce',
      { org_id: '00D', es_developer_name: 'Web', auth_key_id: 'key', private_key: RSA_KEY },
      () => handOff('miaw'),
    ],
    [
      'llm',
      'openai-compatible',
      { api_key: SECRET, model: 'chat', embedding_model: 'small' },
      () => org.post('/training', { title: 'Cats', content: 'A kitten eats four times a day.' }),
    ],
  ])(
    'an integration of kind %s at %s shows since when its calls fail and why, without secrets',
    async (kind, provider, settings, use) => {
      const server = await startFaultyServer(
        ({ headers, body }) => ({ status: 403, body: { message: `${headers.authorization ?? body} is not allowed` } }),
        () => undefined,
      );
      try {
        await put(kind, provider, { base_url: server.url, ...settings });
        expect(await shown(kind)).toMatchObject({ connected: null, failing_since: null, last_error_at: null });
        await use();
        const item = await failing(kind);
        expect(item).toMatchObject({ connected: false, last_success_at: null, last_error_at: expect.any(String) });
        expect(item.last_error).not.toBe('');
        expect(item.last_error).not.toMatch(new RegExp(`${SECRET}|PRIVATE|[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]{8,}`));
        const { embedding: _, ...listed } = item;
        expect((await org.get('/integrations')).body.items).toEqual([listed]);
      } finally {
        await server.close();
      }
    },
  );

  it('an integration shows since when its mail server fails, and a change of its settings clears this', async () => {
    await put('email', 'smtp', { host: '127.0.0.1', port: 1 });
    await org.post('/email', EMAIL);
    expect(await failing('email')).toMatchObject({
      connected: false,
      last_error: '127.0.0.1:1 could not be reached: nothing answers there (ECONNREFUSED)',
    });
    const { hostname, port } = new URL(stack.sink.url);
    await put('email', 'smtp', { host: hostname, port: Number(port) });
    expect(await shown('email')).toMatchObject({ connected: null, failing_since: null, last_error: null });
    await org.post('/email', EMAIL);
    await eventually('a success', async () => (await shown('email')).connected === true);
  });

  it('a success after failures is shown, and the failures stay readable', async () => {
    const twilio = await startFakeTwilio();
    try {
      await connectTwilio(org, twilio);
      twilio.next(refusesWith(20003, 'Authenticate', 401));
      const sequenceId = await send(org, newNumber(), smsStep('Hi'));
      const { last_error_at } = await failing('sms');
      await org.put(`/sequences/${sequenceId}/resume`);
      await eventually('a success', async () => (await shown('sms')).connected);
      expect(await shown('sms')).toMatchObject({
        connected: true,
        failing_since: null,
        last_success_at: expect.any(String),
        last_error: expect.stringContaining('Authenticate'),
        last_error_at,
      });
    } finally {
      await twilio.close();
    }
  });

  it('many calls of the same outcome are one write, and a change of the outcome is written at once', async () => {
    const fake = await startFakeEmbeddings();
    try {
      await put('llm', 'openai-compatible', fake.settings);
      await org.post('/training', { title: 'Cats', content: 'A kitten eats four times a day.' });
      const first = await eventually('a success', async () => (await shown('llm')).last_success_at ?? undefined);
      const search = () => org.post('/training/search', { query: 'kitten food' });
      await search();
      await eventually('the record of this process', async () => {
        await search();
        return (await shown('llm')).last_success_at !== first;
      });
      const { last_success_at } = await shown('llm');
      const asked = fake.asked.length;
      const until = Date.now() + 3_000;
      while (Date.now() < until || fake.asked.length <= asked + 20) await search();
      expect((await shown('llm')).last_success_at).toBe(last_success_at);

      fake.next(503, 503, 503);
      await search();
      expect(await failing('llm')).toMatchObject({ connected: false, last_error: 'The AI provider answered 503' });

      const failedUntil = Date.now();
      await eventually('the end of the failure', async () => {
        await search();
        return (await shown('llm')).connected;
      });
      expect(Date.now() - failedUntil).toBeLessThan(10_000);
    } finally {
      await fake.close();
    }
  });
});
