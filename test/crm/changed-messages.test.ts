import { repair } from '../../src/repair/repair.ts';
import { connectMeta, FAKES_ALLOWED, newNumber } from '../support/channels.ts';
import { connectHubspot, type OrgWithHubspot } from '../support/crm.ts';
import { resetAfter, unavailable } from '../support/fakes/faulty-server.ts';
import { noteEventOf } from '../support/fakes/hubspot/webhooks.ts';
import { type FakeMeta, startFakeMeta } from '../support/fakes/meta.ts';
import { type FakeSalesforce, salesforceRefuses, startFakeSalesforce } from '../support/fakes/salesforce.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

const DELETED = /^The customer has deleted the message of \d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC\.$/;
const editedTo = (text: string) =>
  new RegExp(`^The customer has edited the message of .+ UTC\\. It now says:\\n\\n${text}$`);

let stack: Stack;
let meta: FakeMeta;
let org: TestOrg;
let url: string;
let number: string;
beforeAll(async () => {
  meta = await startFakeMeta();
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await meta.close();
});
beforeEach(async () => {
  org = await stack.createOrg();
  number = newNumber();
  url = await connectMeta(org, meta);
});

const write = async (text: string) => {
  const id = `wamid.${crypto.randomUUID()}`;
  expect(await meta.receive(url, { from: number, text, id })).toBe(200);
  return id;
};
const edit = async (of: string, text: string, timestamp?: string) =>
  expect(
    await meta.edit(url, number, {
      of,
      content: { type: 'text', text: { body: text } },
      ...(timestamp && { timestamp }),
    }),
  ).toBe(200);
const remove = async (of: string) => expect(await meta.revoke(url, number, { of })).toBe(200);
const session = async () => (await org.get('/chat/sessions')).body.items[0];
/** Hands the session off, and waits until the other system has it. */
async function handOff() {
  const { id } = await session();
  expect((await org.post(`/chat/sessions/${id}/handoff`, { reason: 'Wants a human' })).status).toBe(200);
  return eventually('the handoff', async () => {
    const found = (await org.get(`/chat/sessions/${id}`)).body;
    return found.handoff.state === 'done' && found;
  });
}
const sentLines = async () =>
  stack.db.selectFrom('crm_messages').select(['target', 'state']).where('org_id', '=', org.id).orderBy('id').execute();
const allSettled = () =>
  eventually('the end of all lines', async () => {
    const lines = await sentLines();
    const waiting = await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).execute();
    return waiting.length === 0 && lines.every(({ state }) => state !== 'queued' && state !== 'sending') && lines;
  });

describe('an edit or a deletion of a message that is in Salesforce', () => {
  let salesforce: FakeSalesforce;
  let conversationId: string;
  const heard = () => salesforce.heard(conversationId).slice(1);
  const untilHeard = (count: number) => eventually(`${count} lines`, () => heard().length >= count && heard());
  const connect = async () =>
    expect(
      (await org.put('/integrations/miaw', { provider: 'salesforce', settings: salesforce.settings })).status,
    ).toBe(200);
  beforeEach(async () => {
    salesforce = await startFakeSalesforce();
    await connect();
    await org.patch('/org/settings', { handoff_target: 'miaw' });
  });

  it('is a line there, once and in its place', async () => {
    const summarized = await write('Where is my order?');
    conversationId = (await handOff()).ticketing_system.external_id;
    const of = await write('It is the blue one');
    await untilHeard(1);
    await edit(of, 'It is the red one');
    await untilHeard(2);
    await remove(of);
    await remove(of);
    await remove(summarized);
    await write('Never mind');
    expect(await untilHeard(5)).toEqual([
      'It is the blue one',
      expect.stringMatching(editedTo('It is the red one')),
      expect.stringMatching(DELETED),
      expect.stringMatching(DELETED),
      'Never mind',
    ]);
    expect((await allSettled()).every(({ state }) => state === 'sent')).toBe(true);
    await salesforce.close();
  });

  it('is no line for a message that was not sent yet, which goes with its new text or not at all', async () => {
    await write('Where is my order?');
    conversationId = (await handOff()).ticketing_system.external_id;
    await write('zero');
    await untilHeard(1);
    await org.delete('/integrations/miaw');
    const [edited, deleted] = [await write('one'), await write('secret')];
    await edit(edited, 'two');
    await remove(deleted);
    await eventually(
      'the changes',
      async () =>
        (
          await stack.db
            .selectFrom('outbox')
            .select('id')
            .where('org_id', '=', org.id)
            .where('kind', '=', 'event')
            .execute()
        ).length === 0,
    );
    await connect();
    await write('three');
    expect(await untilHeard(3)).toEqual(['zero', 'two', 'three']);
    expect(await allSettled()).toContainEqual({ target: 'miaw', state: 'skipped' });
    await salesforce.close();
  });

  it('leaves no text behind where Salesforce refused its line and the message is redacted', async () => {
    await write('Where is my order?');
    const { id, ticketing_system } = await handOff();
    conversationId = ticketing_system.external_id;
    const of = await write('my card is 4111');
    await untilHeard(1);
    salesforce.next('message', salesforceRefuses(400, 'Not allowed: my card is 4112'));
    await edit(of, 'my card is 4112');
    await eventually('the refusal', async () => (await sentLines()).some(({ state }) => state === 'failed'));
    const texts = async () =>
      JSON.stringify([
        await stack.db.selectFrom('crm_messages').selectAll().where('org_id', '=', org.id).execute(),
        (await org.get(`/chat/sessions/${id}/history`)).body,
      ]);
    expect(await texts()).toContain('Not allowed: my card is 4112');
    const { items } = (await org.get(`/chat/sessions/${id}/history`)).body;
    const { message_id } = items.find(
      ({ event }: { event: { type: string } }) => event.type === 'message_edited',
    ).event;
    expect((await org.post('/redaction/message', { messageId: message_id })).status).toBe(200);
    await eventually('the removal', async () => !(await texts()).includes('4112'));
    await salesforce.close();
  });
});

describe('an edit or a deletion of a message that a ticket in HubSpot may quote', () => {
  const bodies = ({ hubspot }: OrgWithHubspot) =>
    hubspot.crm.notes.map(({ properties }) => properties.hs_note_body ?? '');

  it('is a note on the ticket, once, also where the answer of HubSpot is lost, and comes back as no note of others', async () => {
    const crm = await connectHubspot(org);
    await org.patch('/org/settings', { handoff_target: 'crm' });
    const of = await write('The parcel is lost in Bonn');
    const { id, ticketing_system } = await handOff();
    crm.hubspot.next('POST', '/crm/v3/objects/notes', resetAfter);
    await edit(of, 'The parcel is lost in Ulm');
    await eventually('the note', () => bodies(crm).length === 1);
    await allSettled();
    await remove(of);
    await eventually('the other note', () => bodies(crm).length === 2);
    await allSettled();
    expect(bodies(crm)).toEqual([
      expect.stringContaining('The parcel is lost in Ulm'),
      expect.stringContaining('has deleted the message of'),
    ]);
    for (const { id: noteId } of crm.hubspot.crm.notes) await crm.deliver(noteEventOf(noteId));
    await eventually(
      'the events',
      async () =>
        (
          await stack.db
            .selectFrom('crm_events')
            .select('state')
            .where('org_id', '=', org.id)
            .where('state', '=', 'queued')
            .execute()
        ).length === 0,
    );
    const { items } = (await org.get(`/chat/sessions/${id}/history`)).body;
    expect(items.filter(({ event }: { event: { type: string } }) => event.type === 'human_agent_comment')).toEqual([]);
    expect(ticketing_system.name).toBe('hubspot');
    await crm.hubspot.close();
  });

  it('is a note although Temporal has lost what waits for HubSpot', async () => {
    const crm = await connectHubspot(org);
    await org.patch('/org/settings', { handoff_target: 'crm' });
    const of = await write('The parcel is lost in Bonn');
    const { ticketing_system } = await handOff();
    crm.hubspot.next('POST', '/crm/v3/objects/notes', unavailable('3600'));
    await remove(of);
    await eventually('the refusal', () => crm.hubspot.requests('POST', '/crm/v3/objects/notes').length === 1);
    const workflowId = `crm-ticket/${org.id}/${ticketing_system.external_id}`;
    await stack.temporal.workflow.getHandle(workflowId).terminate();
    const mended = await eventually('what is mended', async () => {
      const rows = await repair(stack.db, stack.temporal, { isDryRun: false });
      return rows.find(({ kind }) => kind === 'crm-ticket');
    });
    expect(mended).toMatchObject({ id: ticketing_system.external_id, mended: 'resumed' });
    await eventually('the note', () => bodies(crm).length === 1);
    await crm.hubspot.close();
  });

  it('is a note at once after the settings of HubSpot were replaced', async () => {
    const crm = await connectHubspot(org);
    await org.patch('/org/settings', { handoff_target: 'crm' });
    const of = await write('The parcel is lost in Bonn');
    await handOff();
    crm.hubspot.next('POST', '/crm/v3/objects/notes', unavailable('3600'));
    await remove(of);
    await eventually('the refusal', () => crm.hubspot.requests('POST', '/crm/v3/objects/notes').length === 1);
    expect((await crm.reconnect()).status).toBe(200);
    await eventually('the note', () => bodies(crm).length === 1);
    await crm.hubspot.close();
  });

  it('is no note where the message came after the handoff, as no copy of it is there', async () => {
    const crm = await connectHubspot(org);
    await org.patch('/org/settings', { handoff_target: 'crm' });
    await write('The parcel is lost in Bonn');
    await handOff();
    await remove(await write('and the lamp'));
    await eventually(
      'the events',
      async () =>
        (await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).execute()).length === 0,
    );
    expect([bodies(crm), await sentLines()]).toEqual([[], []]);
    await crm.hubspot.close();
  });
});
