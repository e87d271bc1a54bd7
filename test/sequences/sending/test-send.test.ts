import { emailStep, inDomain, smsStep, timeIn } from '../../support/sequences.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const PHONE = '+4915112345678';

describe('POST /sequences/{id}/test', () => {
  let stack: Stack;
  let path: string;
  let agentId: string;
  beforeAll(async () => {
    stack = await startStack();
    agentId = (await stack.org.post('/phone', { name: 'Agent', type: 'outbound' })).body.id;
    path = await create(everyKind(agentId));
  });
  afterAll(() => stack.close());

  const greeting = 'Hello {{contact.name|there}}, {{contact.custom_data.plan|no plan}}';
  const everyKind = (aiPhoneAgentId: string) => [
    emailStep(greeting, 0, { email_body: `<p>${greeting}</p>`, email_sender_name: 'Acme for {{contact.name|you}}' }),
    smsStep(greeting, 60),
    emailStep('Last', 60, { email_is_transactional: true }),
    { delay_in_minutes: 60, action: { type: 'make_phone_calls', data: { aiPhoneAgentId } } },
    {
      delay_in_minutes: 60,
      action: {
        type: 'send_whatsapp_messages',
        data: {
          phone_number_id: '106',
          template: {
            name: 'hello',
            language: 'en',
            parameters: {
              body: {
                type: 'body',
                parameters: [{ type: 'text', text: { type: 'GLOBAL_DYNAMIC', ref: 'CONTACT_NAME', fallback: 'you' } }],
              },
            },
          },
        },
      },
    },
  ];
  /** Creates a sequence with gates deferring every send to enrolled contacts. */
  const create = async (steps: object[]) => {
    const quiet_hours = { start: timeIn('UTC', -60), end: timeIn('UTC', 60) };
    const gates = { quiet_hours, daily_cap: 1, sends_per_minute: 1 };
    const { status, body } = await stack.org.post('/sequences', { filter: inDomain('enrolled.example'), gates, steps });
    expect(status).toBe(201);
    return `/sequences/${body.id}`;
  };
  const mailsTo = (address: string, count: number) =>
    eventually('the mails', () => {
      const mails = stack.sink.to(address);
      return mails.length === count && mails;
    });
  const outboxTo = (to: string, count: number) =>
    eventually('the sandbox', async () => {
      const { items } = (await stack.org.get('/sandbox/outbox')).body;
      const own = items.filter((item: { to: string }) => item.to === to);
      return (
        own.length === count &&
        Object.fromEntries(own.map(({ channel, payload }: { channel: string; payload: unknown }) => [channel, payload]))
      );
    });

  it('sends each e-mail of the sequence to an address at once, with fallbacks if no contact is given', async () => {
    const { status, body } = await stack.org.post(`${path}/test`, { to: 'Me@test.example' });
    expect(status).toBe(201);
    const steps = (await stack.org.get(path)).body.steps;
    expect(body.data).toEqual(
      [0, 2].map((index) => ({
        id: expect.any(String),
        step_id: steps[index].id,
        index,
        channel: 'email',
        to: 'me@test.example',
        status: 'queued',
      })),
    );
    const mails = await mailsTo('me@test.example', 2);
    const mail = mails.find(({ subject }) => subject !== 'Last');
    expect(mail?.subject).toBe('Hello there, no plan');
    expect(mail?.html).toContain('<p>Hello there, no plan</p>');
    expect(mail?.from?.value[0]).toEqual({ name: 'Acme for you', address: 'hello@acme.example' });
    for (const { id } of body.data) {
      const delivery = await eventually('the outcome', async () => {
        const { body: now } = await stack.org.get(`/deliveries/${id}`);
        return now.status === 'accepted' && now;
      });
      expect(delivery).toMatchObject({ sequence_id: null, enrollment_id: null, contact_id: null });
    }
  });

  it('fills the templates with the given contact', async () => {
    const contact = { email: 'ada@other.example', name: 'Ada <3', custom_data: { plan: 'pro' } };
    const { body: saved } = await stack.org.post('/contacts', { contact });
    expect((await stack.org.post(`${path}/test`, { to: 'about@test.example', contact_id: saved.id })).status).toBe(201);
    const mail = (await mailsTo('about@test.example', 2)).find(({ subject }) => subject !== 'Last');
    expect([mail?.subject, mail?.from?.value[0]?.name]).toEqual(['Hello Ada <3, pro', 'Acme for Ada <3']);
    expect(mail?.html).toContain('<p>Hello Ada &lt;3, pro</p>');
    expect(stack.sink.to('ada@other.example')).toEqual([]);
  });

  it('sends to a phone number by all other channels', async () => {
    const { body: saved } = await stack.org.post('/contacts', { contact: { email: 'ada@phone.example', name: 'Ada' } });
    const { status, body } = await stack.org.post(`${path}/test`, { to: '+49 1511 2345678', contact_id: saved.id });
    expect(status).toBe(201);
    expect(body.data.map(({ index, channel, to }: Record<string, unknown>) => [index, channel, to])).toEqual([
      [1, 'sms', PHONE],
      [3, 'voice', PHONE],
      [4, 'whatsapp', PHONE],
    ]);
    const { sms, voice, whatsapp } = await outboxTo(PHONE, 3);
    expect(sms).toMatchObject({ To: PHONE, Body: 'Hello Ada, no plan' });
    expect(voice).toMatchObject({ customer: { number: PHONE } });
    expect(whatsapp.template.components).toEqual([{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }]);
  });

  it('enrolls nobody, and changes no statistics or sender rates', async () => {
    await stack.org.post(`${path}/test`, { to: 'count@test.example' });
    await mailsTo('count@test.example', 2);
    expect((await stack.org.get(`${path}/enrollments`)).body.items).toEqual([]);
    const { steps, enrollments } = (await stack.org.get(`${path}/stats`)).body;
    expect(enrollments).toEqual({ active: 0, complete: 0, canceled: 0, exited: 0 });
    expect(steps.map(({ sent, due }: { sent: number; due: number }) => [sent, due])).toEqual(steps.map(() => [0, 0]));
    expect(await stack.db.selectFrom('sender_rates').selectAll().execute()).toEqual([]);
  });

  it('sends the steps of a sequence not started yet', async () => {
    const input = { is_continuous: false, filter: null, steps: [emailStep('Draft')] };
    const { body } = await stack.org.post('/sequences', input);
    expect((await stack.org.post(`/sequences/${body.id}/test`, { to: 'draft@test.example' })).status).toBe(201);
    expect((await mailsTo('draft@test.example', 1))[0]?.subject).toBe('Draft');
    expect((await stack.org.get(`/sequences/${body.id}`)).body.status).toBe('pending');
  });

  it.each([
    [
      'an e-mail address without an e-mail step',
      [smsStep('Hi')],
      'me@test.example',
      'no step of this sequence goes to an e-mail address',
    ],
    [
      'a phone number with e-mail steps only',
      [emailStep('Hi')],
      PHONE,
      'no step of this sequence goes to a phone number',
    ],
    [
      'neither an e-mail address nor a phone number',
      [emailStep('Hi')],
      'me',
      'must be an e-mail address, or a phone number with + and the country code',
    ],
    [
      'a phone number without its country code',
      [smsStep('Hi')],
      '015112345678',
      'must be an e-mail address, or a phone number with + and the country code',
    ],
  ])('rejects %s', async (_, steps, to, message) => {
    const { status, body } = await stack.org.post(`${await create(steps)}/test`, { to });
    expect([status, body.issues]).toEqual([400, [{ path: 'body.to', message }]]);
  });

  it('rejects a contact whose values make a text too long, and sends nothing', async () => {
    const custom_data = { plan: 'x'.repeat(1_600) };
    const { body: saved } = await stack.org.post('/contacts', { contact: { email: 'long@test.example', custom_data } });
    const to = '+4915112345679';
    const { status, body } = await stack.org.post(`${path}/test`, { to, contact_id: saved.id });
    const message = 'the text has 1613 characters with the values of the contact, and an SMS has at most 1600';
    expect([status, body.message]).toEqual([400, `Step 2 cannot be sent: ${message}`]);
    expect(await stack.db.selectFrom('deliveries').select('id').where('to', '=', to).execute()).toEqual([]);

    const long = await create([emailStep('Long', 0, { email_body: '{{contact.custom_data.plan}}'.repeat(700) })]);
    const answer = await stack.org.post(`${long}/test`, { to: 'me@long.example', contact_id: saved.id });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      'Step 1 cannot be sent: a text has more than 1000000 characters with the values of the contact',
    ]);
  });

  it('finds only contacts and sequences of the caller’s org', async () => {
    const { body: foreign } = await stack.other.post('/contacts', { contact: { email: 'their@other.example' } });
    const answers = [
      await stack.org.post(`${path}/test`, { to: 'me@foreign.example', contact_id: foreign.id }),
      await stack.org.post(`${path}/test`, { to: 'me@foreign.example', contact_id: crypto.randomUUID() }),
      await stack.other.post(`${path}/test`, { to: 'me@foreign.example' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    const sent = stack.db.selectFrom('deliveries').select('id').where('to', '=', 'me@foreign.example');
    expect(await sent.execute()).toEqual([]);
  });
});
