import { listContactTexts } from '../../../src/conversations/sessions/tagging.queries.ts';
import { newAnsweringOrg, turnsOf } from '../../ai/answering-org.ts';
import { extracted, insightsOf, storedTextOf } from '../../insights/support.ts';
import { PNG } from '../../media/samples.ts';
import { connectMeta, FAKES_ALLOWED, newNumber } from '../../support/channels.ts';
import { type FakeMeta, startFakeMeta } from '../../support/fakes/meta.ts';
import { startWebhookReceiver } from '../../support/fakes/webhook-receiver.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { openEventStream } from '../../support/stack/event-stream.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { createEndpoint } from '../../webhooks/endpoints.ts';

interface Item {
  id: string;
  redacted?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  event: any;
}

let stack: Stack;
let meta: FakeMeta;
let org: TestOrg;
let number: string;
let url: string;
beforeAll(async () => {
  meta = await startFakeMeta();
  stack = await startStack({ env: { ...FAKES_ALLOWED, DEVELOPMENT: 'true' } });
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

const newId = () => `wamid.${crypto.randomUUID()}`;
const write = async (text: string, id = newId()) => {
  expect(await meta.receive(url, { from: number, text, id })).toBe(200);
  return id;
};
const textOf = (body: string) => ({ type: 'text', text: { body } });
const edit = async (of: string, text: string, more: { id?: string; timestamp?: string } = {}) =>
  expect(await meta.edit(url, number, { of, content: textOf(text), ...more })).toBe(200);
const sessions = async () => (await org.get('/chat/sessions')).body.items;
const items = async (): Promise<Item[]> => {
  const [session] = await sessions();
  return session === undefined ? [] : (await org.get(`/chat/sessions/${session.id}/history`)).body.items;
};
const messages = async () => (await items()).filter(({ event }) => event.type === 'message');
const texts = async () => (await messages()).map(({ event }) => event.content.text);
const types = async () => (await items()).map(({ event }) => event.type);
const found = async (q: string) => (await org.get(`/chat/sessions/search?q=${q}`)).body.messages.length;

/** Has the AI of an org of its own answer, some seconds after a message. */
async function answerByAi() {
  org = await newAnsweringOrg(stack);
  url = await connectMeta(org, meta);
  await org.patch('/autopilot', { channel: 'whatsapp', autopilot_enabled: true });
  await org.patch('/autopilot/settings', { quiet_seconds: { whatsapp: 3 }, cap_seconds: { whatsapp: 10 } });
  expect((await org.post('/autopilot/settings/publish')).status).toBe(200);
}
const endedTurn = (sessionId: string) =>
  eventually('the end of the turn', async () => {
    const [turn] = await turnsOf(stack.db, sessionId);
    return turn?.ended_at ? turn : undefined;
  });

describe('an edit of a WhatsApp message', () => {
  it('changes the text of the message in the history and the search, and is an event of the session', async () => {
    const of = await write('My parcel is lost in Bonn');
    const [session] = await sessions();
    const live = await openEventStream(`${stack.url}/chat/sessions/${session.id}/events`, { key: org.key });
    await edit(of, 'My parcel is lost in Hamburg', { timestamp: '1790000000' });
    const [message, event, ...others] = await items();
    expect(message?.event).toMatchObject({
      content: { text: 'My parcel is lost in Hamburg' },
      edited_at: '2026-09-21T14:13:20.000Z',
    });
    expect(event?.event).toEqual({ type: 'message_edited', message_id: message?.id });
    expect(others).toEqual([]);
    expect([await found('Hamburg'), await found('Bonn')]).toEqual([1, 0]);
    expect((await live.take(1))[0]).toMatchObject({ type: 'message_edited', data: { event: event?.event } });
    live.cut();
  });

  it('counts once, however often it is received', async () => {
    const of = await write('one');
    const repeated = { id: newId(), timestamp: '1790000000' };
    await edit(of, 'two', repeated);
    await edit(of, 'two', repeated);
    expect(await types()).toEqual(['message', 'message_edited']);
  });

  it('does not undo a later edit', async () => {
    const of = await write('one');
    await edit(of, 'three', { timestamp: '1790000020' });
    await edit(of, 'two', { timestamp: '1790000010' });
    expect([await texts(), await types()]).toEqual([['three'], ['message', 'message_edited']]);
  });

  it('of an unknown message is a message itself, once', async () => {
    const id = newId();
    await edit('wamid.unknown', 'My parcel', { id });
    await edit('wamid.unknown', 'My parcel', { id });
    expect(await texts()).toEqual(['My parcel']);
  });

  it('of a message that comes later is that message, with its last text', async () => {
    const of = newId();
    await edit(of, 'three', { timestamp: '1790000020' });
    await edit(of, 'two', { timestamp: '1790000010' });
    await write('one', of);
    expect(await texts()).toEqual(['three']);
  });

  it.each(['message', 'session'])('changes nothing after a redaction of the %s', async (kind) => {
    const of = await write('card 4711');
    const [message] = await items();
    const [session] = await sessions();
    const target = kind === 'message' ? { messageId: message?.id } : { sessionId: session.id };
    expect((await org.post(`/redaction/${kind}`, target)).status).toBe(200);
    await edit(of, 'card 4712');
    expect((await messages())[0]).toMatchObject({ redacted: true, event: { content: { text: null } } });
    expect(await types()).toEqual(['message', 'redacted']);
    const stored = await stack.db.selectFrom('inbound_messages').select('body').where('org_id', '=', org.id).execute();
    expect(stored.map(({ body }) => body)).toEqual(['', '']);
  });

  it('leaves no text behind when the message is redacted', async () => {
    await edit(await write('card 4711'), 'card 4712');
    const [message] = await items();
    await org.post('/redaction/message', { messageId: message?.id });
    const events = await stack.db.selectFrom('session_events').selectAll().where('org_id', '=', org.id).execute();
    const stored = await stack.db.selectFrom('inbound_messages').selectAll().where('org_id', '=', org.id).execute();
    expect(JSON.stringify([events, stored])).not.toContain('card 47');
  });

  it('changes the caption of a file, and keeps the file', async () => {
    const id = newId();
    meta.files.set('77', PNG);
    await meta.receiveContent(url, number, { type: 'image', id, image: { id: '77', caption: 'Brokn' } });
    await eventually('the message', async () => (await messages()).length === 1);
    await meta.edit(url, number, { of: id, content: { type: 'image', image: { id: '77', caption: 'Broken' } } });
    const [message] = await messages();
    const { content, attachments } = message?.event ?? {};
    const lines = content.text.split('\n');
    expect([lines[0], attachments.length + lines.length - 1]).toEqual(['Broken', 1]);
  });

  it('changes the caption of a file that could not be had, and keeps saying so', async () => {
    const id = newId();
    await meta.receiveContent(url, number, { type: 'image', id, image: { id: '404', caption: 'Brokn' } });
    const [before] = await eventually('the message', async () => {
      const all = await texts();
      return all.length === 1 && all;
    });
    await meta.edit(url, number, { of: id, content: { type: 'image', image: { id: '404', caption: 'Broken' } } });
    expect([before, ...(await texts())]).toEqual([
      expect.stringMatching(/^Brokn\n\[image not received: .+\]$/),
      expect.stringMatching(/^Broken\n\[image not received: .+\]$/),
    ]);
  });

  it('is what the AI answers if it comes before the answer', async () => {
    await answerByAi();
    await edit(await write('Hello'), 'Please connect me to a human.');
    const [session] = await sessions();
    const turn = await endedTurn(session.id);
    expect(turn).toMatchObject({ state: 'handed_off', reason: 'user_request' });
  });
});

describe('a deletion of a WhatsApp message', () => {
  it('marks the message, whose text stays for agents, and is no new message', async () => {
    const of = await write('I want a refund');
    const deletion = { of, id: newId(), timestamp: '1790000000' };
    expect(await meta.revoke(url, number, deletion)).toBe(200);
    expect(await meta.revoke(url, number, deletion)).toBe(200);
    const [message, ...others] = await items();
    expect(message?.event).toMatchObject({
      content: { text: 'I want a refund' },
      deleted_at: '2026-09-21T14:13:20.000Z',
    });
    expect(others.map(({ event }) => event)).toEqual([{ type: 'message_deleted', message_id: message?.id }]);
    await edit(of, 'too late');
    expect(await texts()).toEqual(['I want a refund']);
  });

  it('of an unknown message keeps it out when it comes later', async () => {
    expect(await meta.revoke(url, number, { of: 'wamid.unknown' })).toBe(200);
    expect(await sessions()).toEqual([]);
    await write('I regret this', 'wamid.unknown');
    expect(await sessions()).toEqual([]);
  });

  it('keeps the message from the AI', async () => {
    await answerByAi();
    expect(await meta.revoke(url, number, { of: await write('Please connect me to a human.') })).toBe(200);
    const [session] = await sessions();
    const turn = await endedTurn(session.id);
    expect(turn).not.toMatchObject({ reason: 'user_request' });
  });
});

describe('what others read of a changed WhatsApp message', () => {
  it('a webhook has the message with its new text, and one says that it was deleted, once', async () => {
    const receiver = await startWebhookReceiver();
    await createEndpoint(org, receiver, {
      event_types: ['conversation.message_edited', 'conversation.message_deleted'],
      ordered: true,
    });
    const of = await write('one');
    await edit(of, 'two');
    const deletion = { of, id: newId() };
    await meta.revoke(url, number, deletion);
    await meta.revoke(url, number, deletion);
    await eventually('two webhooks', () => receiver.received.length >= 2);
    const [message] = await messages();
    expect(receiver.received.map(({ body }) => [body.type, body.data.message.id])).toEqual([
      ['conversation.message_edited', message?.id],
      ['conversation.message_deleted', message?.id],
    ]);
    expect(receiver.received[0]?.body.data.message.event).toMatchObject({ content: { text: 'two' } });
    expect(receiver.received[1]?.body.data.message.event).toMatchObject({ deleted_at: expect.any(String) });
    await receiver.close();
  });

  it('no webhook tells of a change by a blocked contact', async () => {
    const receiver = await startWebhookReceiver();
    await createEndpoint(org, receiver, { event_types: ['conversation.message_edited', 'conversation.started'] });
    const email = `${crypto.randomUUID()}@example.com`;
    await write('zero');
    const [{ contact }] = await sessions();
    expect((await org.patch(`/contacts/${contact.id}`, { contact: { email } })).status).toBe(200);
    expect((await org.post('/blocklist/contacts', { email })).status).toBeLessThan(300);
    const of = await write('one');
    await edit(of, 'two');
    const open = (await org.post('/chat/sessions', {})).body.id;
    await eventually('the webhook of another session', () =>
      receiver.received.some(({ body }) => body.data.session.id === open),
    );
    expect(receiver.received.map(({ body }) => body.type)).not.toContain('conversation.message_edited');
    await receiver.close();
  });

  it('the search finds the new text of an edit, and no deleted text', async () => {
    const [edited, deleted] = [await write('a zebra'), await write('an okapi')];
    await edit(edited, 'a wombat');
    await meta.revoke(url, number, { of: deleted });
    expect([await found('zebra'), await found('wombat'), await found('okapi')]).toEqual([0, 1, 0]);
  });

  it('a summary has the new text of an edit, and no deleted text', async () => {
    const [edited, deleted] = [await write('My zebra is lost.'), await write('My okapi is lost.')];
    await edit(edited, 'My wombat is lost.');
    await meta.revoke(url, number, { of: deleted });
    const [session] = await sessions();
    await org.post(`/chat/sessions/${session.id}/handoff`, { reason: 'test' });
    expect((await org.get(`/chat/sessions/${session.id}`)).body.handoff.summary).toBe('Customer: My wombat is lost.');
  });

  it('insights have the new text of an edit and no deleted text, also if they had the earlier one', async () => {
    const [edited, deleted] = [await write('My zebra has been lost since Monday'), await write('ok')];
    const [{ id }] = await sessions();
    await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    await extracted(stack, org, id);
    expect(await storedTextOf(stack, org)).toContain('zebra');
    await edit(edited, 'My wombat has been lost since Monday');
    await extracted(stack, org, id, 2);
    await meta.revoke(url, number, { of: deleted });
    const current = (await insightsOf(org)).filter(({ status }) => status !== 'archived');
    expect(current.map(({ content }) => content)).toEqual(['My wombat has been lost since Monday']);
    await meta.revoke(url, number, { of: edited });
    await eventually('the extraction without it', async () => !(await storedTextOf(stack, org)).includes('wombat'));
    expect(await storedTextOf(stack, org)).not.toContain('zebra');
  });

  it('tags are suggested by the new text of an edit, and by no deleted text', async () => {
    const [edited, deleted] = [await write('a zebra'), await write('an okapi')];
    await edit(edited, 'a wombat');
    await meta.revoke(url, number, { of: deleted });
    const [{ id }] = await sessions();
    const limits = { messages: 10, characters: 1_000 };
    expect(await listContactTexts(stack.db, org.id, [id], limits)).toEqual([{ id, text: 'a wombat' }]);
  });
});

describe('a WhatsApp message that waits for its files', () => {
  it('has its edit and its deletion once it is in the session', async () => {
    const id = newId();
    const gate = Promise.withResolvers<void>();
    meta.holdFiles(gate.promise);
    meta.files.set('88', PNG);
    const content = { type: 'image', id, image: { id: '88', caption: 'Brokn' } };
    expect(await meta.receiveContent(url, number, content)).toBe(200);
    await meta.edit(url, number, { of: id, content: { type: 'image', image: { id: '88', caption: 'Broken' } } });
    await meta.revoke(url, number, { of: id });
    expect(await sessions()).toEqual([]);
    gate.resolve();
    const [message] = await eventually('the message', async () => {
      const all = await messages();
      return all.length === 1 && all;
    });
    expect(message?.event.content.text.split('\n')[0]).toBe('Broken');
    expect(message?.event).toMatchObject({ edited_at: expect.any(String), deleted_at: expect.any(String) });
    expect(await types()).toEqual(['message', 'message_edited', 'message_deleted']);
  });
});

describe('a WhatsApp message of an unknown type', () => {
  const POLL = { type: 'poll', id: newId(), poll: { question: 'When?', hidden: { '': 'today' } } };
  const raws = async () =>
    (await stack.db.selectFrom('inbound_messages').select('raw').where('org_id', '=', org.id).execute()).map(
      ({ raw }) => raw,
    );

  it('is shown with the text found in it, and keeps its raw form, which is not shown', async () => {
    expect(await meta.receiveContent(url, number, POLL)).toBe(200);
    expect(await texts()).toEqual(['[poll]\nquestion: When?\nhidden.: today']);
    const [raw] = await raws();
    expect(JSON.parse(raw ?? '')).toMatchObject(POLL);
    expect(JSON.stringify(await items())).not.toContain('raw');
  });

  it('keeps at most 32,768 characters of its raw form', async () => {
    await meta.receiveContent(url, number, { ...POLL, id: newId(), more: 'x'.repeat(40_000) });
    expect((await raws()).map((raw) => raw?.length)).toEqual([32_768]);
  });

  it('loses its raw form when it is redacted', async () => {
    await meta.receiveContent(url, number, { ...POLL, id: newId() });
    expect(await raws()).toEqual([expect.any(String)]);
    const [message] = await items();
    await org.post('/redaction/message', { messageId: message?.id });
    expect(await raws()).toEqual([null]);
  });

  it('loses its raw form when its contact is deleted', async () => {
    await meta.receiveContent(url, number, { ...POLL, id: newId() });
    expect(await raws()).toEqual([expect.any(String)]);
    const [session] = await sessions();
    expect((await org.delete(`/contacts/${session.contact.id}`)).status).toBeLessThan(300);
    expect(await raws()).toEqual([null]);
  });
});
