import { FAKES_ALLOWED } from '../../support/channels.ts';
import { startFaultyServer } from '../../support/fakes/faulty-server.ts';
import { type FakeModel, quoting, startFakeModel } from '../../support/fakes/model.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { untilPasses } from '../../support/stack/stack.ts';
import { newAnsweringOrg, QUESTION } from '../answering-org.ts';

let api: TestApi;
let model: FakeModel;
let shop: Awaited<ReturnType<typeof startFaultyServer>>;
let requests: number;
beforeAll(async () => {
  model = await startFakeModel();
  shop = await startFaultyServer(
    () => {
      requests++;
      return { status: 200, body: {} };
    },
    () => undefined,
  );
  api = await startApi({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await api.close();
  await model.close();
  await shop.close();
});
beforeEach(() => {
  requests = 0;
  model.asked.length = 0;
});

const HELPFUL = 'You get the money back within five working days.';
const says = (text: string) => ({ sender: 'contact', text });

async function newOrg(draft: object = {}): Promise<TestOrg> {
  const org = await newAnsweringOrg(api);
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  expect(await org.patch('/autopilot/settings', draft)).toMatchObject({ status: 200 });
  return org;
}

const BOOK = {
  name: 'Book',
  operation_id: 'book',
  request_type: 'POST',
  payload: {
    requestBody: {
      content: {
        'application/json': {
          schema: { type: 'object', properties: { seats: { type: 'integer' } }, required: ['seats'] },
        },
      },
      required: true,
    },
  },
  enabled_on_channel: { channels: ['api'] },
};

/** An org whose model books once, and then says what the receipt says. */
async function newBookingOrg(action: object = {}, draft: object = {}): Promise<TestOrg> {
  const org = await newOrg(draft);
  await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true, ai_agent_version: 'v2' });
  const made = await org.post('/actions', { ...BOOK, api_endpoint: `${shop.url}/book`, ...action });
  expect(made.status).toBe(201);
  model.say(({ isPlan, data }) => {
    const receipt = data.receipts?.at(-1);
    if (isPlan && receipt === undefined) return { calls: [{ name: 'book', arguments: { body_params: { seats: 2 } } }] };
    if (isPlan) return { json: { language: 'en', queries: ['booking'] } };
    const parts = [{ text: 'I have booked it, number 4711.', receipt: receipt?.receipt }];
    return { json: { kind: 'answer', language: 'en', covers: 'fully', parts } };
  });
  return org;
}

const ask = (org: TestOrg, more: object = {}) =>
  org.post('/autopilot/preview', { messages: [says(QUESTION)], channel: 'api', ...more });

/** What a live turn would have left. */
async function effectsOf(org: TestOrg): Promise<number> {
  const tables = ['sessions', 'session_events', 'ai_turns', 'ai_steps', 'ai_calls', 'ai_claims', 'outbox'] as const;
  const counts = await Promise.all(
    tables.map((table) =>
      api.db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<string>().as('count'))
        .where('org_id', '=', org.id)
        .executeTakeFirstOrThrow(),
    ),
  );
  return counts.reduce((sum, { count }) => sum + Number(count), 0);
}

describe('a preview without a model', () => {
  it('answers by quotes with the search and the passages behind it, and stores nothing', async () => {
    const org = await newAnsweringOrg(api);
    const before = await effectsOf(org);
    const { status, body } = await ask(org);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      session_id: null,
      message_id: null,
      config_version: null,
      state: 'answered',
      agent: 'extractive-1',
      text: expect.stringContaining('> Refunds arrive within five working days'),
      citations: [{ title: 'Refunds' }],
      steps: [
        { purpose: 'gates' },
        {
          purpose: 'search',
          searches: [QUESTION],
          passages: expect.arrayContaining([
            { item_id: expect.any(String), chunk: 0, score: expect.any(Number), title: 'Refunds' },
          ]),
        },
      ],
      cost: 0,
    });
    expect(await effectsOf(org)).toBe(before);
  });

  it('goes by the draft, not by what is published', async () => {
    const org = await newAnsweringOrg(api);
    await org.patch('/autopilot/settings', { handoff_level: 0 });
    const unknown = { messages: [says('Do you rent out submarines with a crew of twelve?')] };
    expect((await ask(org, unknown)).body.state).not.toBe('handed_off');
    await org.patch('/autopilot/settings', { handoff_level: 1, phrases: { en: { handing_off: 'A human comes.' } } });
    const { body } = await ask(org, unknown);
    expect(body).toMatchObject({ state: 'handed_off', reason: 'missing_knowledge' });
    expect(body.text).toMatch(/A human comes\.$/);
  });

  it('counts the questions that the AI has asked in vain', async () => {
    const org = await newAnsweringOrg(api);
    await org.patch('/autopilot/settings', { handoff_level: 2 });
    const vain = [says('Do you rent out submarines?'), { sender: 'ai', text: 'What do you mean?', state: 'asked' }];
    const question = says('A boat below the water with a crew of twelve sailors');
    expect((await ask(org, { messages: [...vain, question] })).body.state).toBe('asked');
    const twice = [...vain, says('I mean a boat'), { sender: 'ai', text: 'Which boat?', state: 'asked' }, question];
    expect((await ask(org, { messages: twice })).body).toMatchObject({ state: 'handed_off', reason: 'not_helping' });
  });

  it('hands over to people for whoever asks for one, and does nothing for a blocked contact', async () => {
    const org = await newAnsweringOrg(api);
    const { body } = await ask(org, { messages: [says('I want to talk to a human')] });
    expect(body).toMatchObject({ state: 'handed_off', reason: 'user_request' });
    const contact = (await org.post('/contacts', { contact: { email: 'ann@example.com' } })).body.id;
    expect((await org.post('/blocklist/contacts', { email: 'ann@example.com' })).status).toBeLessThan(300);
    expect((await ask(org, { contact_id: contact })).body).toMatchObject({ state: 'skipped', reason: 'blocked' });
  });

  it.each<[string, object, number]>([
    ['no messages', { messages: [] }, 400],
    ['an end that is not the contact’s', { messages: [says('Hi'), { sender: 'ai', text: 'Yes?' }] }, 400],
    ['a text that is too long', { messages: [says('x'.repeat(10_001))] }, 400],
    ['a contact that does not exist', { contact_id: '01920000-0000-7000-8000-000000000001' }, 404],
    ['a status that is none', { stubs: [{ operation_id: 'book', status: 99 }] }, 400],
    ['a stub that is too large', { stubs: [{ operation_id: 'book', body: 'x'.repeat(64_001) }] }, 400],
  ])('refuses %s', async (_, wrong, status) => {
    expect((await ask(api.org, wrong)).status).toBe(status);
  });

  it('knows no contact of another org', async () => {
    const { body } = await api.other.post('/contacts', { contact: { email: 'bob@example.com' } });
    expect((await ask(api.org, { contact_id: body.id })).status).toBe(404);
  });
});

describe('a preview with a model', () => {
  it('shows tries, searches, passages, what was dropped, tokens and cost, and counts them as preview', async () => {
    const org = await newOrg({ prices: { helpful: { input: 2, output: 10 } } });
    model.say((asked) => {
      const { json } = quoting(asked, 'five working days', HELPFUL);
      return { json: { ...json, parts: [...json.parts, { text: 'You also get 50 euros.' }] } };
    });
    const before = await effectsOf(org);
    const { body } = await ask(org);
    expect(body).toMatchObject({
      state: 'answered',
      reason: 'partly',
      agent: 'helpful',
      text: expect.stringContaining(HELPFUL),
      steps: [
        { purpose: 'gates' },
        {
          purpose: 'answer',
          tries: [{ model: 'helpful', problem: null }],
          searches: [QUESTION],
          dropped: [{ text: 'You also get 50 euros.', because: 'no_support' }],
          usage: { output: 20 },
        },
      ],
      usage: { output: 20 },
    });
    expect(body.steps[1].passages[0]).toMatchObject({ title: 'Refunds', use: 'public', score: expect.any(Number) });
    expect(body.cost).toBeGreaterThan(0);
    expect((await org.get('/autopilot/usage?group_by=purpose')).body.items).toMatchObject([
      { group: 'preview', calls: 1, output: 20 },
    ]);
    expect(await effectsOf(org)).toBe(before);
  });

  it.each(['turn', 'session', 'day', 'month'])('asks no model beyond the budget of a %s', async (name) => {
    const org = await newOrg({ budgets: { [name]: { tokens: 100 } }, on_budget: 'handoff' });
    expect((await ask(org)).body).toMatchObject({ state: 'handed_off', reason: 'budget' });
    expect(model.asked).toEqual([]);
  });

  it('answers calls by stubs and makes none', async () => {
    const org = await newBookingOrg();
    const before = await effectsOf(org);
    const { body } = await ask(org, { stubs: [{ operation_id: 'book', body: { booking: 4711 } }] });
    expect(body).toMatchObject({ state: 'answered', text: 'I have booked it, number 4711.', unstubbed: [] });
    const call = body.steps.find(({ purpose }: { purpose: string }) => purpose === 'call');
    expect(call.calls).toMatchObject([
      { operation_id: 'book', state: 'done', arguments: { body_params: { seats: 2 } }, response: { booking: 4711 } },
    ]);
    expect([requests, await effectsOf(org)]).toEqual([0, before]);
  });

  it('says which call had no stub, and takes it as failed', async () => {
    const { body } = await ask(await newBookingOrg());
    expect(body).toMatchObject({ state: 'handed_off', reason: 'action_failed', unstubbed: ['book'] });
    expect(requests).toBe(0);
  });

  it('takes a lost outcome for unknown, as a live turn does', async () => {
    const { body } = await ask(await newBookingOrg(), { stubs: [{ operation_id: 'book', status: 502 }] });
    expect(body).toMatchObject({ state: 'handed_off', reason: 'action_outcome_unknown' });
  });

  it('tries what may be repeated again, with the next stub', async () => {
    const org = await newBookingOrg({ retry_safe: true });
    const stubs = [
      { operation_id: 'book', status: 502 },
      { operation_id: 'book', body: { booking: 4711 } },
    ];
    expect((await ask(org, { stubs })).body).toMatchObject({ state: 'answered' });
  });

  it('words the question of a call that needs a confirmation', async () => {
    const { body } = await ask(await newBookingOrg({ confirm: 'always' }));
    expect(body).toMatchObject({ state: 'asked', unstubbed: [] });
    expect(body.text).toMatch(/: Book\n- `seats`: `2`/);
  });

  it('does not call what only verified contacts may, unless the preview’s contact is verified', async () => {
    const org = await newBookingOrg({ requires_verified: true });
    const stubs = [{ operation_id: 'book', body: { booking: 4711 } }];
    expect((await ask(org, { stubs })).body).toMatchObject({ state: 'handed_off', reason: 'identity_required' });
    expect((await ask(org, { stubs, verified: true })).body).toMatchObject({ state: 'answered' });
  });

  it.each([
    ['max_calls', { max_calls: 1 }],
    ['max_steps', { max_steps: 2 }],
  ])('calls no more than %s allows', async (_, draft) => {
    const org = await newBookingOrg({}, draft);
    model.say(({ isPlan, data }) =>
      isPlan
        ? { calls: [{ name: 'book', arguments: { body_params: { seats: 3 + (data.receipts?.length ?? 0) } } }] }
        : { json: { kind: 'nothing', language: 'en', covers: 'fully', parts: [] } },
    );
    const { body } = await ask(org, { stubs: [{ operation_id: 'book', body: {} }] });
    expect(body.steps.filter(({ purpose }: { purpose: string }) => purpose === 'call')).toHaveLength(1);
  });

  it('asks models no longer once the client has hung up', async () => {
    const org = await newOrg({ models: ['one', 'two', 'three'] });
    let heard = () => {};
    const asked = new Promise<void>((resolve) => (heard = resolve));
    let answer = (_: { status: number }) => {};
    model.say(() => {
      heard();
      return new Promise((resolve) => (answer = resolve));
    });
    const hangUp = new AbortController();
    const request = fetch(`${api.url}/autopilot/preview`, {
      method: 'POST',
      headers: { authorization: `Bearer ${org.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [says(QUESTION)] }),
      signal: hangUp.signal,
    }).catch(() => undefined);
    await asked;
    hangUp.abort();
    await request;
    await untilPasses(async () => {
      const { body } = await org.get('/autopilot/usage?group_by=model');
      expect(body.items).toMatchObject([{ group: 'one', calls: 1, failed_calls: 1 }]);
    });
    answer({ status: 500 });
    expect(model.asked.map((one) => one.model)).toEqual(['one']);
  });
});
