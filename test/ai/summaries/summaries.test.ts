import { setTimeout as sleep } from 'node:timers/promises';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { connectHubspot } from '../../support/crm.ts';
import { type FakeModel, startFakeModel } from '../../support/fakes/model.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

let stack: Stack;
let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel(undefined, ['summaries']);
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await model.close();
});
afterEach(() => {
  model.asked.length = 0;
});

const COMPLAINT = 'The lamp that I bought for 89 euros is broken, and nobody has called me back!';
const EXTRACTIVE = `Customer: ${COMPLAINT}\nAgent: We send a new lamp tomorrow.`;
const DIGEST = {
  sentences: [
    { text: 'The customer’s lamp for 89 euros is broken.', messages: [1] },
    { text: 'A new lamp is sent.', messages: [2] },
  ],
  sentiment: 'angry',
};
const SUMMARY = 'The customer’s lamp for 89 euros is broken.\nA new lamp is sent.';

async function newOrg(settings: object = {}): Promise<TestOrg> {
  const org = await stack.createOrg();
  const connected = { provider: 'openai-compatible', settings: model.settings };
  expect((await org.put('/integrations/llm', connected)).status).toBe(200);
  if (Object.keys(settings).length > 0) {
    expect(await org.patch('/autopilot/settings', settings)).toMatchObject({ status: 200 });
    expect(await org.post('/autopilot/settings/publish')).toMatchObject({ status: 200 });
  }
  return org;
}

async function newConversation(org: TestOrg): Promise<string> {
  const { id } = (await org.post('/chat/sessions', {})).body;
  const say = (sender: string, text: string) =>
    org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text } });
  await say('contact', COMPLAINT);
  await say('agent', 'We send a new lamp tomorrow.');
  return id;
}

const session = async (org: TestOrg, id: string) => (await org.get(`/chat/sessions/${id}`)).body;
const resolve = (org: TestOrg, id: string) =>
  org.patch(`/chat/sessions/${id}`, {
    status: 'closed_resolved',
    generate_summary_and_sentiment_on_resolve: true,
  });
const workflowOf = (id: string, occasion: string) => stack.temporal.workflow.getHandle(`summary/${id}/${occasion}`);

/** Waits until the model was asked for a summary, if it was to be asked at all. */
async function afterWorkflow(id: string, occasion = 'resolution') {
  await eventually('the end of the summary', async () => {
    const found = await workflowOf(id, occasion)
      .describe()
      .catch(() => undefined);
    return found?.status.name === 'COMPLETED';
  });
}

async function resolved(org: TestOrg) {
  const id = await newConversation(org);
  expect((await resolve(org, id)).status).toBe(200);
  await afterWorkflow(id);
  return { id, now: await session(org, id) };
}

describe('the summary of a resolved session by a model', () => {
  it('consists of sentences that name their messages, with the sentiment, and is in the usage', async () => {
    model.say(() => ({ json: DIGEST }));
    const org = await newOrg();
    const { id, now } = await resolved(org);
    expect(now).toMatchObject({ summary: SUMMARY, summary_by: 'helpful', sentiment: 'angry' });
    expect(model.asked).toHaveLength(1);
    expect(model.asked[0]?.data.messages).toEqual([
      { message: 1, from: 'contact', text: COMPLAINT },
      { message: 2, from: 'human_agent', text: 'We send a new lamp tomorrow.' },
    ]);
    expect((await org.get('/autopilot/usage?group_by=purpose')).body.items).toContainEqual(
      expect.objectContaining({ group: 'summary', calls: 1, failed_calls: 0, output: 20 }),
    );
    const found = async (sentiment: string) =>
      (await org.post('/chat/sessions/filter', { filters: { sentiment: [sentiment] } })).body.data.map(
        (one: { id: string }) => one.id,
      );
    expect([await found('angry'), await found('happy')]).toEqual([[id], []]);
    const history = JSON.stringify(await workflowOf(id, 'resolution').fetchHistory());
    const decoded = [...history.matchAll(/"data":"([^"]+)"/g)].map(([, data = '']) =>
      Buffer.from(data, 'base64').toString(),
    );
    expect(decoded.join('\n')).toContain(id);
    expect(decoded.join('\n')).not.toMatch(/lamp/);
  });

  it.each<[string, object]>([
    ['names no message', { text: 'The lamp is broken.', messages: [] }],
    ['names no message at all', { text: 'The lamp is broken.' }],
    ['names a message that does not exist', { text: 'The lamp is broken.', messages: [7, 0, -1, '1', 1.5] }],
    ['has a figure that is in none', { text: 'The lamp cost 98 euros.', messages: [1, 2] }],
    ['has a figure of another message', { text: 'A new lamp for 89 euros is sent.', messages: [2] }],
    ['has an address that is in none', { text: 'Write to boss@evil.example.', messages: [1] }],
    ['has a link', { text: 'See https://evil.example/lamp.', messages: [1] }],
    ['has markup', { text: '<b>The lamp</b> is broken.', messages: [1] }],
    ['is blank', { text: '  ', messages: [1] }],
    ['is endless', { text: 'lamp '.repeat(100), messages: [1] }],
  ])('leaves out a sentence that %s', async (_, sentence) => {
    model.say(() => ({ json: { ...DIGEST, sentences: [sentence, ...DIGEST.sentences.slice(1)] } }));
    const { now } = await resolved(await newOrg());
    expect(now).toMatchObject({ summary: 'A new lamp is sent.', summary_by: 'helpful' });
  });

  it.each<[string, Parameters<FakeModel['say']>[0]]>([
    ['fails', () => ({ status: 500 })],
    ['refuses', () => ({ status: 400, message: 'no' })],
    ['answers with no JSON', () => ({ text: 'The lamp is broken.' })],
    ['answers with another shape', () => ({ json: { summary: 'The lamp is broken.' } })],
    ['calls a function', () => ({ calls: [{ name: 'refund', arguments: {} }] })],
    ['says nothing', () => ({ json: { sentences: [], sentiment: null } })],
    ['lies throughout', () => ({ json: { sentences: [{ text: 'All 12 lamps are fine.', messages: [1] }] } })],
  ])('stays the one of the conversation’s own sentences where the model %s', async (_, script) => {
    model.say(script);
    const { now } = await resolved(await newOrg());
    expect(now).toMatchObject({ summary: EXTRACTIVE, summary_by: 'extractive-1', sentiment: null });
  });

  it('is not asked for beyond the budget, nor in the mode extractive', async () => {
    model.say(() => ({ json: DIGEST }));
    const { now } = await resolved(await newOrg({ budgets: { day: { tokens: 50 } } }));
    expect(now).toMatchObject({ summary: EXTRACTIVE, summary_by: 'extractive-1', sentiment: null });
    const org = await newOrg({ mode: 'extractive' });
    const id = await newConversation(org);
    await resolve(org, id);
    await sleep(500);
    expect(await session(org, id)).toMatchObject({ summary_by: 'extractive-1' });
    expect(model.asked).toEqual([]);
  });

  it('is asked for once, also where the activity runs again', async () => {
    model.say(() => ({ json: DIGEST }));
    const org = await newOrg();
    const { id } = await resolved(org);
    const options = { taskQueue: 'interactive', workflowId: `summary/${id}/resolution` };
    await stack.temporal.workflow.execute('summarizeSession', {
      ...options,
      args: [{ orgId: org.id, sessionId: id, occasion: 'resolution' }],
    });
    expect(model.asked).toHaveLength(1);
    await org.patch(`/chat/sessions/${id}`, { status: 'open' });
    await resolve(org, id);
    await eventually('the second summary', () => model.asked.length === 2);
  });

  it('does not come back after a redaction, which clears it and the sentiment', async () => {
    model.say(() => ({ json: DIGEST }));
    const org = await newOrg();
    const { id } = await resolved(org);
    await org.post('/redaction/session', { sessionId: id, reason: 'asked' });
    const cleared = { summary: null, summary_by: null, sentiment: null };
    expect(await session(org, id)).toMatchObject(cleared);

    let isAsked = () => {};
    const asked = new Promise<void>((done) => {
      isAsked = done;
    });
    let go = () => {};
    const gone = new Promise<void>((done) => {
      go = done;
    });
    model.say(async () => {
      isAsked();
      await gone;
      return { json: DIGEST };
    });
    const late = await newConversation(org);
    await resolve(org, late);
    await asked;
    expect(await session(org, late)).toMatchObject({ summary: EXTRACTIVE, summary_by: 'extractive-1' });
    await org.post('/redaction/session', { sessionId: late, reason: 'asked' });
    go();
    await afterWorkflow(late);
    expect(await session(org, late)).toMatchObject(cleared);
  });
});

describe('the summary of a handoff by a model', () => {
  it('is in the session, also without a ticketing system', async () => {
    model.say(() => ({ json: { ...DIGEST, sentiment: 'happy' } }));
    const org = await newOrg();
    const id = await newConversation(org);
    const { body } = await org.post(`/chat/sessions/${id}/handoff`, { reason: 'Asked for a human' });
    expect(body.handoff).toMatchObject({ summary: EXTRACTIVE, summary_by: 'extractive-1', sentiment: null });
    await afterWorkflow(id, 'handoff');
    expect(await session(org, id)).toMatchObject({
      sentiment: 'happy',
      handoff: { summary: SUMMARY, summary_by: 'helpful', sentiment: 'happy', reason: 'Asked for a human' },
    });
    const listed = async () => (await org.get('/handoff-analytics/events')).body.items;
    expect(await listed()).toMatchObject([{ summary: SUMMARY, sentiment: 'happy', explanation: 'Asked for a human' }]);
    await org.post('/redaction/session', { sessionId: id, reason: 'asked' });
    expect(await session(org, id)).toMatchObject({
      sentiment: null,
      handoff: { summary: null, summary_by: null, sentiment: null },
    });
    expect(await listed()).toMatchObject([{ summary: null, sentiment: 'unknown', explanation: null }]);
  });

  it.each<[string, Parameters<FakeModel['say']>[0], string, string]>([
    ['by the model', () => ({ json: DIGEST }), SUMMARY, 'helpful'],
    ['of the conversation where the model fails', () => ({ status: 503 }), EXTRACTIVE, 'extractive-1'],
  ])('is in the ticket: %s', async (_, script, summary, by) => {
    model.say(script);
    const org = await newOrg();
    await org.patch('/org/settings', { handoff_target: 'crm' });
    const crm = await connectHubspot(org);
    const id = await newConversation(org);
    await org.post(`/chat/sessions/${id}/handoff`, { reason: 'Asked for a human' });
    const now = await eventually('the handoff', async () => {
      const found = await session(org, id);
      return found.handoff.state === 'done' && found;
    });
    expect(now.handoff).toMatchObject({ summary, summary_by: by });
    expect(crm.hubspot.crm.tickets[0]?.properties.content).toContain(`Summary\n${summary}\n`);
    expect(now.sentiment).toBe(by === 'helpful' ? 'angry' : null);
    expect(new Set(model.asked.map(({ messages }) => messages[0]?.content.slice(0, 13)))).toEqual(
      new Set(['You summarize']),
    );
    if (by === 'helpful') expect(model.asked).toHaveLength(1);
    await crm.hubspot.close();
  });
});
