import { newId } from '../../src/ids.ts';
import { reserveCall, settleCall } from '../../src/models/budgets/service.ts';
import { messagesOf, newAnsweringOrg, QUESTION } from '../ai/answering-org.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { type FakeModel, quoting, startFakeModel } from '../support/fakes/model.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { activate, expectRunsAsDescribed } from '../support/triggers.ts';
import { unverified, type Widget } from '../widget/client.ts';

let stack: Stack;
let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await model.close();
});
afterEach(() => {
  model.asked.length = 0;
});

const HELPFUL = 'You get the money back within five working days.';

async function newOrg(settings: object = {}): Promise<TestOrg> {
  const org = await newAnsweringOrg(stack);
  const put = await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  expect(put.status).toBe(200);
  if (Object.keys(settings).length > 0) {
    expect(await org.patch('/autopilot/settings', settings)).toMatchObject({ status: 200 });
    expect(await org.post('/autopilot/settings/publish')).toMatchObject({ status: 200 });
  }
  return org;
}

/** Asks a question and returns the turn that dealt with it, as the API shows it. */
async function ask(org: TestOrg, question = QUESTION, widget?: Widget) {
  const visitor = widget ?? (await unverified(stack, org));
  const id = await visitor.newSession();
  await visitor.send(id, question);
  const turn = await eventually('an ended turn', async () => {
    const { body } = await org.get(`/chat/sessions/${id}/turns`);
    return body.items.find(({ ended_at }: { ended_at: string | null }) => ended_at !== null);
  });
  return { id, turn, said: (await messagesOf(org, id)).filter(({ sender }) => sender.type === 'ai') };
}

describe('a turn with a model', () => {
  it('says the model’s sentence with the page that its quote stands in', async () => {
    model.say((asked) => quoting(asked, 'five working days', HELPFUL));
    const { turn, said } = await ask(await newOrg());
    expect(turn).toMatchObject({
      state: 'answered',
      reason: null,
      agent: 'helpful',
      citations: [{ title: 'Refunds', quote: expect.stringMatching(/^Refunds arrive within five working days/) }],
      steps: [
        { purpose: 'gates' },
        { purpose: 'answer', model: 'helpful', usage: { output: 20, estimated: false }, dropped: [] },
      ],
      usage: { input: model.asked.length * 100 + (model.asked[0]?.messages.length ?? 0), output: 20 },
    });
    expect(said).toMatchObject([{ agent: 'helpful', citations: [{ title: 'Refunds' }] }]);
    expect(said[0]?.content.text).toMatch(/^You get the money back within five working days\.\n\n- \[Refunds\]\(http/);
  });

  it('tells the model the org’s profile, its training and the allowed fields, and no others', async () => {
    model.say((asked) => quoting(asked, 'five working days', HELPFUL));
    const org = await newOrg({ context_fields: ['custom_data.plan'] });
    await stack.db
      .updateTable('orgs')
      .set({ ai_instructions: 'Speak like a sailor.' })
      .where('id', '=', org.id)
      .execute();
    await org.post('/training', { title: 'Tone', content: 'Be brief.', type: 'BEHAVIORAL' });
    await org.post('/training', { title: 'Draft', content: 'Be long.', type: 'BEHAVIORAL', is_draft: true });
    await ask(org);
    const [{ messages, data }] = model.asked as [(typeof model.asked)[number]];
    expect(messages[0]?.content).toContain('Speak like a sailor.');
    expect(messages[0]?.content).toContain('Be brief.');
    expect(messages[0]?.content).not.toContain('Be long.');
    expect(data.context).toBeUndefined();
    expect(data.passages?.[0]).toMatchObject({ use: 'public', title: 'Refunds' });
  });

  it.each<[string, object, string]>([
    [
      'a quote that stands nowhere',
      { text: HELPFUL, support: [{ passage: 1, quote: 'Refunds are paid at once in gold' }] },
      'quote_not_found',
    ],
    [
      'a figure that its quote does not have',
      { text: 'It takes 12 days.', support: [{ passage: 1, quote: 'Refunds arrive within five working days' }] },
      'foreign_figure',
    ],
    [
      'another number as a word',
      { text: 'It takes ten days.', support: [{ passage: 1, quote: 'Refunds arrive within five working days' }] },
      'foreign_figure',
    ],
    [
      'a link to another site',
      {
        text: 'See https://evil.example/refund',
        support: [{ passage: 1, quote: 'Refunds arrive within five working days' }],
      },
      'foreign_link',
    ],
    [
      'what it has not done',
      {
        text: 'I have refunded your card.',
        support: [{ passage: 1, quote: 'Refunds arrive within five working days' }],
      },
      'deed_without_receipt',
    ],
    ['a receipt that does not exist', { text: 'Done.', receipt: '01920000-0000-7000-8000-000000000001' }, 'no_receipt'],
    [
      'HTML',
      { text: '<b>Five</b> days', support: [{ passage: 1, quote: 'Refunds arrive within five working days' }] },
      'markup',
    ],
    ['nothing it has read', { text: 'Refunds take a while.' }, 'no_support'],
  ])('does not say %s, but answers by quotes', async (_, part, because) => {
    model.say(() => ({ json: { kind: 'answer', language: 'en', covers: 'fully', parts: [part] } }));
    const { turn, said } = await ask(await newOrg());
    expect(turn).toMatchObject({ state: 'answered', agent: 'extractive-1' });
    const answers = turn.steps.filter(({ purpose }: { purpose: string }) => purpose === 'answer');
    expect(answers).toMatchObject([{ dropped: [{ because }] }, { dropped: [{ because }] }]);
    expect(model.asked).toHaveLength(2);
    expect(model.asked[1]?.messages.at(-1)?.content).toMatch(/could not be said/);
    expect(said[0]?.content.text).toContain('> Refunds arrive within five working days');
  });

  it('says what is left after a part was dropped, and that it is not the whole answer', async () => {
    model.say((asked) => {
      const { json } = quoting(asked, 'five working days', HELPFUL);
      return { json: { ...json, parts: [...json.parts, { text: 'You also get 50 euros.' }] } };
    });
    const { turn, said } = await ask(await newOrg());
    expect(turn).toMatchObject({ state: 'answered', reason: 'partly', agent: 'helpful' });
    expect(said[0]?.content.text).not.toContain('euros');
  });

  it('asks the next model of the chain where one fails, and no model that is not in it', async () => {
    model.say((asked) => (asked.model === 'first' ? { status: 500 } : quoting(asked, 'five working days', HELPFUL)));
    const { turn } = await ask(await newOrg({ models: ['first', 'second'] }));
    expect(turn).toMatchObject({
      agent: 'second',
      steps: [
        {},
        {
          tries: [
            { model: 'first', problem: 'unavailable' },
            { model: 'second', problem: null },
          ],
        },
      ],
    });
    expect([...new Set(model.asked.map((asked) => asked.model))]).toEqual(['first', 'second']);
  });

  it.each([
    ['extractive', { state: 'answered', agent: 'extractive-1' }],
    ['handoff', { state: 'handed_off', reason: 'provider_down' }],
  ])('ends as the org wants where no model answers: %s', async (on_provider_down, expected) => {
    model.say(() => ({ status: 503 }));
    const { turn } = await ask(await newOrg({ on_provider_down }));
    expect(turn).toMatchObject(expected);
  });

  it.each([
    ['extractive', { state: 'answered', agent: 'extractive-1' }],
    ['handoff', { state: 'handed_off', reason: 'budget' }],
  ])('asks no model beyond the budget: %s', async (on_budget, expected) => {
    const org = await newOrg({ budgets: { turn: { tokens: 100 } }, on_budget });
    const { turn } = await ask(org);
    expect(turn).toMatchObject(expected);
    expect(model.asked).toEqual([]);
  });

  it('says approved sentences only, in the mode canned', async () => {
    const org = await newOrg({ mode: 'canned', canned_answers: [{ name: 'refund', text: 'Please allow five days.' }] });
    model.say((asked) => ({
      json: {
        kind: 'answer',
        language: 'en',
        covers: 'fully',
        parts: [...quoting(asked, 'five', HELPFUL).json.parts, { phrase: 'refund' }],
      },
    }));
    const { turn, said } = await ask(org);
    expect(turn).toMatchObject({ state: 'answered', agent: 'helpful' });
    expect(said[0]?.content.text).toBe('Please allow five days.');
  });

  it('reports the tokens of all calls by day, model and purpose, as the provider counted them', async () => {
    const org = await newOrg({ prices: { helpful: { input: 2, output: 10 } } });
    model.say((asked) => quoting(asked, 'five working days', HELPFUL));
    const before = { ...model.usage };
    for (let nth = 0; nth < 3; nth++) await ask(org);
    const { body } = await org.get('/autopilot/usage?group_by=model');
    const input = model.usage.input - before.input;
    expect(body).toMatchObject({
      items: [{ group: 'helpful', calls: 3, failed_calls: 0, estimated_calls: 0, input, output: 60, cached: 0 }],
    });
    expect(body.items[0].cost).toBeCloseTo((input * 2 + 60 * 10) / 1_000_000, 9);
    expect(await org.get('/autopilot/usage?from=2026-02-30')).toMatchObject({ status: 400 });
  });

  it('lets 50 calls at once spend no more than a budget has left', async () => {
    const org = await stack.createOrg();
    const budgets = { day: { tokens: 1_000 } };
    const call = () => ({
      id: newId(),
      sessionId: null,
      turnId: null,
      purpose: 'test',
      model: 'm',
      tokens: 90,
      cost: 0,
    });
    const calls = Array.from({ length: 50 }, call);
    const refused = await Promise.all(calls.map((one) => reserveCall(stack.db, org.id, one, budgets)));
    const sent = calls.filter((_, nth) => refused[nth] === undefined);
    expect(sent).toHaveLength(11);
    expect(new Set(refused)).toEqual(new Set([undefined, 'day']));
    const end = {
      input: 50,
      output: 10,
      cached: 0,
      isEstimated: false,
      cost: 0,
      problem: null,
      requestId: null,
      latencyMs: 1,
    };
    for (const { id } of sent) for (let twice = 0; twice < 2; twice++) await settleCall(stack.db, org.id, id, end);
    expect((await org.get('/autopilot/usage')).body.items).toMatchObject([{ calls: 11, input: 550, output: 110 }]);
    expect(await reserveCall(stack.db, org.id, { ...call(), tokens: 341 }, budgets)).toBe('day');
    expect(await reserveCall(stack.db, org.id, { ...call(), tokens: 340 }, budgets)).toBeUndefined();
  });

  it('forgets what a model decided when the session is redacted, and keeps the tokens', async () => {
    model.say(() => ({
      json: { kind: 'answer', language: 'en', covers: 'fully', parts: [{ text: 'Ada lives in Paris.' }] },
    }));
    const org = await newOrg();
    const { id, turn } = await ask(org);
    expect(JSON.stringify(turn)).toContain('Ada lives in Paris.');
    expect(await org.post('/redaction/session', { sessionId: id, reason: 'asked' })).toMatchObject({ status: 200 });
    await eventually('the decisions to be gone', async () => {
      const { body } = await org.get(`/autopilot/turns/${turn.id}`);
      return !JSON.stringify(body).includes('Ada lives in Paris.') && body.usage.output === turn.usage.output;
    });
  });
});

describe('a prohibited topic that only a model sees', () => {
  const topics = ['Medical advice', 'stocks'];
  const message = 'We cannot talk about this.';

  it.each([
    ['where it answers', 'v1', { kind: 'handoff', language: 'en', parts: [] }],
    ['where it plans', 'v2', { language: 'en', queries: [] }],
  ])('ends in the org’s sentence, a handoff and an event with the topic, %s', async (_, version, said) => {
    model.say(({ data }) => {
      expect(data).toMatchObject({ prohibited_topics: topics });
      return { json: { ...said, handoff_reason: 'prohibited_topic', prohibited_topic: 'medical  ADVICE' } };
    });
    const org = await newOrg();
    await org.patch('/org/settings', { prohibited_topics: topics, prohibited_topic_message: message });
    await org.patch('/autopilot', { channel: 'web', autopilot_enabled: true, ai_agent_version: version });
    await org.post('/actions', {
      name: 'Look',
      api_endpoint: 'https://shop.example/look',
      request_type: 'GET',
      payload: {},
    });
    const { id: workflowId } = await activate(org, { trigger_type: 'prohibited-topic-detected' });
    const { turn, said: answers } = await ask(org, 'Which pills help against a cold?');
    expect(turn).toMatchObject({ state: 'handed_off', reason: 'prohibited_topic', agent: 'helpful' });
    expect(answers.map(({ content }) => content.text)).toEqual([message]);
    const [run] = await eventually('a run', async () => {
      const runs = await expectRunsAsDescribed(stack.db, workflowId);
      return runs.length > 0 ? runs : undefined;
    });
    expect(run?.trigger_output).toMatchObject({ topic: 'Medical advice' });
  });
});
