import { createSequence, deliveriesOf, enroll, untilEnrollments } from '../../support/channels.ts';
import { emailStep, inDomain, smsStep } from '../../support/sequences.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const byAddress = (one: { to: string }, other: { to: string }) => (one.to < other.to ? -1 : 1);
const HOSTILE = '<img src=x onerror="alert(1)"> & co';

describe('the texts of a sequence', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  let serial = 0;
  /** Returns the mail sent to a contact by a step with these texts. */
  const mailTo = async (contact: object, texts: Record<string, string>) => {
    const domain = `t${++serial}.example`;
    const steps = [emailStep('Hi', 0, { email_is_transactional: true, ...texts })];
    expect((await stack.org.post('/sequences', { filter: inDomain(domain), steps })).status).toBe(201);
    expect((await stack.org.post('/contacts', { contact: { email: `c@${domain}`, ...contact } })).status).toBe(201);
    return eventually('the mail', () => stack.sink.to(`c@${domain}`)[0]);
  };

  it.each([
    ['a name', { name: 'Ada' }, 'Hello Ada!'],
    ['no name', {}, 'Hello there!'],
    ['a blank name', { name: ' ' }, 'Hello there!'],
    ['an empty name', { name: '' }, 'Hello there!'],
    ['a name that looks like a template', { name: '{{contact.email}}' }, 'Hello {{contact.email}}!'],
  ])('refer to each contact, with a fallback for missing or blank values: %s', async (_, contact, expected) => {
    const text = 'Hello {{ contact.name | there }}!';
    const mail = await mailTo(contact, { email_subject: text, email_sender_name: text, email_body: text });
    expect([mail.subject, mail.from?.value[0]?.name, mail.text?.trim()]).toEqual([expected, expected, expected]);
  });

  it('show custom data, the phone number, and literal braces', async () => {
    const custom_data = { plan: 'pro', 'favourite drink': 'tea', blank: ' ' };
    const fields = ['plan', 'favourite drink', 'blank|-', 'gone|none'].map((key) => `{{contact.custom_data.${key}}}`);
    const body = `${fields.join(' ')} {{contact.phone_number}} \\{{as it is}}`;
    const mail = await mailTo({ custom_data, phone: '+4915112345699' }, { email_body: body });
    expect(mail.text?.trim()).toBe('pro tea - none +4915112345699 {{as it is}}');
  });

  it('escape contact values and fallbacks in HTML', async () => {
    const mail = await mailTo(
      { name: HOSTILE },
      { email_body: '<p title="{{contact.name}}">{{contact.phone_number|<b>?}}</p>' },
    );
    const escaped = '&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; co';
    expect(String(mail.html).trim()).toBe(`<p title="${escaped}">&lt;b&gt;?</p>`);
  });

  it('stay plain text, even with HTML in contact values', async () => {
    const mail = await mailTo({ name: HOSTILE }, { email_body: 'Hello {{contact.name}}' });
    expect([mail.html, mail.text?.trim()]).toEqual([false, `Hello ${HOSTILE}`]);
  });

  it('cannot break a header', async () => {
    const custom_data = { name: 'Eve\r\nBcc: all@example.com\u2028X' };
    const text = 'Hi {{contact.custom_data.name}}';
    const mail = await mailTo({ custom_data }, { email_subject: text, email_sender_name: text });
    expect([mail.subject, mail.from?.value[0]?.name]).toEqual(Array(2).fill('Hi Eve Bcc: all@example.com X'));
    expect(mail.headers.has('bcc')).toBe(false);
  });

  it('are sent by SMS as plain text, and fail alone for contacts who make them longer than 1,600 characters', async () => {
    const id = await createSequence(stack.org, [
      smsStep('Hi {{contact.name|there}}, {{contact.custom_data.due|soon}}'),
    ]);
    const start = 'Hi there, ';
    const smiling = `${'x'.repeat(1_599 - start.length)}😀`;
    const contacts = [
      { phone: '+4915112345601', custom_data: { due: smiling } },
      { phone: '+4915112345602', custom_data: { due: 'x'.repeat(2_000) } },
      { phone: '+4915112345603', name: 'Ada & <Bob>' },
      { phone: '+4915112345604', name: ' ', custom_data: { due: smiling.slice(1) } },
    ];
    for (const contact of contacts) await stack.org.post('/contacts', { contact });
    await enroll(stack.org, id, ...contacts.map(({ phone }) => phone));
    await untilEnrollments(stack.org, id, 'complete', 4);
    const { items } = (await stack.org.get('/sandbox/outbox')).body;
    const bodyTo = (phone: string) => items.find(({ to }: { to: string }) => to === phone)?.payload.Body;
    expect(contacts.map(({ phone }) => bodyTo(phone))).toEqual([
      undefined,
      undefined,
      'Hi Ada & <Bob>, soon',
      start + smiling.slice(1),
    ]);
    const failed = (await deliveriesOf(stack.org, id)).filter(({ status }: { status: string }) => status === 'failed');
    const reasonFor = (length: number) =>
      `the text has ${length} characters with the values of the contact, and an SMS has at most 1600`;
    expect(failed.toSorted(byAddress)).toMatchObject([
      { to: '+4915112345601', reason: reasonFor(1_601), attempts: 0 },
      { to: '+4915112345602', reason: reasonFor(2_010), attempts: 0 },
    ]);
    expect((await stack.org.get(`/sequences/${id}/stats`)).body.steps).toMatchObject([{ sent: 2, failed: 2, due: 0 }]);
  });

  it.each([
    ['plain text', ''],
    ['HTML', '<p>'],
  ])('fail alone for contacts who make them longer than a million characters: %s', async (_, start) => {
    const domain = `t${++serial}.example`;
    const body = `${start}${'{{contact.custom_data.a|short}}'.repeat(300)}`;
    const id = await createSequence(stack.org, [emailStep('Hi', 0, { email_body: body })], {
      filter: inDomain(domain),
    });
    const contacts = [{ email: `ann@${domain}`, custom_data: { a: 'x'.repeat(5_000) } }, { email: `bob@${domain}` }];
    for (const contact of contacts) await stack.org.post('/contacts', { contact });
    await untilEnrollments(stack.org, id, 'complete', 2);
    const deliveries: { to: string }[] = await deliveriesOf(stack.org, id);
    const reason = 'a text has more than 1000000 characters with the values of the contact';
    expect(deliveries.toSorted(byAddress)).toMatchObject([
      { to: `ann@${domain}`, status: 'failed', reason, attempts: 0 },
      { to: `bob@${domain}`, status: 'accepted' },
    ]);
  });

  describe('that are invalid', () => {
    const bad = [
      emailStep('Fine'),
      emailStep('Hi {{contact.nme}}', 0, { email_body: '{{contact.name', email_sender_name: '{{}} {{org.name}}' }),
      smsStep('{{contact.custom_data.}} {{ {{contact.name}}'),
    ];
    const at = (step: number, field: string, message: string) => ({
      path: `body.steps.${step}.action.data.${field}`,
      message: expect.stringMatching(message),
    });
    const issues = [
      at(1, 'email_subject', '^unknown field "contact.nme"; use .*at character 4'),
      at(1, 'email_body', '^{{ is not closed .*at character 1'),
      at(1, 'email_sender_name', '^{{ }} names no field; .*at character 1'),
      at(1, 'email_sender_name', '^unknown field "org.name"; .*at character 6'),
      at(2, 'message', '^unknown field "contact.custom_data."; .*at character 1'),
      at(2, 'message', '^{{ is not closed .*at character 26'),
    ];
    const refusal = (steps: object[], ...expected: object[]) => ({
      post: async () => {
        const { status, body } = await stack.org.post('/sequences', { filter: null, steps });
        expect([status, body.issues.length, body.issues]).toEqual([
          400,
          expected.length,
          expect.arrayContaining(expected),
        ]);
      },
      patch: async () => {
        const created = await stack.org.post('/sequences', {
          filter: inDomain('saved.example'),
          steps: [emailStep('One')],
        });
        const path = `/sequences/${created.body.id}`;
        const before = (await stack.org.get(path)).body;
        const { status, body } = await stack.org.patch(path, { name: 'Other', steps });
        expect([status, body.issues.length, body.issues]).toEqual([
          400,
          expected.length,
          expect.arrayContaining(expected),
        ]);
        expect((await stack.org.get(path)).body).toEqual(before);
      },
    });

    it.each(['post', 'patch'] as const)(
      'are a 400 naming each problem with its step and position: %s',
      async (method) => {
        await refusal(bad, ...issues)[method]();
      },
    );

    it.each(['post', 'patch'] as const)(
      'are a 400, as are calls by an unknown agent or one of another org: %s',
      async (method) => {
        const callBy = (aiPhoneAgentId: string) => ({
          delay_in_minutes: 0,
          action: { type: 'make_phone_calls', data: { aiPhoneAgentId } },
        });
        const { body: foreign } = await stack.other.post('/phone', { name: 'Theirs', type: 'outbound' });
        const { body: own } = await stack.org.post('/phone', { name: 'Ours', type: 'outbound' });
        const message = '^there is no phone agent with this id$';
        const steps = [callBy(own.id), callBy(foreign.id), emailStep('Fine'), callBy('no id')];
        await refusal(steps, at(1, 'aiPhoneAgentId', message), at(3, 'aiPhoneAgentId', message))[method]();
      },
    );
  });
});
