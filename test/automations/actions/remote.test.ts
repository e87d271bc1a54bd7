import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEgress } from '../../../src/providers/egress/egress.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { createActionRunner, type RunAction } from '../action-runner.ts';

let api: TestApi;
let perform: RunAction;
let fake: FakeProvider;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi({ env: FAKES_ALLOWED });
  perform = createActionRunner(api);
  fake = await startFakeProvider();
});
afterAll(async () => {
  await fake.close();
  await api.close();
});
beforeEach(async () => {
  fake.calls.length = 0;
  org = await api.createOrg();
});

describe('send-webhook', () => {
  const call = (input: object = {}, dedupeKey?: string) =>
    perform(org, 'send-webhook', { url: `${fake.url}/hook?a=1`, ...input }, dedupeKey);

  it('posts JSON with the dedupe key and returns the parsed response', async () => {
    fake.next({ status: 201, body: { id: 7 }, headers: { 'x-hook': 'yes' } });
    const headers = { 'X-Token': 'secret', Accept: 'text/html' };
    const output = await call({ headers, body: { text: 'ä', list: [1] } }, 'run/0');
    expect(output).toMatchObject({ status: 201, body: { id: 7 }, headers: { 'x-hook': 'yes' } });
    expect(fake.calls).toEqual([
      {
        method: 'POST',
        path: '/hook?a=1',
        body: '{"text":"ä","list":[1]}',
        headers: expect.objectContaining({
          'content-type': 'application/json',
          accept: 'text/html',
          'x-token': 'secret',
          'idempotency-key': 'run/0',
          'webhook-id': 'run/0',
        }),
      },
    ]);
  });

  it('sends the same dedupe key with every attempt', async () => {
    for (let n = 0; n < 2; n++) await call({}, 'run/0');
    expect(fake.calls.map(({ headers }) => headers['idempotency-key'])).toEqual(['run/0', 'run/0']);
  });

  it('overwrites idempotency headers set by the workflow', async () => {
    await call({ headers: { 'Idempotency-Key': 'mine', 'WEBHOOK-ID': 'mine' } }, 'run/0');
    expect(fake.calls[0]?.headers).toMatchObject({ 'idempotency-key': 'run/0', 'webhook-id': 'run/0' });
  });

  it('sends no body with GET', async () => {
    await call({ method: 'GET', body: { a: 1 } });
    expect(fake.calls).toMatchObject([{ method: 'GET', body: '' }]);
  });

  it.each([200, 204, 301, 400, 401, 404, 409, 422])('returns the status %i as output', async (status) => {
    fake.next({ status, body: status === 204 ? undefined : {} });
    expect(await call()).toMatchObject({ status });
  });

  it.each([
    [429, { 'retry-after': '7' }, 7_000],
    [500, {}, undefined],
    [503, { 'retry-after': '999999' }, 3_600_000],
  ])('treats the status %i as a transient error', async (status, headers, retryAfterMs) => {
    fake.next({ status, headers });
    await expect(call()).rejects.toMatchObject({ name: 'ProviderError', transient: true, retryAfterMs });
  });

  it('treats a timeout as a transient error', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const began = performance.now();
    await expect(call({ url, timeout_seconds: 0.3 })).rejects.toMatchObject({ transient: true });
    expect(performance.now() - began).toBeLessThan(5_000);
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
    await expect(call({ url })).rejects.toMatchObject({ transient: true });
  });

  it('fails permanently for addresses that are not public', async () => {
    const egress = createEgress({ allow: [] });
    const guarded = createActionRunner({ ...api, deps: { ...api.deps, egress } });
    for (const url of [fake.url, 'http://169.254.169.254/latest', 'http://[::1]/', 'http://localhost:1/'])
      await expect(guarded(org, 'send-webhook', { url })).rejects.toMatchObject({ transient: false });
    await egress.close();
    expect(fake.calls).toEqual([]);
  });

  it('stores at most 256 KB of a response body, as text if it is cut', async () => {
    fake.next({ status: 200, body: { text: 'ä'.repeat(200_000) } });
    const { body } = await call();
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(256 * 1024);
    expect(Buffer.byteLength(body)).toBeGreaterThan(256 * 1024 - 4);
    expect(body.endsWith('ä')).toBe(true);
  });

  it('stores a response body without the characters that Postgres rejects', async () => {
    fake.next({ status: 200, body: { text: 'a\0b\ud800' } });
    expect((await call()).body).toEqual({ text: 'ab\ufffd' });
  });

  it('stores a response body without the names that Postgres rejects, and loses none of its values', async () => {
    fake.next({ status: 200, body: { 'a\0b': 1, ab: 2, in: [{ '\ud800': 3 }] } });
    expect((await call()).body).toEqual({ 'ab (2)': 1, ab: 2, in: [{ '\ufffd': 3 }] });
  });

  it.each([
    { url: 'ftp://example.com' },
    { url: 'x' },
    { timeout_seconds: 61 },
    { timeout_seconds: 0 },
    { method: 'TRACE' },
    { headers: { 'X-A': 'a\r\nX-B: b' } },
    { headers: { 'a b': 'x' } },
    { headers: { Host: 'internal' } },
    { headers: { 'Content-Length': '1' } },
    { verb: 'GET' },
  ])('rejects the input %j before any request', async (input) => {
    await expect(call(input)).rejects.toMatchObject({ name: 'ZodError' });
    expect(fake.calls).toEqual([]);
  });
});

describe('ask-ai', () => {
  const says = (content: unknown, more: object = {}) => ({
    status: 200,
    body: { choices: [{ message: { content, ...more }, finish_reason: 'stop' }] },
  });
  const schema = { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] };
  const connect = async () => {
    const settings = { base_url: `${fake.url}/v1/`, api_key: 'sk-secret', model: 'small' };
    const put = await org.put('/integrations/llm', { provider: 'openai-compatible', settings });
    expect(put.status).toBe(200);
  };
  const ask = (input: object = {}) => perform(org, 'ask-ai', { prompt: 'How angry?', ...input });

  it('fails permanently without a connected AI, with instructions to connect one', async () => {
    await expect(ask()).rejects.toMatchObject({
      name: 'DomainError',
      kind: 'conflict',
      message: expect.stringMatching(/PUT \/integrations\/llm .*api_key.*model/),
    });
  });

  it('returns the text of the org’s own model', async () => {
    await connect();
    fake.next(says('Very'));
    expect(await ask()).toEqual({ text: 'Very' });
    const [{ path, headers, body }] = fake.calls as [(typeof fake.calls)[number]];
    expect([path, headers.authorization]).toEqual(['/v1/chat/completions', 'Bearer sk-secret']);
    expect(JSON.parse(body)).toEqual({
      model: 'small',
      messages: [{ role: 'user', content: 'How angry?' }],
      max_tokens: 8_000,
    });
  });

  it('passes on no thoughts of the model', async () => {
    await connect();
    fake.next(
      says('<think>The customer is angry.</think>Very'),
      says('A score.</think>Here it is:\n```json\n{"score": 0.9}\n```'),
    );
    expect(await ask()).toEqual({ text: 'Very' });
    expect(await ask({ output_schema: schema })).toEqual({ score: 0.9 });
  });

  it('returns an object if a schema is given', async () => {
    await connect();
    fake.next(says('{"score": 0.9}'));
    expect(await ask({ output_schema: schema })).toEqual({ score: 0.9 });
    expect(JSON.parse(fake.calls[0]?.body ?? '').response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'output', schema },
    });
  });

  it.each([
    ['text', {}, 'a\0b\ud800', { text: 'ab\ufffd' }],
    ['the names of an object', { output_schema: schema }, '{"score":1,"a\\u0000b":2}', { score: 1, ab: 2 }],
  ])('returns what Postgres can store: %s', async (_, input, answer, output) => {
    await connect();
    fake.next(says(answer));
    expect(await ask(input)).toEqual(output);
  });

  it.each([
    ['no JSON', says('I think 0.9')],
    ['no object', says('[1]')],
    ['no text', says(null)],
    ['no completion', { status: 200, body: {} }],
    ['too much asked', { status: 429, body: { error: { message: 'slow down' } } }],
    ['a failure', { status: 500 }],
  ])('treats a response as a transient error: %s', async (_, answer) => {
    await connect();
    fake.next(answer);
    await expect(ask({ output_schema: schema })).rejects.toMatchObject({ name: 'ProviderError', transient: true });
  });

  it('fails permanently after a refusal, without the API key in the error', async () => {
    await connect();
    fake.next(
      { status: 401, body: { error: { message: 'Incorrect API key: sk-secret' } } },
      says(null, { refusal: 'No' }),
    );
    await expect(ask()).rejects.toMatchObject({ transient: false, message: expect.not.stringContaining('sk-secret') });
    await expect(ask()).rejects.toMatchObject({ transient: false, message: 'The AI refused: No' });
  });
});
