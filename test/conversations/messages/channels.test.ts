import { connectMeta, connectTwilio, FAKES_ALLOWED, newNumber, WHATSAPP_NUMBER } from '../../support/channels.ts';
import { type FakeMeta, startFakeMeta } from '../../support/fakes/meta.ts';
import { type FakeTwilio, refusesWith, startFakeTwilio } from '../../support/fakes/twilio.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

describe('a session that nothing can be sent to', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({ isInProcess: true, env: { DEVELOPMENT: 'false' } });
  });
  afterAll(() => api.close());

  it.each([
    ['phone_voice', 'phone_voice has no transport here'],
    ['slack', 'slack is not connected'],
    ['instagram', 'instagram is not connected'],
    ['messenger', 'messenger is not connected'],
  ])('refuses an agent’s message on %s, and says why', async (type, reason) => {
    const { org } = api;
    const contact_id = (await org.post('/contacts', { contact: { phone: newNumber() } })).body.id;
    const { id } = (await org.post('/chat/sessions', { contact_id, channel: { type } })).body;
    const say = (sender: string) =>
      org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text: 'Hello' } });
    expect((await say('contact')).status).toBe(201);
    expect(await say('agent')).toMatchObject({ status: 409, body: { message: expect.stringContaining(reason) } });
    expect((await org.get(`/chat/sessions/${id}`)).body.can_send).toMatchObject({ ok: false });
    expect((await org.get(`/chat/sessions/${id}/history`)).body.items).toHaveLength(1);
  });

  it('is not opened on web_voice, which only calls open', async () => {
    const { status, body } = await api.org.post('/chat/sessions', { channel: { type: 'web_voice' } });
    expect([status, body.issues[0].path]).toEqual([400, 'body.channel.type']);
  });
});

describe('a session on a channel with a provider', () => {
  let stack: Stack;
  let twilio: FakeTwilio;
  let meta: FakeMeta;
  let org: TestOrg;
  let number: string;
  let smsUrl: string;
  let whatsAppUrl: string;
  beforeAll(async () => {
    twilio = await startFakeTwilio();
    meta = await startFakeMeta([
      { id: '1', name: 'plain', language: 'en', components: [{ type: 'BODY', text: 'Good day' }] },
    ]);
    stack = await startStack({ env: FAKES_ALLOWED });
  });
  afterAll(async () => {
    await stack.close();
    await twilio.close();
    await meta.close();
  });
  beforeEach(async () => {
    org = await stack.createOrg();
    number = newNumber();
    smsUrl = await connectTwilio(org, twilio);
    whatsAppUrl = await connectMeta(org, meta);
  });

  const receiveSms = (body: string) => twilio.receive({ from: number, to: '+15005550006', body }, smsUrl);
  const sessions = async () => (await org.get('/chat/sessions')).body.items;
  const history = async (id: string) =>
    (await org.get(`/chat/sessions/${id}/history`)).body.items.map(
      ({ event }: { event: { type: string; sender?: { type: string }; content?: { text: string } } }) =>
        [event.type, event.sender?.type, event.content?.text].filter(Boolean).join(' '),
    );
  const say = (id: string, text: string) =>
    org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message: { type: 'text', text } });
  const smsTo = () =>
    twilio.messages.filter(({ params }) => params.get('To') === number).map(({ params }) => params.get('Body'));
  const whatsAppTexts = () =>
    meta.texts.filter(({ to }) => to === number).map(({ text, phoneNumberId }) => `${text} from ${phoneNumberId}`);

  it('is opened by an SMS from an unknown number, and then exchanges messages both ways', async () => {
    expect(await receiveSms('Hello?')).toBe(200);
    const [session, ...others] = await sessions();
    expect([session, others]).toMatchObject([
      { channel: { type: 'sms' }, contact: { phone_number: number }, waiting_on: 'human_agents', ticket_number: 1 },
      [],
    ]);
    expect((await say(session.id, 'Good day!')).status).toBe(201);
    await eventually('the SMS', () => smsTo().length === 1);
    await receiveSms('Thanks');
    expect(await history(session.id)).toEqual([
      'message contact Hello?',
      'message human_agent Good day!',
      'message contact Thanks',
    ]);
    expect(smsTo()).toEqual(['Good day!']);
    const [delivery] = (await org.get('/deliveries?channel=sms')).body.items;
    expect(delivery).toMatchObject({ to: number, channel: 'sms' });
    expect((await org.get(`/chat/sessions/${session.id}/history`)).body.items[1].id).toBe(delivery.id);
  });

  it('is opened only once for concurrent messages of one contact', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map(receiveSms));
    const [session, ...others] = await sessions();
    expect(others).toEqual([]);
    expect(await history(session.id)).toHaveLength(4);
  });

  it('is reopened by a new message of the contact', async () => {
    await receiveSms('Hello?');
    const [{ id }] = await sessions();
    await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    await receiveSms('One more thing');
    expect(await sessions()).toMatchObject([{ id, status: 'open' }]);
  });

  it('accepts free text on WhatsApp after the contact has written, and sends it from the number used last', async () => {
    const template = { template_id: '1', phone_number_id: WHATSAPP_NUMBER, variables: [] };
    const { body } = await org.post('/whatsapp/send-template', { ...template, contact: { phone_number: number } });
    const id = body.opencx_session_id;
    expect((await say(id, 'Too early')).status).toBe(201);
    await eventually('the refusal', async () => (await org.get('/deliveries?status=failed')).body.items.length === 1);

    await meta.receive(whatsAppUrl, { from: number, text: 'Yes?' });
    expect((await say(id, 'Any questions?')).status).toBe(201);
    await eventually('the text', () => meta.texts.some(({ to, text }) => to === number && text === 'Any questions?'));
    expect((await history(id)).slice(1)).toEqual([
      'message human_agent Too early',
      'message contact Yes?',
      'message human_agent Any questions?',
    ]);
  });

  it('accepts free text on WhatsApp in a session that the contact began, and sends it from the number written to', async () => {
    await meta.receive(whatsAppUrl, { from: number, text: 'Hello?' });
    const [{ id }] = await sessions();
    expect((await say(id, 'Good day!')).status).toBe(201);
    await eventually('the text', () => whatsAppTexts().length === 1);
    expect(whatsAppTexts()).toEqual([`Good day! from ${WHATSAPP_NUMBER}`]);
  });

  it('sends on WhatsApp from the number that the contact wrote to last, in this session or another one', async () => {
    const template = { template_id: '1', phone_number_id: WHATSAPP_NUMBER, variables: [] };
    const { body } = await org.post('/whatsapp/send-template', { ...template, contact: { phone_number: number } });
    const second = { display_phone_number: '15550783882', phone_number_id: '206540352242923' };
    await meta.receive(whatsAppUrl, { from: number, text: 'Hello?', to: second });
    await say(body.opencx_session_id, 'Good day!');
    await eventually('the text', () => whatsAppTexts().length === 1);
    const contact_id = (await sessions())[0].contact.id;
    const { id } = (await org.post('/chat/sessions', { contact_id, channel: { type: 'whatsapp' } })).body;
    await say(id, 'One more thing');
    await eventually('another text', () => whatsAppTexts().length === 2);
    expect(whatsAppTexts()).toEqual([
      `Good day! from ${second.phone_number_id}`,
      `One more thing from ${second.phone_number_id}`,
    ]);
  });

  it('sends an SMS from the number that the contact wrote to, or from the connection’s if the account has lost it', async () => {
    await twilio.receive({ from: number, to: '+15005550007', body: 'Hello?' }, smsUrl);
    const [session] = await sessions();
    await say(session.id, 'Good day!');
    await eventually('the SMS', () => smsTo().length === 1);
    const { id } = (await org.post('/chat/sessions', { contact_id: session.contact.id, channel: { type: 'sms' } }))
      .body;
    await say(id, 'One more thing');
    await eventually('another SMS', () => smsTo().length === 2);
    twilio.next(refusesWith(21606, 'The From phone number is not valid'));
    await say(id, 'And another');
    await eventually('the last SMS', () => smsTo().length === 3);
    const senders = twilio.messages.filter(({ params }) => params.get('To') === number);
    expect(senders.map(({ params }) => params.get('From'))).toEqual(['+15005550007', '+15005550007', '+15005550006']);
  });

  it('delivers the messages of an agent in order, even if the provider temporarily refuses the first one', async () => {
    await receiveSms('Hello?');
    const [{ id }] = await sessions();
    twilio.next(refusesWith(20429, 'Too many requests', 429));
    for (const text of ['one', 'two', 'three']) expect((await say(id, text)).status).toBe(201);
    await eventually('three SMS', () => smsTo().length === 3);
    expect(smsTo()).toEqual(['one', 'two', 'three']);
  });

  it('refuses a message that cannot be sent, with the reason', async () => {
    const contact = (await org.post('/contacts', { contact: { phone: number } })).body.id;
    const open = async (type: string) =>
      (await org.post('/chat/sessions', { contact_id: contact, channel: { type } })).body.id as string;
    expect((await say(await open('whatsapp'), 'Hi')).body).toMatchObject({
      statusCode: 409,
      message: expect.stringContaining('/whatsapp/send-template'),
    });
    expect((await say(await open('email'), 'Hi')).body).toMatchObject({
      statusCode: 409,
      message: 'The contact has no e-mail address to send to',
    });
    const sms = await open('sms');
    expect((await say(sms, 'x'.repeat(1_601))).body).toMatchObject({
      statusCode: 400,
      issues: [{ path: 'body.message.text' }],
    });
    expect(await history(sms)).toEqual([]);
  });

  it('replies by e-mail from the sender address used last', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const contact = (await org.post('/contacts', { contact: { email } })).body.id;
    const { id, ticket_number } = await (async () => {
      const created = (await org.post('/chat/sessions', { contact_id: contact, channel: { type: 'email' } })).body.id;
      return (await org.get(`/chat/sessions/${created}`)).body;
    })();
    expect((await say(id, 'Hi')).body.message).toContain('POST /email');
    await org.post('/email', {
      from_email: 'support@acme.example',
      recipients: [{ to_email: 'somebody@example.com' }],
      fallback_email_subject: 'Hello',
      fallback_email_body: 'Hello',
    });
    expect((await say(id, 'a < b & c')).status).toBe(201);
    await eventually('the mail', () => stack.sink.to(email).length === 1);
    const [mail] = stack.sink.to(email);
    expect([mail?.subject, mail?.from?.text, mail?.text?.trim()]).toEqual([
      `Re: ticket #${ticket_number}`,
      'support@acme.example',
      expect.stringContaining('a < b & c'),
    ]);
  });
});
