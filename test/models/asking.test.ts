import { setTimeout as sleep } from 'node:timers/promises';
import { askModel, findModels, type ModelQuestion } from '../../src/models/asking.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { type FakeModel, startFakeModel } from '../support/fakes/model.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

let api: TestApi;
let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
  api = await startApi({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await api.close();
  await model.close();
});
beforeEach(() => {
  model.asked.length = 0;
});

const PATIENCE_MS = 1_500;
const TERMS = { budgets: {}, prices: {} };
const QUESTION: ModelQuestion<string> = {
  sessionId: null,
  turnId: null,
  purpose: 'test',
  messages: [{ role: 'user', content: 'Hello' }],
  maxTokens: 100,
  read: ({ text }) => text,
};

/** Asks models of an org that gives them some time, and says how long it took. */
async function ask(models: string[], question: Partial<typeof QUESTION> = {}) {
  const org = await api.createOrg();
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  const deps = { ...api.deps, patienceMs: PATIENCE_MS };
  const chain = await findModels(deps, org.id, models);
  if (chain === undefined) throw new Error('No model is connected');
  const begun = performance.now();
  const { signal } = new AbortController();
  const result = await askModel(deps, org.id, chain, TERMS, { ...QUESTION, ...question }, signal);
  const tookMs = performance.now() - begun;
  return { org, result, tookMs, askedModels: model.asked.map((asked) => asked.model) };
}
const hanging = async () => {
  await sleep(10_000, undefined, { ref: false });
  return { text: 'too late' };
};

describe('asking models', () => {
  it('ends within its time where all of them hang, after each had a share of it', async () => {
    model.say(hanging);
    const { org, result, tookMs, askedModels } = await ask(['first', 'second', 'third']);
    expect(result).toMatchObject({
      kind: 'down',
      problem: 'timeout',
      tries: [
        { model: 'first', problem: 'timeout' },
        { model: 'second', problem: 'timeout' },
        { model: 'third', problem: 'timeout' },
      ],
    });
    expect(tookMs).toBeLessThan(PATIENCE_MS + 500);
    expect(askedModels).toEqual(['first', 'second', 'third']);
    const { body } = await org.get('/autopilot/usage');
    expect(body.items).toMatchObject([{ calls: 3, failed_calls: 3 }]);
  });

  it('ends within its time where one hangs among ten', async () => {
    model.say(hanging);
    const names = Array.from({ length: 10 }, (_, nth) => `model-${nth}`);
    const { result, tookMs } = await ask(names);
    expect(result).toMatchObject({ kind: 'down', problem: 'timeout' });
    expect(tookMs).toBeLessThan(PATIENCE_MS + 500);
    expect(result.tries[0]?.latency_ms).toBeGreaterThanOrEqual(PATIENCE_MS / 4 - 50);
  });

  it('has the answer of a model behind one that hangs', async () => {
    model.say((asked) => (asked.model === 'first' ? hanging() : { text: 'Hello too' }));
    const { result } = await ask(['first', 'second']);
    expect(result).toMatchObject({ kind: 'answered', value: 'Hello too', model: 'second' });
  });

  it('does not begin a second round that there is no time for', async () => {
    model.say(async () => {
      await sleep(PATIENCE_MS - 300);
      return { status: 503 };
    });
    const { result, tookMs, askedModels } = await ask(['first']);
    expect(result).toMatchObject({ kind: 'down', problem: 'unavailable' });
    expect(tookMs).toBeLessThan(PATIENCE_MS + 500);
    expect(askedModels).toEqual(['first']);
  });

  it('reads no text that cannot be stored', async () => {
    model.say(() => ({ text: 'a\0b\ud83d' }));
    const { result } = await ask(['first']);
    expect(result).toMatchObject({ kind: 'answered', value: 'ab\ufffd' });
  });
});

describe('an answer that cannot be used', () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const read = ({ text }: { text: string }) => (text === '{"name":"Ann"}' ? text : undefined);
  const llmOf = async (org: Awaited<ReturnType<typeof api.createOrg>>) =>
    eventually('the error of the connection', async () => {
      const { body } = await org.get('/integrations');
      return body.items.find(({ kind }: { kind: string }) => kind === 'llm').last_error ?? undefined;
    });

  it.each([
    ['I would rather not, said Ann', 'it is not JSON'],
    ['{"name":5,"secret":"of Ann"}', 'it does not fit the schema at output.name'],
    ['<think>Ann is the name', 'only thought aloud'],
  ])('is shown on the connection without its words: %s', async (text, problem) => {
    model.say(() => ({ text }));
    const { org, result } = await ask(['one'], { schema, read });
    expect(result).toMatchObject({ kind: 'down', problem: 'malformed' });
    const error = await llmOf(org);
    expect(error).toContain(problem);
    expect(error).not.toContain('Ann');
  });

  it('is asked for again at the usual temperature of the model, as one of 0 gives the same answer', async () => {
    model.say(({ temperature }) => ({ text: temperature === 0 ? '{"name":' : '{"name":"Ann"}' }));
    const { result } = await ask(['one'], { schema, read, temperature: 0 });
    expect(result).toMatchObject({ kind: 'answered', tries: [{ problem: 'malformed' }, { problem: null }] });
    expect(model.asked.map(({ temperature }) => temperature)).toEqual([0, undefined]);
  });

  it('is used once its thoughts are cut', async () => {
    model.say(() => ({ text: '<think>A name.</think>{"name":"Ann"}' }));
    expect((await ask(['one'], { schema, read })).result).toMatchObject({ kind: 'answered', value: '{"name":"Ann"}' });
  });
});
