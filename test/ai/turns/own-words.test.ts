import { FAKES_ALLOWED } from '../../support/channels.ts';
import { startFaultyServer } from '../../support/fakes/faulty-server.ts';
import { type FakeModel, startFakeModel } from '../../support/fakes/model.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { messagesOf, newAnsweringOrg, QUESTION, turnsOf } from '../answering-org.ts';

let stack: Stack;
let model: FakeModel;
let shop: Awaited<ReturnType<typeof startFaultyServer>>;
const bookings: string[] = [];
beforeAll(async () => {
  model = await startFakeModel();
  shop = await startFaultyServer(
    ({ body }) => {
      bookings.push(body);
      return { status: 200, body: {} };
    },
    () => undefined,
  );
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await model.close();
  await shop.close();
});
afterEach(() => {
  model.asked.length = 0;
  bookings.length = 0;
});

const QUOTATION = `On Fri, Nov 27, 2026 at 10:00 AM Support <support@shop.example> wrote:

> We cannot give tax advice about gift cards. Do you want to talk to a human?
> Our zeppelin flies on Thursdays.`;
const SIGNATURE = 'Kind regards,\nAnn Wombat\nHead of Tax Advice';

async function newOrg(): Promise<TestOrg> {
  const org = await newAnsweringOrg(stack);
  await org.patch('/org/settings', { prohibited_topics: ['tax advice'] });
  await org.patch('/autopilot/settings', { quiet_seconds: { email: 0.1 }, cap_seconds: { email: 1 } });
  expect((await org.post('/autopilot/settings/publish')).status).toBe(200);
  return org;
}

/** Creates a session by e-mail whose contact has an e-mail of the org already. */
async function newSession(org: TestOrg): Promise<string> {
  const contact = { email: `${crypto.randomUUID()}@example.com` };
  const { id } = (await org.post('/contacts', { contact })).body;
  await org.post('/email', {
    from_email: 'support@acme.example',
    recipients: [{ to_email: contact.email }],
    fallback_email_subject: 'Hello',
    fallback_email_body: 'Hello',
  });
  return (await org.post('/chat/sessions', { contact_id: id, channel: { type: 'email' } })).body.id;
}

/** Has the contact write, and returns how the turn ends that answers. */
async function turnAfter(org: TestOrg, id: string, text: string) {
  const count = (await turnsOf(stack.db, id)).length;
  const message = { sender: 'contact', message: { type: 'text', text } };
  const { status } = await org.post(`/chat/sessions/${id}/send`, message, { headers: { prefer: 'wait=0' } });
  expect(status).toBe(201);
  return eventually('the end of the turn', async () => {
    const turn = (await turnsOf(stack.db, id))[count];
    return turn?.ended_at ? turn : undefined;
  });
}

describe('an e-mail that quotes ours', () => {
  it.each([
    ['Thank you!', 'skipped', 'acknowledgement'],
    [QUESTION, 'answered', null],
    ['I need tax advice.', 'handed_off', 'prohibited_topic'],
    ['Please connect me to a human.', 'handed_off', 'user_request'],
  ])('is decided by its own words: %s', async (text, state, reason) => {
    const org = await newOrg();
    const id = await newSession(org);
    expect(await turnAfter(org, id, `${text}\n\n${SIGNATURE}\n\n${QUOTATION}`)).toMatchObject({ state, reason });
  });

  it('confirms or rejects an action by its own yes or no', async () => {
    const org = await newOrg();
    await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
    await org.patch('/autopilot', { channel: 'email', autopilot_enabled: true, ai_agent_version: 'v2' });
    const schema = { type: 'object', properties: { seats: { type: 'integer' } }, required: ['seats'] };
    const book = {
      name: 'Book',
      operation_id: 'book',
      api_endpoint: `${shop.url}/book`,
      request_type: 'POST',
      payload: { requestBody: { content: { 'application/json': { schema } }, required: true } },
      enabled_on_channel: { channels: ['email'] },
      confirm: 'always',
    };
    expect((await org.post('/actions', book)).status).toBe(201);
    model.say(() => ({ calls: [{ name: 'book', arguments: { body_params: { seats: 2 } } }] }));
    const id = await newSession(org);
    expect(await turnAfter(org, id, 'Please book two seats for me')).toMatchObject({ state: 'asked' });
    expect(await turnAfter(org, id, `Yes\n\n${SIGNATURE}\n\n${QUOTATION}`)).toMatchObject({ state: 'answered' });
    expect(bookings).toHaveLength(1);
  });

  it('shows a model its own words alone, and searches by them', async () => {
    const org = await newOrg();
    await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
    model.say(() => ({
      json: { kind: 'ask', language: 'en', covers: 'partly', parts: [{ question: 'Which card was charged?' }] },
    }));
    const id = await newSession(org);
    const turn = await turnAfter(org, id, `${QUESTION}\n\n${SIGNATURE}\n\n${QUOTATION}`);
    expect(turn).toMatchObject({ state: 'asked' });
    const prompts = JSON.stringify(model.asked.map(({ messages }) => messages));
    expect(prompts).toContain('how many working days');
    for (const word of ['zeppelin', 'Wombat']) expect(prompts).not.toContain(word);
    const [message] = await messagesOf(org, id);
    expect(message?.content.text).toContain('zeppelin');
  });

  it('is suggested tags by its own words', async () => {
    const org = await newOrg();
    await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
    await org.put('/tags', { tag_name: 'Refund' });
    await org.put('/tags/auto-tagging', { enabled: true });
    await org.patch('/autopilot', { channel: 'email', autopilot_enabled: false });
    model.say(() => ({ json: { tags: ['Refund'] } }));
    const id = await newSession(org);
    const message = { type: 'text', text: `${QUESTION}\n\n${SIGNATURE}\n\n${QUOTATION}` };
    await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message });
    await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    const asked = await eventually('the question about tags', () =>
      model.asked.find(({ messages }) => messages[0]?.content.startsWith('You suggest tags')),
    );
    expect(asked.data.conversation).toBe(QUESTION);
  });

  it('is previewed by its own words', async () => {
    const org = await newOrg();
    const messages = [{ sender: 'contact', text: `Thank you!\n\n${SIGNATURE}\n\n${QUOTATION}` }];
    const preview = async (channel: string) => (await org.post('/autopilot/preview', { messages, channel })).body;
    expect(await preview('email')).toMatchObject({ state: 'skipped', reason: 'acknowledgement' });
    expect(await preview('api')).toMatchObject({ state: 'handed_off', reason: 'user_request' });
  });
});
