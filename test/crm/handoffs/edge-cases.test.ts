import { sql } from 'kysely';
import { parkPart } from '../../../src/crm/handoffs/service.ts';
import { connectHubspot, type OrgWithHubspot } from '../../support/crm.ts';
import { type Fault, unavailable } from '../../support/fakes/faulty-server.ts';
import { changeOf } from '../../support/fakes/hubspot/webhooks.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const TICKETS = '/crm/v3/objects/tickets';
/** An answer with status 200 and no JSON body. */
const noJson: Fault = { answer: { status: 200, body: undefined }, when: 'before' };

/** These wait for the ticketing system's own delays. */
const inLongTier = process.env.TEST_TIER === 'long' ? it : it.skip;

let stack: Stack;
let org: TestOrg;
let crm: OrgWithHubspot;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
  await org.patch('/org/settings', { handoff_target: 'crm' });
  crm = await connectHubspot(org);
});
afterEach(() => crm.hubspot.close());

async function newSession(contactId?: string): Promise<string> {
  const { id } = (await org.post('/chat/sessions', { contact_id: contactId })).body;
  await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text: 'Help 😀' } });
  return id;
}
const newContact = async () =>
  (await org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com`, name: 'Ann' } })).body.id;
const handOff = (id: string) => org.post(`/chat/sessions/${id}/handoff`, {});
const session = async (id: string) => (await org.get(`/chat/sessions/${id}`)).body;
const done = (id: string) =>
  eventually('a handoff that is done', async () => {
    const now = await session(id);
    return now.handoff.state === 'done' && now;
  });
const parked = (id: string) =>
  eventually('a parked ticket', async () => {
    const { parts } = (await session(id)).handoff;
    return parts.some((one: { part: string; state: string }) => one.part === 'ticket' && one.state === 'parked');
  });

describe('a handoff to HubSpot in edge cases', () => {
  it('creates one contact and two tickets for simultaneous handoffs of two sessions of one contact', async () => {
    const contact = await newContact();
    const ids = [await newSession(contact), await newSession(contact)];
    await Promise.all(ids.flatMap((id) => [handOff(id), handOff(id)]));
    const tickets = (await Promise.all(ids.map(done))).map(({ ticketing_system }) => ticketing_system.external_id);
    expect(new Set(tickets).size).toBe(2);
    expect(crm.hubspot.crm.tickets.map(({ id }) => id).toSorted()).toEqual(tickets.toSorted());
    expect(crm.hubspot.crm.contacts).toHaveLength(1);
  });

  it('stays in HubSpot if the org’s handoff target changes meanwhile', async () => {
    const id = await newSession(await newContact());
    crm.hubspot.next('POST', TICKETS, ...Array.from({ length: 4 }, () => unavailable()));
    await handOff(id);
    await parked(id);
    await org.patch('/org/settings', { handoff_target: 'miaw' });
    expect((await org.post(`/chat/sessions/${id}/handoff/retry`)).status).toBe(200);
    const { handoff, ticketing_system } = await done(id);
    expect(handoff.parts.map(({ part }: { part: string }) => part)).toEqual(['contact', 'ticket', 'comment']);
    expect(ticketing_system).toMatchObject({ name: 'hubspot', id_type: 'ticket_id' });
  });

  it('waits if the connection is removed halfway, and creates one ticket once it is restored', async () => {
    const id = await newSession(await newContact());
    crm.hubspot.next('POST', TICKETS, ...Array.from({ length: 4 }, () => unavailable()));
    await handOff(id);
    await parked(id);
    expect((await org.delete('/integrations/crm')).status).toBe(200);
    await org.post(`/chat/sessions/${id}/handoff/retry`);
    await parked(id);
    await crm.reconnect();
    await done(id);
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
  });

  it('stays settled by hand although a worker that was killed parks its ticket a second time', async () => {
    const id = await newSession(await newContact());
    crm.hubspot.next('POST', TICKETS, ...Array.from({ length: 4 }, () => unavailable()));
    await handOff(id);
    await parked(id);
    const settled = { part: 'ticket', external_id: String(900_000 + Math.floor(Math.random() * 99_999)) };
    expect((await org.post(`/chat/sessions/${id}/handoff/settle`, settled)).status).toBe(200);
    const part = { orgId: org.id, sessionId: id, part: 'ticket' } as const;
    await parkPart(stack.db, part, { isGivenUp: false, nextTryAt: new Date(Date.now() + 900_000) });
    await org.post(`/chat/sessions/${id}/handoff/retry`, {});
    const { handoff } = await done(id);
    const ticket = handoff.parts.find((one: { part: string }) => one.part === 'ticket');
    expect(ticket).toMatchObject({ state: 'settled', external_id: settled.external_id, next_try_at: null });
    expect(crm.hubspot.crm.tickets).toEqual([]);
  });

  inLongTier('continues soon after a worker was killed during an attempt at its ticket, and not before', async () => {
    const id = await newSession(await newContact());
    crm.hubspot.next('POST', TICKETS, ...Array.from({ length: 4 }, () => unavailable()));
    await handOff(id);
    await parked(id);
    await sql`
      update crm_handoff_parts set state = 'running', leased_until = now() + interval '4 seconds'
      where session_id = ${id} and part = 'ticket'
    `.execute(stack.db);
    const from = Date.now();
    await org.post(`/chat/sessions/${id}/handoff/retry`, {});
    const { handoff } = await done(id);
    expect(Date.now() - from).toBeGreaterThan(3_900);
    expect(Date.now() - from).toBeLessThan(15_000);
    expect(handoff.parts.find((one: { part: string }) => one.part === 'ticket')).toMatchObject({ attempts: 5 });
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
  });

  it('survives a malformed answer with status 200, and writes as much data as a session can store', async () => {
    const id = await newSession(await newContact());
    const data = Object.fromEntries(Array.from({ length: 98 }, (_, n) => [`key_${n}`, '😀']));
    const custom_data = { ...data, __proto__x: 'x', order_number: '17' };
    expect((await org.patch(`/chat/sessions/${id}`, { custom_data, editable_custom_data: custom_data })).status).toBe(
      200,
    );
    crm.hubspot.next('POST', TICKETS, noJson);
    await handOff(id);
    const { ticketing_system } = await done(id);
    expect(crm.hubspot.ticket(ticketing_system.external_id)?.properties.order_number).toBe('17');

    await crm.deliver(changeOf(ticketing_system.external_id, 'hs_pipeline_stage', '4'));
    await eventually('a closed session', async () => (await session(id)).status === 'closed_resolved');
    const [event] = await stack.db
      .selectFrom('crm_events')
      .select(['state', 'reason'])
      .where('org_id', '=', org.id)
      .execute();
    expect(event).toMatchObject({ state: 'failed', reason: expect.stringContaining('custom_data') });
  });

  it('closes an open session with its ticket where only the custom status changed meanwhile, which is no reopening', async () => {
    await org.patch('/org/settings', { session_statuses: [{ id: 7, name: 'On hold' }] });
    const id = await newSession(await newContact());
    await handOff(id);
    const { ticketing_system } = await done(id);
    const change = changeOf(ticketing_system.external_id, 'hs_pipeline_stage', '4');
    expect((await org.patch(`/chat/sessions/${id}`, { custom_status_id: 7 })).status).toBe(200);
    await crm.deliver(change);
    await eventually('a closed session', async () => (await session(id)).status === 'closed_resolved');
  });

  it('accepts ticket values that no column can store, and property names such as __proto__', async () => {
    const id = await newSession(await newContact());
    await handOff(id);
    const { ticketing_system } = await done(id);
    const ticketId = ticketing_system.external_id;
    await crm.deliver(
      changeOf(ticketId, 'constructor', 'a\0b\ud800'),
      changeOf(ticketId, '__proto__', 'x'),
      changeOf(ticketId, 'long', 'x'.repeat(70_000)),
      changeOf(ticketId, 'fine', 'yes'),
    );
    await eventually('the last one', async () => (await session(id)).custom_data.fine === 'yes');
    expect((await session(id)).custom_data).toMatchObject({ constructor: 'ab\ufffd', fine: 'yes' });
  });
});
