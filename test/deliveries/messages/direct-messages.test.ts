import { PNG } from '../../media/samples.ts';
import { connectInstagram, connectMessenger, FAKES_ALLOWED, untilDelivery } from '../../support/channels.ts';
import { type FakeDirectMessages, startFakeDirectMessages } from '../../support/fakes/direct-messages.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ env: { ...FAKES_ALLOWED, DEVELOPMENT: 'true' } });
});
afterAll(() => stack.close());

let people = 0;
const newPerson = () => String(700_000_000 + ++people);

describe.each(['messenger', 'instagram'] as const)('a conversation on %s', (channel) => {
  let meta: FakeDirectMessages;
  let org: TestOrg;
  let url: string;
  let person: string;
  beforeAll(async () => {
    meta = await startFakeDirectMessages(channel);
  });
  afterAll(() => meta.close());
  beforeEach(async () => {
    org = await stack.createOrg();
    url = await (channel === 'messenger' ? connectMessenger : connectInstagram)(org, meta);
    person = newPerson();
  });

  const sessionOf = async () => (await org.get('/chat/sessions')).body.items[0];
  const events = async (id: string) => (await org.get(`/chat/sessions/${id}/history`)).body.items;
  const texts = async (id: string): Promise<string[]> =>
    (await events(id)).flatMap(({ event }: { event: { type: string; content?: { text: string } } }) =>
      event.type === 'message' ? [event.content?.text ?? ''] : [],
    );
  const begin = async (text = 'Hello?') => {
    await meta.receive(url, { from: person, text });
    return (await sessionOf()).id as string;
  };
  const say = (id: string, text: string, attachments: object[] = []) =>
    org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message: { type: 'text', text, attachments } });
  const sent = (count: number) =>
    eventually(`${count} messages`, () => {
      const found = meta.sent.filter(({ to }) => to === person);
      return found.length === count && found;
    });

  it('begins with a message, which becomes a contact and a session once, and is answered there', async () => {
    const { mid } = await meta.receive(url, { from: person, text: 'Hello?' });
    await meta.receive(url, { from: person, mid, text: 'Hello?' });
    const session = await sessionOf();
    expect(session).toMatchObject({
      channel: { type: channel },
      waiting_on: 'human_agents',
      contact: { email: null, phone_number: null },
      can_send: { ok: true },
    });
    await meta.receive(url, { from: person, text: 'Anybody?' });
    expect((await say(session.id, 'Good day!')).status).toBe(201);
    const [message] = await sent(1);
    expect(message).toMatchObject({ text: 'Good day!' });
    expect(await texts(session.id)).toEqual(['Hello?', 'Anybody?', 'Good day!']);
    const { items } = (await org.get(`/deliveries?channel=${channel}`)).body;
    await untilDelivery(org, items[0].id, 'accepted');
    expect(items[0]).toMatchObject({ channel, to: person });
  });

  it('makes no contact for a reaction of a stranger, or again by a repetition', async () => {
    const { mid } = await meta.receive(url, { from: person, text: 'Hello?' });
    const { contact } = await sessionOf();
    expect((await org.delete(`/contacts/${contact.id}`)).status).toBeLessThan(300);
    await meta.receive(url, { from: person, mid, text: 'Hello?' });
    await meta.post(url, [{ sender: { id: person }, reaction: { mid, action: 'react', emoji: '👍' } }]);
    expect((await org.get('/contacts')).body.items).toEqual([]);
  });

  it('takes no message that is not signed by the app, or that is about another account, and says so', async () => {
    expect((await meta.receive(url, { from: person, text: 'Forged', forged: true })).status).toBe(403);
    expect((await meta.receive(url, { from: person, text: 'Elsewhere', account: '42' })).status).toBe(200);
    expect(await stack.db.selectFrom('inbound_messages').where('from', '=', person).selectAll().execute()).toEqual([]);
    const { last_error } = (await org.get(`/integrations/${channel}`)).body;
    expect(last_error).toContain('about 42');
  });

  it('answers the handshake with the verify token alone', async () => {
    expect([await meta.handshake(url, 'handshake'), await meta.handshake(url, 'wrong')]).toEqual([true, false]);
  });

  it('is refused with the reason once the 24 hours are over', async () => {
    const id = await begin();
    const old = new Date(Date.now() - 25 * 3_600_000);
    await stack.db.updateTable('inbound_messages').set({ received_at: old }).where('from', '=', person).execute();
    expect(await say(id, 'Too late')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('24 hours') },
    });
    const { can_send } = (await org.get(`/chat/sessions/${id}`)).body;
    expect(can_send).toEqual({ ok: false, reason: expect.stringContaining('24 hours') });
  });

  it('shows why Meta has refused a message, which is no fault of the connection', async () => {
    const id = await begin();
    meta.endWindow(person);
    await say(id, 'Too late');
    const [{ id: deliveryId }] = (await org.get(`/deliveries?channel=${channel}`)).body.items;
    const delivery = await untilDelivery(org, deliveryId, 'failed');
    expect(delivery.reason).toContain('outside of allowed window');
    await begin('Once more');
    await say(id, 'In time');
    await sent(1);
  });

  it('divides a long text in order, and sends a file by its address', async () => {
    const id = await begin();
    const words = Array.from({ length: channel === 'messenger' ? 500 : 300 }, (_, n) => `w${n}`).join(' ');
    const files = [{ name: 'a.png', base64: PNG.toString('base64') }];
    expect((await say(id, words, files)).status).toBe(201);
    const [first, second, third] = await sent(3);
    expect(`${first?.text} ${second?.text}`).toBe(words);
    expect(third?.file?.type).toBe('image');
    expect(Buffer.from(await (await fetch(third?.file?.url ?? '')).arrayBuffer())).toEqual(PNG);
  });

  it('has the files of people as attachments, and what is no file in words', async () => {
    meta.files.set('photo', PNG);
    await meta.receive(url, {
      from: person,
      text: 'Look',
      attachments: [
        { type: 'image', payload: { url: `${meta.url}/cdn/photo` } },
        { type: 'story_mention', payload: { title: 'Mine' } },
      ],
    });
    const { id } = await eventually('the session', sessionOf);
    const [{ event }] = await events(id);
    expect(event.content.text).toBe('Look\n[story mention]\npayload.title: Mine');
    expect(event.attachments).toMatchObject([{ mime_type: 'image/png' }]);
  });

  it('keeps edits, deletions and reactions, and counts reports of what has arrived', async () => {
    const { mid } = await meta.receive(url, { from: person, text: 'Helo?' });
    const { id } = await sessionOf();
    const happen = (event: object) => meta.post(url, [{ sender: { id: person }, ...event }]);
    await happen({ message_edit: { mid, text: 'Hello?', num_edit: 1 } });
    await happen({ reaction: { mid, action: 'react', reaction: 'love', emoji: '👍' } });
    await happen({ postback: { mid: `${mid}-p`, title: 'Opening hours', payload: 'HOURS' } });
    expect(await texts(id)).toEqual(['Hello?', '[reaction: 👍]', 'Opening hours']);
    await happen({ message: { mid, is_deleted: true } });
    expect((await events(id))[0].event.deleted_at).toEqual(expect.any(String));

    await say(id, 'Yes');
    const messageId = (await sent(1))[0]?.id;
    const [{ id: deliveryId }] = (await org.get(`/deliveries?channel=${channel}`)).body.items;
    await untilDelivery(org, deliveryId, 'accepted');
    await happen(channel === 'messenger' ? { delivery: { mids: [messageId] } } : { read: { mid: messageId } });
    await untilDelivery(org, deliveryId, channel === 'messenger' ? 'delivered' : 'read');
  });

  it('sends a message once whose answer is lost, and never again by itself', async () => {
    const id = await begin();
    meta.next('reset-after');
    await say(id, 'Once');
    const [{ id: deliveryId }] = (await org.get(`/deliveries?channel=${channel}`)).body.items;
    await untilDelivery(org, deliveryId, 'unknown');
    const [message] = await sent(1);
    if (channel === 'instagram') return;
    await meta.post(url, [
      { sender: { id: meta.account }, message: { is_echo: true, mid: message?.id, metadata: message?.metadata } },
    ]);
    await untilDelivery(org, deliveryId, 'sent');
    expect(await texts(id)).toEqual(['Hello?', 'Once']);
  });

  it('is tested by a call for the account', async () => {
    expect((await org.post(`/integrations/${channel}/test`, {})).body).toMatchObject({ connected: true });
  });
});
