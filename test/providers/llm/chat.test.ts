import { createEgress, type Egress } from '../../../src/providers/egress/egress.ts';
import { type ChatRequest, completeChat } from '../../../src/providers/llm/chat.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';

let egress: Egress;
let fake: FakeProvider;
let models = 0;
beforeAll(async () => {
  egress = createEgress({ allow: ['127.0.0.0/8'] });
  fake = await startFakeProvider();
});
afterAll(async () => {
  await egress.close();
  await fake.close();
});
beforeEach(() => {
  fake.calls.length = 0;
  models++;
});

const SCHEMA = { type: 'object', properties: { a: { type: 'number' } } };
const ask = (request: Partial<ChatRequest> = {}) =>
  completeChat(
    egress,
    { base_url: `${fake.url}/v1`, api_key: 'sk-secret' },
    {
      model: `model-${models}`,
      messages: [{ role: 'user', content: 'Hello' }],
      maxTokens: 10,
      temperature: 0,
      timeoutMs: 5_000,
      ...request,
    },
  );
const bodies = () => fake.calls.map(({ body }) => JSON.parse(body));
const says = (message: object, more: object = {}) => ({
  status: 200,
  body: { id: 'req-1', model: 'm', choices: [{ message, finish_reason: 'stop' }], ...more },
});
const refusal = (message: string, code?: string) => ({ status: 400, body: { error: { message, code } } });

describe('a request to a model', () => {
  it('returns the text, the tokens and who answered', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 5 } };
    fake.next(says({ content: 'Hi' }, { usage }));
    expect(await ask()).toEqual({
      text: 'Hi',
      toolCalls: [],
      usage: { input: 7, output: 3, cached: 5, estimated: false },
      model: 'm',
      requestId: 'req-1',
    });
  });

  it.each<[string, object]>([
    ['before the answer', { content: '<think>A greeting.</think>Hi' }],
    ['in a field of its own', { content: 'Hi', reasoning_content: 'A greeting.', reasoning: 'A greeting.' }],
    [
      'in a part',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'A greeting.' }] },
          { type: 'text', text: 'Hi' },
        ],
      },
    ],
    [
      'in a part with a text',
      {
        content: [
          { type: 'reasoning', text: 'A greeting.' },
          { type: 'text', text: 'Hi' },
        ],
      },
    ],
  ])('returns no thoughts that come %s', async (_where, message) => {
    fake.next(says(message));
    expect((await ask()).text).toBe('Hi');
  });

  it('is malformed if the model only thought aloud', async () => {
    fake.next(says({ content: '<think>A greeting, but which' }));
    await expect(ask()).rejects.toMatchObject({
      problem: 'malformed',
      message: expect.stringContaining('thought aloud'),
    });
  });

  it.each<[string, unknown, object]>([
    ['text', '{"a":1}', { a: 1 }],
    ['an object', { a: 1 }, { a: 1 }],
    ['empty text', '', {}],
    ['nothing', undefined, {}],
  ])('takes calls whose arguments are %s, whatever the reason of finishing', async (_, given, expected) => {
    fake.next(says({ content: null, tool_calls: [{ function: { name: 'find', arguments: given } }] }));
    const { toolCalls, usage } = await ask({ tools: [{ name: 'find', description: '', parameters: {} }] });
    expect(toolCalls).toEqual([{ name: 'find', arguments: expected }]);
    expect(usage.estimated).toBe(true);
  });

  it('refuses an answer as a whole if one of its calls cannot be read', async () => {
    const calls = [{ function: { name: 'find', arguments: '{}' } }, { function: { name: 'find', arguments: '{"a":' } }];
    fake.next(says({ content: 'Hi', tool_calls: calls }));
    await expect(ask()).rejects.toMatchObject({ problem: 'malformed', transient: true });
  });

  it('asks a provider without json_schema for an object, and does so from then on', async () => {
    fake.next(refusal("'response_format' of type 'json_schema' is not supported"), says({ content: '{}' }));
    await ask({ schema: SCHEMA });
    fake.next(says({ content: '{}' }));
    await ask({ schema: SCHEMA });
    expect(bodies().map(({ response_format }) => response_format.type)).toEqual([
      'json_schema',
      'json_object',
      'json_object',
    ]);
    expect(bodies()[2].messages[0].content).toContain(JSON.stringify(SCHEMA));
  });

  it('says a limit and leaves out a temperature as the model wants it', async () => {
    fake.next(
      refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
      refusal("'temperature' does not support 0 with this model"),
      says({ content: 'Hi' }),
    );
    await ask();
    expect(
      bodies().map(({ max_tokens, max_completion_tokens, temperature }) => [
        max_tokens,
        max_completion_tokens,
        temperature,
      ]),
    ).toEqual([
      [10, undefined, 0],
      [undefined, 10, 0],
      [undefined, 10, undefined],
    ]);
  });

  it.each<[string, Parameters<FakeProvider['next']>[0], object]>([
    [
      'too many requests',
      { status: 429, headers: { 'retry-after': '2' } },
      { problem: 'rate_limited', transient: true, retryAfterMs: 2_000 },
    ],
    [
      'a spent quota',
      { status: 429, body: { error: { message: 'x', code: 'insufficient_quota' } } },
      { problem: 'quota', transient: false },
    ],
    [
      'a wrong key',
      { status: 401, body: { error: { message: 'bad key sk-secret' } } },
      { problem: 'auth', message: expect.not.stringContaining('sk-secret') },
    ],
    ['too long a prompt', refusal('too long', 'context_length_exceeded'), { problem: 'context_too_long' }],
    ['a filter', refusal('no', 'content_filter'), { problem: 'filtered' }],
    ['a failure', { status: 500 }, { problem: 'unavailable', transient: true }],
    ['an unknown model', { status: 404, body: { error: 'no such model' } }, { problem: 'invalid', transient: false }],
    ['a refusal of the model', says({ content: null, refusal: 'I will not' }), { problem: 'refused' }],
    [
      'a cut answer',
      { status: 200, body: { choices: [{ message: { content: 'Hi' }, finish_reason: 'length' }] } },
      { problem: 'malformed' },
    ],
    ['no choices', { status: 200, body: { choices: [] } }, { problem: 'malformed' }],
  ])('fails with a typed error: %s', async (_, answer, expected) => {
    fake.next(answer);
    await expect(ask()).rejects.toMatchObject(expected);
  });

  it('ends when its signal says so, and when its time is over', async () => {
    const slow = createEgress({ allow: ['127.0.0.0/8'], lookup: () => new Promise(() => {}) });
    const ended = (more: Partial<ChatRequest>) =>
      completeChat(
        slow,
        { base_url: 'http://never.example', api_key: 'k' },
        { model: 'm', messages: [], timeoutMs: 50, ...more },
      );
    await expect(ended({})).rejects.toMatchObject({ problem: 'timeout' });
    await expect(ended({ timeoutMs: 5_000, signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      transient: true,
    });
    await slow.close();
  });
});
