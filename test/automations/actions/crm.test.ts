import { connectHubspot, type OrgWithHubspot, sessionOfThread } from '../../support/crm.ts';
import { resetAfter, slowEffect, unavailable } from '../../support/fakes/faulty-server.ts';
import { refuses } from '../../support/fakes/hubspot/server.ts';
import { assignmentOf, eventOf } from '../../support/fakes/hubspot/webhooks.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate, listRuns } from '../../support/triggers.ts';

const TICKETS = '/crm/v3/objects/tickets';

let stack: Stack;
let org: TestOrg;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
});

/** Runs create-crm-ticket for a session, as a workflow does. */
async function createTicket(session: string, properties: object = {}) {
  const step = {
    $kind: 'Action',
    id: 'ticket',
    type: 'create-crm-ticket',
    name: 'Ticket',
    input: { session_id: session, properties },
  };
  const { id } = await activate(org, { trigger_type: 'manual-trigger', workflow_blocks: [step] });
  const { body } = await org.post(`/workflows/${id}/trigger`, { input: {} });
  return eventually('the end of the run', async () => {
    const run = (await org.get(`/workflows/${id}/runs/${body.run_id}`)).body;
    return run.status !== 'idle' && run.status !== 'in_progress' && run.steps[0];
  });
}
const untilDone = (session: string) =>
  eventually('the handoff', async () => {
    const { handoff } = (await org.get(`/chat/sessions/${session}`)).body;
    return handoff.state === 'done' && handoff;
  });
const newSession = async () => {
  const contact = (await org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com` } })).body.id;
  return (await org.post('/chat/sessions', { contact_id: contact })).body.id as string;
};

describe('create-crm-ticket', () => {
  let crm: OrgWithHubspot;
  beforeEach(async () => {
    crm = await connectHubspot(org);
  });
  afterEach(() => crm.hubspot.close());

  it('creates one ticket for a session, with the properties known to HubSpot, despite failures of HubSpot', async () => {
    const session = await newSession();
    crm.hubspot.next('POST', TICKETS, unavailable(), resetAfter);
    const made = await createTicket(session, { hs_ticket_priority: 'HIGH', no_such_property: 'x' });
    expect(made).toMatchObject({ status: 'completed', output: { ticket_id: expect.any(String) } });
    const { ticket_id: id } = made.output;
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
    expect(crm.hubspot.ticket(id)?.properties.hs_ticket_priority).toBe('HIGH');
    expect((await createTicket(session)).output).toEqual({ ticket_id: id });
    expect((await org.get(`/chat/sessions/${session}`)).body.ticketing_system).toMatchObject({ external_id: id });

    await org.patch('/org/settings', { handoff_target: 'crm' });
    await org.post(`/chat/sessions/${session}/handoff`, {});
    await untilDone(session);
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
  });

  it('creates no second ticket while a handoff creates one', async () => {
    const step = {
      $kind: 'Action',
      id: 'ticket',
      type: 'create-crm-ticket',
      name: 'Ticket',
      input: { session_id: '{{trigger.output.session.id}}' },
    };
    const { id } = await activate(org, { trigger_type: 'ticket-handoff', workflow_blocks: [step] });
    await org.patch('/org/settings', { handoff_target: 'crm' });
    crm.hubspot.next('POST', TICKETS, slowEffect(4_000), slowEffect(4_000));
    const session = await newSession();
    await org.post(`/chat/sessions/${session}/handoff`, {});
    await untilDone(session);
    const run = await eventually('the end of the run', async () => {
      const [found] = await listRuns(stack.db, id);
      return found?.status === 'completed' && found;
    });
    const { steps } = (await org.get(`/workflows/${id}/runs/${run.id}`)).body;
    expect(steps[0].output).toEqual({ ticket_id: crm.hubspot.crm.tickets[0]?.id });
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
    expect(crm.hubspot.requests('POST', TICKETS)).toHaveLength(1);
  });

  it('tries again what HubSpot refused before, as does the first handoff', async () => {
    const [session, other] = [await newSession(), await newSession()];
    for (const id of [session, other]) {
      crm.hubspot.next('POST', TICKETS, refuses(400, 'no such pipeline'));
      const error = expect.stringContaining('no such pipeline');
      expect(await createTicket(id)).toMatchObject({ status: 'failed', error });
    }
    expect(await createTicket(session)).toMatchObject({
      status: 'completed',
      output: { ticket_id: expect.any(String) },
    });

    await org.patch('/org/settings', { handoff_target: 'crm' });
    await org.post(`/chat/sessions/${other}/handoff`, {});
    await untilDone(other);
    expect(crm.hubspot.crm.tickets).toHaveLength(2);
  });

  it('creates the ticket that a handoff has skipped once ticketing is enabled', async () => {
    const session = await newSession();
    crm.hubspot.next('POST', TICKETS, refuses(400, 'no such pipeline'));
    expect((await createTicket(session)).status).toBe('failed');
    await crm.reconnect({ ticketing_enabled: false });
    await org.patch('/org/settings', { handoff_target: 'crm' });
    await org.post(`/chat/sessions/${session}/handoff`, {});
    const { parts } = await untilDone(session);
    const skipped = { state: 'skipped', error: 'ticketing is disabled' };
    expect(parts.find(({ part }: { part: string }) => part === 'ticket')).toMatchObject(skipped);
    expect(crm.hubspot.crm.tickets).toEqual([]);
    await crm.reconnect({ ticketing_enabled: true });
    expect(await createTicket(session)).toMatchObject({
      status: 'completed',
      output: { ticket_id: expect.any(String) },
    });
    await untilDone(session);
  });

  it('is no part of a handoff to agents of HubSpot who have the conversation already', async () => {
    await org.patch('/org/settings', { handoff_target: 'crm' });
    const threadId = crm.hubspot.openThread();
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Where is my order?' })));
    const { id } = await sessionOfThread(org, threadId);
    await crm.deliver(assignmentOf(threadId, 'A-5'));
    const handoffOf = async () => (await org.get(`/chat/sessions/${id}`)).body.handoff;
    const before = await eventually('the handoff', async () => (await handoffOf()) ?? false);
    expect(await createTicket(id)).toMatchObject({ status: 'completed', output: { ticket_id: expect.any(String) } });
    expect(await handoffOf()).toEqual(before);
    expect((await org.post(`/chat/sessions/${id}/handoff/retry`, {})).status).toBe(409);
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
  });
});

it('create-crm-ticket without a connected CRM fails with instructions to connect one', async () => {
  const step = await createTicket(await newSession());
  expect(step).toMatchObject({ status: 'failed', error: expect.stringContaining('PUT /integrations/crm') });
});
