import { sql } from 'kysely';
import { repair } from '../../../src/repair/repair.ts';
import { repairRestored } from '../../../src/repair/restored.ts';
import { connectHubspot, type OrgWithHubspot, sessionOfThread } from '../../support/crm.ts';
import { unavailable } from '../../support/fakes/faulty-server.ts';
import type { FakeObject } from '../../support/fakes/hubspot/objects.ts';
import { refuses } from '../../support/fakes/hubspot/server.ts';
import { eventOf } from '../../support/fakes/hubspot/webhooks.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const TICKETS = '/crm/v3/objects/tickets';
const CLOSED = '4';

let stack: Stack;
let crm: OrgWithHubspot;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  await stack.org.patch('/org/settings', { handoff_target: 'crm' });
  crm = await connectHubspot(stack.org);
});
afterAll(async () => {
  await crm.hubspot.close();
  await stack.close();
});

/** Returns a session with a ticket. */
async function withTicket() {
  const { id } = (await stack.org.post('/chat/sessions', { channel: { type: 'web' } })).body;
  const text = 'The parcel is lost';
  await stack.org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text } });
  await stack.org.post(`/chat/sessions/${id}/handoff`, { reason: 'Asked for a human' });
  const ticketId = await eventually('a ticket', async () => {
    const { handoff, ticketing_system } = (await stack.org.get(`/chat/sessions/${id}`)).body;
    return handoff?.state === 'done' && (ticketing_system.external_id as string);
  });
  return { id: id as string, ticket: crm.hubspot.ticket(ticketId) as FakeObject };
}
const change = (id: string, status: string, isReflected = true) =>
  stack.org.patch(`/chat/sessions/${id}`, { status, reflect_status_change_for_integration: isReflected });
const stageOf = (ticket: FakeObject) => ticket.properties.hs_pipeline_stage;

const mend = (isDryRun = false) => repair(stack.db, stack.temporal, { isDryRun });
const dueStages = () => stack.db.selectFrom('crm_due_stages').select(['session_id', 'stage']).execute();

/** Makes Temporal forget a workflow once it runs. */
async function lose(workflowId: string) {
  const handle = stack.temporal.workflow.getHandle(workflowId);
  const isKnown = () =>
    handle.describe().then(
      () => true,
      () => false,
    );
  await eventually('a workflow', isKnown);
  await stack.temporal.workflowService.deleteWorkflowExecution({
    namespace: stack.config.TEMPORAL_NAMESPACE,
    workflowExecution: { workflowId },
  });
  await eventually('the deletion', async () => !(await isKnown()));
}

it('tickets are closed and reopened although Temporal has lost what waits for that', async () => {
  const [closed, reopened, undone] = await Promise.all([withTicket(), withTicket(), withTicket()]);
  const first = stageOf(undone.ticket);
  await change(reopened.id, 'closed_resolved', false);
  reopened.ticket.properties.hs_pipeline_stage = CLOSED;
  await Promise.all([
    change(closed.id, 'closed_resolved'),
    change(undone.id, 'closed_resolved'),
    change(reopened.id, 'open'),
  ]);
  const lost = [`ticket-close/${closed.id}/1`, `ticket-close/${undone.id}/1`, `ticket-reopen/${reopened.id}`];
  await Promise.all(lost.map(lose));
  await change(undone.id, 'open', false);

  const rows = [
    ['ticket-close', closed.id],
    ['ticket-close', undone.id],
    ['ticket-reopen', reopened.id],
  ];
  const shown = (await mend(true)).map(({ kind, id, temporal, mended }) => [kind, id, temporal, mended]);
  expect(shown.toSorted()).toEqual(rows.map((row) => [...row, 'absent', 'none']).toSorted());
  expect((await mend()).map(({ kind, id, mended }) => [kind, id, mended]).toSorted()).toEqual(
    rows.map((row) => [...row, 'resumed']).toSorted(),
  );
  await eventually('no due stage', async () => (await dueStages()).length === 0);
  expect([stageOf(closed.ticket), stageOf(reopened.ticket), stageOf(undone.ticket)]).toEqual([CLOSED, first, first]);
  expect(
    crm.hubspot
      .requests('PATCH')
      .map(({ path }) => path.split('/').at(-1))
      .toSorted(),
  ).toEqual([closed.ticket.id, reopened.ticket.id].toSorted());
  expect(await mend()).toEqual([]);
});

it('tickets that wait for HubSpot are closed and reopened at once after its settings were replaced', async () => {
  const [closed, reopened] = await Promise.all([withTicket(), withTicket()]);
  await change(reopened.id, 'closed_resolved', false);
  reopened.ticket.properties.hs_pipeline_stage = CLOSED;
  const tickets = [closed.ticket.id, reopened.ticket.id];
  for (const id of tickets) crm.hubspot.next('PATCH', `${TICKETS}/${id}`, unavailable('3600'));
  await Promise.all([change(closed.id, 'closed_resolved'), change(reopened.id, 'open')]);
  const tried = () => tickets.every((id) => crm.hubspot.requests('PATCH', `${TICKETS}/${id}`).length === 1);
  await eventually('the refused calls', tried);
  const due = async () => (await dueStages()).length;
  expect(await due()).toBe(2);
  expect((await crm.reconnect()).status).toBe(200);
  await eventually('no due stage', async () => (await due()) === 0);
  expect([stageOf(closed.ticket), stageOf(reopened.ticket)]).not.toContain(undefined);
  expect([stageOf(closed.ticket) === CLOSED, stageOf(reopened.ticket) === CLOSED]).toEqual([true, false]);
});

it('a stage that HubSpot refuses is tried once, and not started again', async () => {
  const { id, ticket } = await withTicket();
  crm.hubspot.next('PATCH', `${TICKETS}/${ticket.id}`, refuses(400, 'The stage is unknown'));
  await change(id, 'closed_resolved');
  const handle = stack.temporal.workflow.getHandle(`ticket-close/${id}/1`);
  await eventually('the refusal', async () => {
    const found = await handle.describe().catch(() => undefined);
    return found?.status.name === 'FAILED';
  });
  expect([await dueStages(), await mend()]).toEqual([[], []]);
});

it('a reply that waits for HubSpot is posted although Temporal has lost its workflow', async () => {
  const threadId = crm.hubspot.openThread();
  await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Where is my order?' })));
  const { id } = await sessionOfThread(stack.org, threadId);
  const list = new RegExp(`/threads/${threadId}/messages$`);
  crm.hubspot.next('POST', list, unavailable('3600'));
  const message = { type: 'text', text: 'On its way' };
  await stack.org.post(`/chat/sessions/${id}/send`, { sender: 'agent', agent: { id: 1, name: 'Cy' }, message });
  await eventually('the refused reply', () => crm.hubspot.requests('POST', list).length === 1);
  await lose(`crm-thread/${stack.org.id}/${threadId}`);
  expect(await mend()).toEqual([
    { kind: 'crm-thread', org_id: stack.org.id, id: threadId, temporal: 'absent', mended: 'resumed' },
  ]);
  const texts = () => (crm.hubspot.threads.get(threadId) ?? []).map(({ text }) => text);
  await eventually('the reply', () => texts().includes('On its way'));
});

it('a handoff that a restored database has not begun waits for a person, whose retry finds the ticket', async () => {
  const { id } = await withTicket();
  const tickets = () => crm.hubspot.requests('POST', new RegExp(`${TICKETS}$`)).length;
  const created = tickets();
  await sql`delete from crm_handoff_parts where session_id = ${id}`.execute(stack.db);
  await sql`delete from crm_links where session_id = ${id}`.execute(stack.db);
  await sql`
    update sessions set ticketing_system = null, handoff = handoff - 'target' || '{"state": "pending", "parts": []}'
    where id = ${id}
  `.execute(stack.db);

  const mendRestored = (isDryRun: boolean) =>
    repairRestored(stack.db, stack.temporal, { restored: 'both', lostUntil: new Date(), isDryRun });
  const found = { kind: 'handoff', org_id: stack.org.id, id, why: expect.any(String) };
  expect(await mendRestored(true)).toEqual([{ ...found, mended: 'none' }]);
  expect(await mendRestored(false)).toEqual([{ ...found, mended: 'failed' }]);
  expect([await mendRestored(true), await mend()]).toEqual([[], []]);
  const { handoff } = (await stack.org.get(`/chat/sessions/${id}`)).body;
  expect(handoff.state).toBe('pending');
  expect(handoff.parts.map(({ part, state }: { part: string; state: string }) => [part, state])).toEqual(
    ['contact', 'ticket', 'comment'].map((part) => [part, 'failed']),
  );

  expect((await stack.org.post(`/chat/sessions/${id}/handoff/retry`, {})).status).toBe(200);
  await eventually('the ticket', async () => {
    const { handoff: retried } = (await stack.org.get(`/chat/sessions/${id}`)).body;
    return retried?.state === 'done';
  });
  expect(tickets()).toBe(created);
});
