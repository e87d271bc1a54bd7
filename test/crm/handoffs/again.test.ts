import { connectHubspot, historyOf, type OrgWithHubspot, sessionOfThread } from '../../support/crm.ts';
import { resetAfter, slow, unavailable } from '../../support/fakes/faulty-server.ts';
import { eventOf, noteEventOf } from '../../support/fakes/hubspot/webhooks.ts';
import { type FakeSalesforce, startFakeSalesforce } from '../../support/fakes/salesforce.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate } from '../../support/triggers.ts';

const TICKETS = '/crm/v3/objects/tickets';

/** These wait for the ticketing system's own delays. */
const inLongTier = process.env.TEST_TIER === 'long' ? it : it.skip;

let stack: Stack;
let org: TestOrg;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
});

const say = (id: string, text: string) =>
  org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text } });
const handOff = async (id: string) => expect((await org.post(`/chat/sessions/${id}/handoff`, {})).status).toBe(200);
const returnToAi = async (id: string) =>
  expect((await org.post(`/chat/sessions/${id}/return-to-ai`, {})).status).toBeLessThan(300);
const session = async (id: string) => (await org.get(`/chat/sessions/${id}`)).body;
const done = (id: string) =>
  eventually('a handoff that is done', async () => {
    const now = await session(id);
    return now.handoff?.state === 'done' && now;
  });
const parked = (id: string) =>
  eventually('a parked ticket', async () => {
    const { parts } = (await session(id)).handoff;
    return parts.some((one: { part: string; state: string }) => one.part === 'ticket' && one.state === 'parked');
  });
const partOf = ({ parts }: { parts: { part: string; external_id: string | null }[] }, part: string) =>
  parts.find((one) => one.part === part);
const ended = (workflowId: string) =>
  eventually(`the end of ${workflowId}`, async () => {
    const run = await stack.temporal.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined);
    return run?.status.name === 'COMPLETED';
  });
const relayed = () =>
  eventually('an empty outbox', async () => {
    const left = await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).execute();
    return left.length === 0;
  });

describe('another handoff of a session to HubSpot', () => {
  let crm: OrgWithHubspot;
  beforeEach(async () => {
    await org.patch('/org/settings', { handoff_target: 'crm' });
    crm = await connectHubspot(org);
  });
  afterEach(() => crm.hubspot.close());

  async function newSession(): Promise<string> {
    const contact = await org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com` } });
    const { id } = (await org.post('/chat/sessions', { contact_id: contact.body.id })).body;
    await say(id, 'The parcel is lost');
    return id;
  }
  async function newThread() {
    const threadId = crm.hubspot.openThread();
    const value = `${crypto.randomUUID()}@example.com`;
    const senders = [{ actorId: 'V-51', name: 'Ann', deliveryIdentifier: { type: 'HS_EMAIL_ADDRESS', value } }];
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Where is my order?', senders })));
    return { threadId, id: (await sessionOfThread(org, threadId)).id as string };
  }
  const commentsIn = (threadId: string) =>
    (crm.hubspot.threads.get(threadId) ?? []).filter(({ type }) => type === 'COMMENT');
  const stageOf = (ticketId: string) => crm.hubspot.ticket(ticketId)?.properties.hs_pipeline_stage;

  it('adds another comment with the new summary to its conversation, and keeps its ticket', async () => {
    const { threadId, id } = await newThread();
    await handOff(id);
    const first = await done(id);
    await returnToAi(id);
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'It came broken' })));
    await eventually('the message', async () => (await historyOf(org, id)).includes('contact: It came broken'));
    await handOff(id);
    const second = await done(id);
    await ended(`handoff/${id}/2`);
    expect(second.handoff.at).not.toBe(first.handoff.at);
    expect(commentsIn(threadId)).toHaveLength(2);
    expect(commentsIn(threadId)[0]?.text).not.toContain('It came broken');
    expect(commentsIn(threadId)[1]?.text).toContain('It came broken');
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
    await crm.deliver(...commentsIn(threadId).map((comment) => eventOf(comment)));
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Hello?' })));
    const story = await eventually('what came later', async () => {
      const lines = await historyOf(org, id);
      return lines.includes('contact: Hello?') && lines;
    });
    expect(story.filter((line) => line.startsWith('human_agent_comment'))).toEqual([]);
  });

  inLongTier('adds one comment of its own although the answer to it was lost', async () => {
    const { threadId, id } = await newThread();
    await handOff(id);
    await done(id);
    await returnToAi(id);
    crm.hubspot.next('POST', new RegExp(`/threads/${threadId}/messages$`), resetAfter);
    await handOff(id);
    await ended(`handoff/${id}/2`);
    expect(commentsIn(threadId)).toHaveLength(2);
    const { handoff } = await done(id);
    expect(partOf(handoff, 'comment')?.external_id).toBe(commentsIn(threadId)[1]?.id);
  });

  it.each([
    ['', undefined],
    [', once, although the answer to it was lost', resetAfter],
  ])('adds a note with the new summary to its ticket if it is of no conversation in HubSpot%s', async (_, fault) => {
    const id = await newSession();
    await handOff(id);
    await done(id);
    expect(crm.hubspot.crm.notes).toEqual([]);
    await returnToAi(id);
    await say(id, 'It came broken');
    if (fault !== undefined) crm.hubspot.next('POST', '/crm/v3/objects/notes', fault);
    await handOff(id);
    const { handoff, ticketing_system } = await done(id);
    const [note, ...others] = crm.hubspot.crm.notes;
    expect(others).toEqual([]);
    expect(note).toMatchObject({
      associations: [ticketing_system.external_id],
      properties: { hs_note_body: expect.stringContaining('It came broken') },
    });
    expect(partOf(handoff, 'comment')).toMatchObject({ state: 'done', external_id: note?.id });
    await crm.deliver(
      noteEventOf(note?.id ?? ''),
      noteEventOf(crm.hubspot.addNote({ hs_note_body: 'Mine' }, note?.associations ?? []).id),
    );
    await eventually('the other note', async () => (await historyOf(org, id)).includes('human_agent_comment: Mine'));
    const comments = (await historyOf(org, id)).filter((line) => line.startsWith('human_agent_comment'));
    expect(comments).toEqual(['human_agent_comment: Mine']);
  });

  inLongTier('opens its closed ticket again', async () => {
    const id = await newSession();
    await handOff(id);
    const ticketId = (await done(id)).ticketing_system.external_id as string;
    const open = stageOf(ticketId);
    await returnToAi(id);
    const ticket = crm.hubspot.ticket(ticketId);
    if (ticket !== undefined) ticket.properties.hs_pipeline_stage = '4';
    await handOff(id);
    await done(id);
    await eventually('an open ticket', () => stageOf(ticketId) === open);
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
  });

  inLongTier('takes over what an unfinished one has left, and makes one ticket', async () => {
    const { threadId, id } = await newThread();
    crm.hubspot.next('POST', TICKETS, ...Array.from({ length: 4 }, () => unavailable()));
    await handOff(id);
    await parked(id);
    await returnToAi(id);
    await handOff(id);
    await done(id);
    await ended(`handoff/${id}/2`);
    await stack.temporal.workflow.getHandle(`handoff/${id}/1`).signal('wake');
    await ended(`handoff/${id}/1`);
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
    expect(commentsIn(threadId)).toHaveLength(1);
  });

  it('is told once where it is retried before its hold ends', async () => {
    const { threadId, id } = await newThread();
    await handOff(id);
    await done(id);
    await ended(`handoff/${id}/1`);
    await returnToAi(id);
    const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 3 / 60 } };
    await activate(org, { trigger_type: 'pre-ticket-handoff', workflow_blocks: [pause] });
    await handOff(id);
    const holds = () => stack.db.selectFrom('handoff_holds').select('id').where('session_id', '=', id).execute();
    await eventually('the hold', async () => (await holds()).length === 1);
    expect((await org.post(`/chat/sessions/${id}/handoff/retry`, {})).status).toBe(200);
    await ended(`handoff/${id}/2`);
    await eventually('the end of the hold', async () => (await holds()).length === 0);
    await relayed();
    await done(id);
    expect(commentsIn(threadId)).toHaveLength(2);
  });

  inLongTier('is retried by hand under its own number', async () => {
    const { id } = await newThread();
    await handOff(id);
    await done(id);
    await returnToAi(id);
    crm.hubspot.next('POST', /\/messages$/, ...Array.from({ length: 4 }, () => unavailable()));
    await handOff(id);
    await eventually('a parked comment', async () => {
      const { parts } = (await session(id)).handoff;
      return parts.some((one: { part: string; state: string }) => one.part === 'comment' && one.state === 'parked');
    });
    expect((await org.post(`/chat/sessions/${id}/handoff/retry`, {})).status).toBe(200);
    await done(id);
    await ended(`handoff/${id}/2`);
  });

  it('ends an unfinished one of a session that the AI has again', async () => {
    const id = await newSession();
    crm.hubspot.next('POST', TICKETS, ...Array.from({ length: 4 }, () => unavailable()));
    await handOff(id);
    await parked(id);
    await returnToAi(id);
    await stack.temporal.workflow.getHandle(`handoff/${id}/1`).signal('wake');
    await ended(`handoff/${id}/1`);
    expect(crm.hubspot.crm.tickets).toEqual([]);
  });

  it('does not begin for a session that was returned to the AI during the hold', async () => {
    const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 0.05 } };
    const before = await activate(org, { trigger_type: 'pre-ticket-handoff', workflow_blocks: [pause] });
    const after = await activate(org, { trigger_type: 'ticket-handoff' });
    const id = await newSession();
    await handOff(id);
    const held = () => stack.db.selectFrom('handoff_holds').select('id').where('session_id', '=', id).execute();
    await eventually('a hold', async () => (await held()).length === 1);
    await returnToAi(id);
    await eventually('the release', async () => (await held()).length === 0);
    await relayed();
    const runsOf = async (workflow: string) =>
      (await stack.db.selectFrom('automation_runs').select('id').where('automation_id', '=', workflow).execute())
        .length;
    expect([await runsOf(before.id), await runsOf(after.id)]).toEqual([1, 0]);
    await expect(stack.temporal.workflow.getHandle(`handoff/${id}/1`).describe()).rejects.toThrow();
    expect((await session(id)).handoff).toBeNull();

    await handOff(id);
    await done(id);
    await relayed();
    expect([await runsOf(before.id), await runsOf(after.id)]).toEqual([2, 1]);
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
  });

  it('waits for its own hold, although an earlier one ends meanwhile', async () => {
    const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 0.1 } };
    await activate(org, { trigger_type: 'pre-ticket-handoff', workflow_blocks: [pause] });
    const after = await activate(org, { trigger_type: 'ticket-handoff' });
    const id = await newSession();
    const holds = () => stack.db.selectFrom('handoff_holds').select('id').where('session_id', '=', id).execute();
    await handOff(id);
    await eventually('a hold', async () => (await holds()).length === 1);
    await returnToAi(id);
    await handOff(id);
    await eventually('another hold', async () => (await holds()).length === 2);
    await done(id);
    await relayed();
    expect(await holds()).toEqual([]);
    const runs = await stack.db
      .selectFrom('automation_runs')
      .select('id')
      .where('automation_id', '=', after.id)
      .execute();
    expect(runs).toHaveLength(1);
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
  });

  it('does not take the late answer of an earlier one for its own', async () => {
    const { threadId, id } = await newThread();
    crm.hubspot.next('POST', new RegExp(`/threads/${threadId}/messages$`), slow(6_000));
    await handOff(id);
    await eventually('the first comment', () => commentsIn(threadId).length === 1);
    await returnToAi(id);
    await handOff(id);
    const second = await done(id);
    await ended(`handoff/${id}/1`);
    expect(commentsIn(threadId)).toHaveLength(2);
    expect(partOf(second.handoff, 'comment')?.external_id).toBe(commentsIn(threadId)[1]?.id);
  });
});

describe('another handoff of a session to Salesforce', () => {
  let fake: FakeSalesforce;
  beforeEach(async () => {
    fake = await startFakeSalesforce();
    await org.put('/integrations/miaw', { provider: 'salesforce', settings: fake.settings });
    await org.patch('/org/settings', { handoff_target: 'miaw' });
  });
  afterEach(() => fake.close());

  it.each([
    ['', undefined],
    [', once, although the answer to it was lost', resetAfter],
  ])('introduces it again in the same conversation%s', async (_, fault) => {
    const { id } = (await org.post('/chat/sessions', {})).body;
    await say(id, 'Where is my order?');
    await handOff(id);
    await done(id);
    await returnToAi(id);
    await say(id, 'It came broken');
    const [conversationId = ''] = fake.conversations.keys();
    await eventually('the message', () => fake.heard(conversationId).includes('It came broken'));
    if (fault !== undefined) fake.next('message', fault);
    await handOff(id);
    await done(id);
    await ended(`handoff/${id}/2`);
    expect([...fake.conversations.keys()]).toEqual([conversationId]);
    const heard = fake.heard(conversationId);
    expect(heard).toHaveLength(3);
    expect(heard.at(-1)).toContain('Handed over: ticket');
    expect(heard.at(-1)).toContain('It came broken');
  });

  it('introduces it in another conversation once the guest of the first has ended', async () => {
    const { id } = (await org.post('/chat/sessions', {})).body;
    await say(id, 'Where is my order?');
    await handOff(id);
    await done(id);
    const [first = ''] = fake.conversations.keys();
    await returnToAi(id);
    fake.expireTokens();
    await handOff(id);
    await done(id);
    const second = [...fake.conversations.values()].find((one) => one.id !== first);
    expect(second?.routingAttributes).toMatchObject({ session_id: id, continues: first });
    expect(fake.heard(second?.id ?? '')).toEqual([expect.stringContaining('Handed over: ticket')]);
    expect(fake.heard(first)).toHaveLength(1);
  });
});
