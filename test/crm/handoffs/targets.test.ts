import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { announce } from '../../../src/outbox/announcing.ts';
import { connectHubspot, type OrgWithHubspot } from '../../support/crm.ts';
import { slowEffect } from '../../support/fakes/faulty-server.ts';
import { type FakeSalesforce, startFakeSalesforce } from '../../support/fakes/salesforce.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate } from '../../support/triggers.ts';

let stack: Stack;
let org: TestOrg;
let fake: FakeSalesforce;
let crm: OrgWithHubspot | undefined;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
  fake = await startFakeSalesforce();
});
afterEach(async () => {
  await fake.close();
  await crm?.hubspot.close();
  crm = undefined;
});

const connectCrm = async () => {
  crm = await connectHubspot(org);
  return crm;
};
const connectMiaw = async () =>
  expect((await org.put('/integrations/miaw', { provider: 'salesforce', settings: fake.settings })).status).toBe(200);
const setTarget = async (handoff_target: string | null) =>
  expect((await org.patch('/org/settings', { handoff_target })).status).toBe(200);
const say = (id: string, text: string) =>
  org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text } });
const handOff = async (id: string) => expect((await org.post(`/chat/sessions/${id}/handoff`, {})).status).toBe(200);
const resolve = (id: string, more: object = {}) =>
  org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved', ...more });
const session = async (id: string) => (await org.get(`/chat/sessions/${id}`)).body;
const done = (id: string) =>
  eventually('a handoff that is done', async () => {
    const now = await session(id);
    return now.handoff?.state === 'done' && now;
  });
const partsOf = ({ handoff }: { handoff: { parts: { part: string; state: string }[] } }) =>
  handoff.parts.map(({ part, state }) => [part, state]);
const isKnown = (workflowId: string) =>
  stack.temporal.workflow
    .getHandle(workflowId)
    .describe()
    .then(
      () => true,
      () => false,
    );
const relayed = () =>
  eventually('an empty outbox', async () => {
    const left = await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).execute();
    return left.length === 0;
  });
const heard = () => [...fake.conversations.keys()].flatMap((id) => fake.heard(id));
const untilHeard = (count: number) =>
  eventually(`${count} messages in Salesforce`, () => heard().length >= count && heard());

async function newSession(): Promise<string> {
  const contact = await org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com` } });
  const { id } = (await org.post('/chat/sessions', { contact_id: contact.body.id })).body;
  await say(id, 'The parcel is lost');
  return id;
}

describe('the target of a handoff', () => {
  it('is the org’s, although a workflow has made a ticket in another system before', async () => {
    const { hubspot } = await connectCrm();
    await connectMiaw();
    await setTarget('miaw');
    const input = { session_id: '{{trigger.output.session.id}}' };
    const step = { $kind: 'Action', id: 'ticket', type: 'create-crm-ticket', name: 'Ticket', input };
    await activate(org, { trigger_type: 'pre-ticket-handoff', workflow_blocks: [step] });
    const id = await newSession();
    await handOff(id);
    const now = await done(id);
    expect(partsOf(now)).toEqual([['conversation', 'done']]);
    expect(now.ticketing_system).toMatchObject({ name: 'salesforce' });
    expect(hubspot.crm.tickets).toHaveLength(1);
    await say(id, 'Hello?');
    expect(await untilHeard(2)).toEqual([expect.stringContaining('The parcel is lost'), 'Hello?']);
  });

  it('is the org’s current one for another handoff of a session, also without the system of the earlier one', async () => {
    const { hubspot } = await connectCrm();
    await setTarget('crm');
    const id = await newSession();
    await handOff(id);
    await done(id);
    expect((await org.post(`/chat/sessions/${id}/return-to-ai`, {})).status).toBeLessThan(300);
    expect((await org.delete('/integrations/crm')).status).toBe(200);
    await connectMiaw();
    await setTarget('miaw');
    await handOff(id);
    expect(partsOf(await done(id))).toEqual([['conversation', 'done']]);
    expect(await untilHeard(1)).toHaveLength(1);
    await relayed();
    expect([hubspot.crm.tickets.length, await isKnown(`ticket-reopen/${id}`)]).toEqual([1, false]);
  });
});

describe('a handoff that waits for its target', () => {
  it('goes to another one once the org has it, and is done without any part once the org has none', async () => {
    await setTarget('crm');
    const moved = await newSession();
    await handOff(moved);
    await setTarget('miaw');
    await eventually('what it waits for', async () =>
      (await session(moved)).handoff.waits_for.includes('PUT /integrations/miaw'),
    );
    await connectMiaw();
    expect(partsOf(await done(moved))).toEqual([['conversation', 'done']]);

    await setTarget('crm');
    const given = await newSession();
    await handOff(given);
    await eventually('its workflow', () => isKnown(`handoff/${given}/1`));
    await setTarget('none');
    const { handoff } = await done(given);
    expect(handoff).toMatchObject({ parts: [], summary: expect.stringContaining('The parcel is lost') });
    expect(handoff.waits_for).toBeUndefined();
    await eventually('the end of its workflow', async () => {
      const { status } = await stack.temporal.workflow.getHandle(`handoff/${given}/1`).describe();
      return status.name === 'COMPLETED';
    });
    await setTarget('miaw');
    await relayed();
    expect((await session(given)).handoff).toEqual(handoff);
  });

  it('takes along what its contact writes meanwhile, once', async () => {
    await setTarget('miaw');
    const id = await newSession();
    await handOff(id);
    await say(id, 'My order is 4711');
    await connectMiaw();
    await done(id);
    await say(id, 'Thank you');
    const [introduction, ...messages] = await untilHeard(3);
    expect(introduction).toContain('Handed over: ticket');
    expect(messages).toEqual(['My order is 4711', 'Thank you']);
  });

  it('makes a ticket that is closed if its session was resolved meanwhile, unless that is not to be reflected', async () => {
    await setTarget('crm');
    const [followed, unfollowed] = [await newSession(), await newSession()];
    for (const id of [followed, unfollowed]) await handOff(id);
    await resolve(followed);
    await resolve(unfollowed, { reflect_status_change_for_integration: false });
    await connectCrm();
    for (const id of [followed, unfollowed]) await done(id);
    await eventually('the closing', () => isKnown(`ticket-close/${followed}/1`));
    await relayed();
    expect(await isKnown(`ticket-close/${unfollowed}/1`)).toBe(false);
  });
});

it('the latest resolution of a session decides whether its ticket is closed, however late the earlier one is handled', async () => {
  const { hubspot } = await connectCrm();
  await setTarget('crm');
  const id = await newSession();
  hubspot.next('POST', '/crm/v3/objects/tickets', slowEffect(3_000));
  await handOff(id);
  await eventually('the attempt', async () => {
    const parts: { part: string; state: string }[] = (await session(id)).handoff.parts;
    return parts.some(({ part, state }) => part === 'ticket' && state === 'running');
  });
  await resolve(id);
  await relayed();
  await org.patch(`/chat/sessions/${id}`, { status: 'open' });
  await resolve(id, { reflect_status_change_for_integration: false });
  await done(id);
  expect(hubspot.crm.tickets).toHaveLength(1);
  const late = { subject_id: id, payload: { reflects: true, closing_id: newId() } };
  await inTransaction(stack.db, (trx) => announce(trx, org.id, [{ type: 'ticket-resolved', ...late }]));
  await relayed();
  expect(await Promise.all([1, 2].map((n) => isKnown(`ticket-close/${id}/${n}`)))).toEqual([false, false]);
});
