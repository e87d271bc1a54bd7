import {
  connectMeta,
  FAKES_ALLOWED,
  newNumber,
  readDelivery,
  untilDelivery,
  WHATSAPP_NUMBER,
} from '../../support/channels.ts';
import { type FakeMeta, startFakeMeta } from '../../support/fakes/meta.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const BODY = { type: 'BODY', text: 'Dear {{1}}, see you on {{2}}.' };
const TEMPLATES = [
  { id: '2001', name: 'visit', language: 'en_GB', components: [{ type: 'HEADER', text: 'For {{1}}' }, BODY] },
  { id: '2002', name: 'waiting', language: 'en', status: 'PENDING', components: [BODY] },
  { id: '2003', name: 'pictured', language: 'en', components: [{ type: 'HEADER', format: 'IMAGE' }] },
  ...['VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT'].map((format, n) => ({
    id: `201${n}`,
    name: `with_${format.toLowerCase()}`,
    language: 'en',
    components: [
      { type: 'HEADER', format },
      { type: 'BODY', text: '{{1}}, {{1}}!' },
      { type: 'FOOTER', text: 'Reply STOP to stop' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track it', url: 'https://acme.example/{{1}}' }] },
    ],
  })),
  { id: '2004', name: 'plain', language: 'en', components: [{ type: 'BODY', text: 'Good day' }] },
];
const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

describe('POST /whatsapp/send-template', () => {
  let stack: Stack;
  let meta: FakeMeta;
  let org: TestOrg;
  let to: string;
  beforeAll(async () => {
    meta = await startFakeMeta(TEMPLATES);
    stack = await startStack({ env: FAKES_ALLOWED });
  });
  afterAll(async () => {
    await stack.close();
    await meta.close();
  });
  beforeEach(async () => {
    org = await stack.createOrg();
    to = newNumber();
    await connectMeta(org, meta);
  });

  const request = (more: object = {}) => ({
    template_id: '2004',
    phone_number_id: WHATSAPP_NUMBER,
    variables: [],
    contact: { phone_number: to },
    ...more,
  });
  const post = (more: object = {}, key?: string, client: Pick<TestOrg, 'post'> = org) =>
    client.post('/whatsapp/send-template', request(more), {
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const taken = () => meta.messages.filter((message) => message.to === to);
  const rows = (table: 'sessions' | 'session_events') =>
    stack.db
      .selectFrom(table)
      .selectAll()
      .where('org_id', '=', org.id)
      .$if(table === 'session_events', (query) => query.where('type' as never, '<>', 'session_created' as never))
      .orderBy('created_at')
      .execute();
  const newContact = async (contact: object) => (await org.post('/contacts', { contact })).body.id as string;
  /** Removes the stored responses, as after a crash before they were stored. */
  const forgetAnswers = () => stack.db.deleteFrom('idempotency_keys').where('principal_id', '=', org.id).execute();

  it('sends the template with its variables in order and returns the ids of message and session', async () => {
    const { status, body } = await post({ template_id: '2001', variables: ['Ada', 'Ada L.', 'Friday'] });
    const [message] = taken();
    expect([status, body]).toEqual([
      200,
      {
        whatsapp_message_id: message?.id,
        opencx_message_id: expect.any(String),
        opencx_session_id: expect.any(String),
      },
    ]);
    expect(message).toMatchObject({
      phoneNumberId: WHATSAPP_NUMBER,
      callbackData: body.opencx_message_id,
      template: {
        name: 'visit',
        language: { code: 'en_GB' },
        components: [
          { type: 'header', parameters: [{ type: 'text', text: 'Ada' }] },
          { type: 'body', parameters: ['Ada L.', 'Friday'].map((text) => ({ type: 'text', text })) },
        ],
      },
    });
    expect(await rows('sessions')).toMatchObject([
      { id: body.opencx_session_id, channel: 'whatsapp', status: 'open', contact_id: expect.any(String) },
    ]);
    expect(await rows('session_events')).toMatchObject([
      {
        id: body.opencx_message_id,
        session_id: body.opencx_session_id,
        type: 'workflow_message',
        sender: null,
        content: 'For Ada\n\nDear Ada L., see you on Friday.',
      },
    ]);
    const delivery = await readDelivery(org, body.opencx_message_id);
    expect(delivery).toMatchObject({ channel: 'whatsapp', status: 'accepted', to, provider_id: message?.id });
  });

  const FILE = 'https://acme.example/file';
  it.each([
    ['2003', [FILE], { type: 'image', image: { link: FILE } }, `[image: ${FILE}]`],
    ['2010', [FILE, 'Ada', 'a/b'], { type: 'video', video: { link: FILE } }, `[video: ${FILE}]`],
    ['2011', [FILE, 'Ada', 'a/b'], { type: 'document', document: { link: FILE } }, `[document: ${FILE}]`],
    [
      '2012',
      ['-33.9', '18.42', 'Shop', 'Main 1', 'Ada', 'a/b'],
      { type: 'location', location: { latitude: '-33.9', longitude: '18.42', name: 'Shop', address: 'Main 1' } },
      '[location: Shop, Main 1, -33.9, 18.42]',
    ],
  ])(
    'fills the header of template %s, and the session shows what the contact reads',
    async (id, variables, header, top) => {
      const { status, body } = await post({ template_id: id, variables });
      expect([status, body.opencx_message_id]).toEqual([200, expect.any(String)]);
      expect(taken()[0]?.template.components[0]).toEqual({ type: 'header', parameters: [header] });
      const [event] = await rows('session_events');
      const rest = id === '2003' ? [] : ['Ada, Ada!', 'Reply STOP to stop', '[Track it]'];
      expect(event).toHaveProperty('content', [top, ...rest].join('\n\n'));
    },
  );

  it('continues the given session of the contact, and opens a new one without it', async () => {
    const first = (await post()).body;
    const second = (await post({ session_id: first.opencx_session_id })).body;
    const third = (await post()).body;
    expect(second.opencx_session_id).toBe(first.opencx_session_id);
    expect(third.opencx_session_id).not.toBe(first.opencx_session_id);
    expect([(await rows('session_events')).length, (await rows('sessions')).length, taken().length]).toEqual([3, 2, 3]);
  });

  it('opens a WhatsApp session where the given session of the contact is on another channel', async () => {
    const first = (await post()).body;
    const [{ contact_id = '' } = {}] = await rows('sessions');
    const { id: session_id } = (await org.post('/chat/sessions', { contact_id, channel: { type: 'web' } })).body;
    const { status, body } = await post({ session_id });
    expect([status, taken().length]).toEqual([200, 2]);
    expect([session_id, first.opencx_session_id]).not.toContain(body.opencx_session_id);
    const ofMessages = (await rows('session_events')).filter(({ type }) => type === 'workflow_message');
    expect(ofMessages.map((event) => event.session_id)).toEqual([first.opencx_session_id, body.opencx_session_id]);
    expect(await rows('sessions')).toContainEqual(
      expect.objectContaining({ id: body.opencx_session_id, channel: 'whatsapp', contact_id }),
    );
  });

  it.each([
    ['too few variables', { template_id: '2001', variables: ['Ada'] }, 400, /takes 3 variables.*not 1/],
    ['too many variables', { template_id: '2004', variables: ['Ada'] }, 400, /takes no variables, not 1/],
    ['a header that variables cannot fill', { template_id: '2013' }, 400, /header of kind product/],
    ['a picture without its URL', { template_id: '2003' }, 400, /1 for the image in the header: link/],
    ['a picture that is no URL', { template_id: '2003', variables: ['javascript:1'] }, 400, /http or https URL/],
    [
      'a place that is none',
      { template_id: '2012', variables: ['91', '0', 'Shop', 'Here 1', 'Ada', 'x'] },
      400,
      /latitude, longitude/,
    ],
    ['a template that Meta does not know', { template_id: '2999' }, 400, /template_id/],
    ['a template that is none', { template_id: 'visit' }, 400, /template_id/],
    ['a template that is not approved', { template_id: '2002', variables: ['a', 'b'] }, 409, /PENDING, not APPROVED/],
    ['a contact that is not there', { contact: { id: UNKNOWN_ID } }, 404, /Contact not found/],
    ['a session that is not there', { session_id: UNKNOWN_ID }, 404, /Session not found/],
  ])('refuses %s and leaves nothing behind', async (_, more, expected, message) => {
    const { status, body } = await post(more);
    expect([status, body.message]).toEqual([expected, expect.stringMatching(message)]);
    expect([await rows('sessions'), await rows('session_events'), taken()]).toEqual([[], [], []]);
  });

  it('refuses a contact without a phone number, one of another org, and a session that is not the contact’s', async () => {
    const { opencx_session_id: session_id } = (await post()).body;
    const without = await post({ contact: { id: await newContact({ email: 'ann@example.com' }) } });
    expect([without.status, without.body.message]).toEqual([400, expect.stringContaining('no phone number')]);
    const { id } = (await stack.other.post('/contacts', { contact: { phone: newNumber() } })).body;
    expect((await post({ contact: { id } })).status).toBe(404);
    const others = await post({ session_id, contact: { phone_number: newNumber() } });
    expect([others.status, others.body.message]).toEqual([409, expect.stringContaining('another contact')]);
    await stack.db.updateTable('sessions').set({ status: 'closed_resolved' }).where('id', '=', session_id).execute();
    expect((await post({ session_id })).status).toBe(409);
    expect(taken()).toHaveLength(1);
  });

  it('sends nothing to blocked or suppressed contacts and reports the reason', async () => {
    await org.post('/suppressions', { channel: 'whatsapp', address: to });
    const { status, body } = await post();
    expect([status, body.message]).toEqual([409, expect.stringContaining('manual')]);
    const id = await newContact({ email: 'blocked@example.com', phone: newNumber() });
    await org.post('/blocklist/contacts', { email: 'blocked@example.com' });
    const blocked = await post({ contact: { id } });
    expect([blocked.status, blocked.body.message]).toEqual([409, expect.stringContaining('blocked')]);
    expect(taken()).toEqual([]);
  });

  it('reports why WhatsApp refused the message', async () => {
    meta.next({ status: 400, code: 132012, message: 'Parameter format does not match' });
    const { status, body } = await post();
    expect([status, body.message]).toEqual([400, expect.stringContaining('(#132012) Parameter format does not match')]);
    meta.next({ status: 401, code: 190, message: 'Token expired' });
    expect(await post()).toMatchObject({ status: 400, body: { message: expect.stringContaining('(#190)') } });
  });

  it('sends once under one Idempotency-Key and returns the same response again', async () => {
    const first = await post({}, 'once');
    const again = await post({}, 'once');
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await post({ template_id: '2001' }, 'once')).status).toBe(422);
    expect(taken()).toHaveLength(1);
  });

  it('sends once if the response was lost in a crash and the request is repeated', async () => {
    const first = await post({}, 'crashed');
    await forgetAnswers();
    const again = await post({}, 'crashed');
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect([taken().length, (await rows('session_events')).length, (await rows('sessions')).length]).toEqual([1, 1, 1]);
  });

  it('reports a message that was canceled before it went out', async () => {
    const { body } = await post({}, 'canceled');
    const canceled = { status: 'canceled', reason: 'contact_deleted' } as const;
    await stack.db.updateTable('deliveries').set(canceled).where('id', '=', body.opencx_message_id).execute();
    await forgetAnswers();
    const { status, body: answer } = await post({}, 'canceled');
    expect([status, answer.message]).toEqual([409, expect.stringContaining('contact_deleted')]);
  });

  it('does not send again if the outcome is unknown', async () => {
    meta.next('error-after');
    const { status, body } = await post({}, 'lost');
    expect([status, body.whatsapp_message_id]).toEqual([200, null]);
    expect((await readDelivery(org, body.opencx_message_id)).status).toBe('unknown');
    await forgetAnswers();
    expect((await post({}, 'lost')).body).toEqual(body);
    expect(taken()).toHaveLength(1);
  });

  describe('with a second API process', () => {
    let second: TestApi;
    beforeAll(async () => {
      second = await startApi({ databaseUrl: stack.databaseUrl, env: FAKES_ALLOWED, deps: { maxWaitMs: 300 } });
    });
    afterAll(() => second.close());

    it('answers without Meta’s id if Meta is slow, and the delivery shows it later', async () => {
      meta.next({ slowMs: 1_500 });
      const { status, body } = await post({}, undefined, second.client(org.key));
      expect([status, body.whatsapp_message_id]).toEqual([200, null]);
      const { provider_id } = await untilDelivery(org, body.opencx_message_id, 'accepted');
      expect(provider_id).toBe(taken()[0]?.id);
    });

    it('answers without Meta’s id when the process is to end, and the delivery shows it later', async () => {
      meta.next({ slowMs: 4_000 });
      const ending = await startApi({ databaseUrl: stack.databaseUrl, env: FAKES_ALLOWED });
      const answer = post({}, undefined, ending.client(org.key));
      await eventually('the message', async () => (await rows('session_events')).length > 0);
      const beganAt = performance.now();
      await ending.close();
      expect(performance.now() - beganAt).toBeLessThan(3_000);
      const { status, body } = await answer;
      expect([status, body.whatsapp_message_id]).toEqual([200, null]);
      const { provider_id } = await untilDelivery(org, body.opencx_message_id, 'accepted');
      expect(taken().map(({ id }) => id)).toEqual([provider_id]);
    });

    it('sends once if both processes receive the request at once under one key', async () => {
      meta.next({ slowMs: 500 });
      const answers = await Promise.all([post({}, 'both'), post({}, 'both', second.client(org.key))]);
      const good = answers.filter(({ status }) => status === 200);
      expect(good.length).toBeGreaterThan(0);
      expect(new Set(good.map(({ body }) => body.opencx_message_id)).size).toBe(1);
      for (const { status } of answers) expect([200, 409]).toContain(status);
      expect([taken().length, (await rows('session_events')).length]).toEqual([1, 1]);
    });
  });
});
