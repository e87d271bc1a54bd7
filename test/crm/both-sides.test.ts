import { connectHubspot, historyOf, type OrgWithHubspot, sessionOfThread } from '../support/crm.ts';
import { unavailable } from '../support/fakes/faulty-server.ts';
import { eventOf } from '../support/fakes/hubspot/webhooks.ts';
import { type FakeSalesforce, startFakeSalesforce } from '../support/fakes/salesforce.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

let stack: Stack;
let org: TestOrg;
let crm: OrgWithHubspot;
let fake: FakeSalesforce;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
  fake = await startFakeSalesforce();
  crm = await connectHubspot(org);
  await org.put('/integrations/miaw', { provider: 'salesforce', settings: fake.settings });
  await org.patch('/org/settings', { handoff_target: 'miaw' });
});
afterEach(() => Promise.all([crm.hubspot.close(), fake.close()]));

const ROUND = Array.from({ length: 4 }, () => unavailable());

/** A conversation in HubSpot with its customer, whose session agents have in Salesforce. */
async function relayedOnBothSides() {
  const threadId = crm.hubspot.openThread();
  await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Where is my order?' })));
  const { id } = await sessionOfThread(org, threadId);
  await org.post(`/chat/sessions/${id}/handoff`, {});
  await eventually('the handoff', async () => (await org.get(`/chat/sessions/${id}`)).body.handoff.state === 'done');
  const [conversationId = ''] = fake.conversations.keys();
  await eventually('idle workflows', async () => {
    const run = await stack.temporal.workflow
      .getHandle(`miaw-sync/${id}`)
      .describe()
      .catch(() => undefined);
    return run?.status.name === 'COMPLETED';
  });
  const write = async (text: string) => {
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text })));
    await eventually('the message', async () => (await historyOf(org, id)).includes(`contact: ${text}`));
  };
  const reply = (text: string) =>
    org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message: { type: 'text', text } });
  const notify = () => org.post('/crm/miaw/webhook', { event: 'message:new', session_id: id });
  /** What we posted to the customer. */
  const posted = () =>
    (crm.hubspot.threads.get(threadId) ?? [])
      .filter(({ client }) => client.clientType === 'INTEGRATION')
      .map(({ text }) => text);
  /** What the customer said in Salesforce, without the introduction. */
  const heard = () => fake.heard(conversationId).slice(1);
  const states = async () =>
    (
      await stack.db
        .selectFrom('crm_messages')
        .select('state')
        .where('session_id', '=', id)
        .orderBy('created_at')
        .execute()
    ).map(({ state }) => state);
  return { id, threadId, conversationId, write, reply, notify, posted, heard, states };
}

describe('a session between a customer in HubSpot and agents in Salesforce', () => {
  it('brings each side what the other one wrote, once', async () => {
    const { id, conversationId, write, notify, posted, heard } = await relayedOnBothSides();
    await write('Hello?');
    await eventually('the question', () => heard().length === 1);
    fake.say(conversationId, 'Good day');
    await notify();
    await eventually('the answer', () => posted().length === 1);
    await write('It came broken');
    await eventually('the second question', () => heard().length === 2);
    expect([posted(), heard()]).toEqual([['Good day'], ['Hello?', 'It came broken']]);
    expect(await historyOf(org, id)).toContain('human_agent: Good day');
  });

  it('does not post the customer’s own message to the customer while Salesforce is away', async () => {
    const { write, reply, notify, posted, heard, states } = await relayedOnBothSides();
    fake.next('message', ...ROUND);
    await write('It came broken');
    await eventually('four tries', () => fake.requests('message').length >= 5);
    await reply('One moment');
    await eventually('the reply', () => posted().length > 0);
    await write('Hello?');
    await notify();
    await eventually('both questions', () => heard().length === 2);
    expect([posted(), heard()]).toEqual([['One moment'], ['It came broken', 'Hello?']]);
    await eventually('the end', async () => (await states()).join() === 'sent,sent,sent');
  });

  it('does not send an agent’s reply to Salesforce as the customer’s while HubSpot is away', async () => {
    const { threadId, write, reply, posted, heard, states } = await relayedOnBothSides();
    const path = new RegExp(`/threads/${threadId}/messages$`);
    const tries = () => crm.hubspot.requests('POST', path).length;
    crm.hubspot.next('POST', path, ...ROUND, ...ROUND);
    await reply('One moment');
    await eventually('four tries', () => tries() === 4);
    await write('Hello?');
    await eventually('four more', () => tries() === 8);
    expect([posted(), heard()]).toEqual([[], ['Hello?']]);
    await write('Anybody?');
    await eventually('the reply', () => posted().length === 1);
    await eventually('the end', async () => (await states()).join() === 'sent,sent,sent');
    expect([posted(), heard()]).toEqual([['One moment'], ['Hello?', 'Anybody?']]);
  });
});
