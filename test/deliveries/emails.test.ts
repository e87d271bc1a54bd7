import { createMailTokens } from '../../src/deliveries/inbound/mail-tokens.ts';
import { emailStep } from '../support/sequences.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

const request = (more: object) => ({
  from_email: 'hello@acme.example',
  fallback_email_subject: 'Fallback',
  fallback_email_body: 'Body',
  ...more,
});

describe('POST /email', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  const statusOf = async (id: string) => {
    const row = await stack.db
      .selectFrom('deliveries')
      .select(['status', 'reason'])
      .where('org_id', '=', stack.org.id)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return row.status === 'queued' || row.status === 'sending' ? undefined : row;
  };

  it('sends each recipient their own text, or the fallback if they have none', async () => {
    const { status, body } = await stack.org.post(
      '/email',
      request({
        recipients: [
          {
            to_email: 'Ann@example.com',
            email_subject: 'For Ann',
            email_body: '<p>Hi</p>',
            email_sender_name: 'Acme',
            email_is_transactional: true,
          },
          { to_email: 'bob@example.com', email_is_transactional: true },
        ],
      }),
    );
    expect(status).toBe(201);
    expect(body.data.map(({ to_email, status }: Record<string, string>) => [to_email, status])).toEqual([
      ['Ann@example.com', 'queued'],
      ['bob@example.com', 'queued'],
    ]);
    await eventually('both mails', () => stack.sink.mails.length === 2);
    const [ann] = stack.sink.to('ann@example.com');
    const [bob] = stack.sink.to('bob@example.com');
    expect([ann?.subject, String(ann?.html).trim(), ann?.from?.text]).toEqual([
      'For Ann',
      '<p>Hi</p>',
      '"Acme" <hello@acme.example>',
    ]);
    expect([bob?.subject, bob?.text?.trim()]).toEqual(['Fallback', 'Body']);
    const shown = await Promise.all(body.data.map(({ id }: { id: string }) => stack.org.get(`/deliveries/${id}`)));
    expect(shown.map((delivery) => delivery.body.subject)).toEqual(['For Ann', 'Fallback']);
    expect(ann?.messageId).toMatch(/^<\S+@acme\.example>$/);
    const tokens = createMailTokens(stack.config.signingSecrets);
    expect(tokens.findRef(ann?.messageId ?? '')).toEqual({ orgId: stack.org.id, deliveryId: body.data[0].id });
  });

  it.each([
    ['a text with an address', 'Please write to <help@example.com> today.', undefined, false],
    ['a complete element', '<p>Write to <b>us</b></p>', undefined, true],
    ['what is said to be text', '<p>Hi</p>', false, false],
    ['what is said to be HTML', 'A &amp; B', true, true],
  ])(
    'sends HTML only as it is said, or has a complete element, and always with its text: %s',
    async (_, body, is_html, isHtml) => {
      const to_email = `${crypto.randomUUID()}@example.com`;
      const recipients = [{ to_email, email_subject: 'Hi', email_body: body, is_html, email_is_transactional: true }];
      expect((await stack.org.post('/email', { from_email: 'hello@acme.example', recipients })).status).toBe(201);
      const mail = await eventually('the mail', () => stack.sink.to(to_email)[0]);
      expect(mail.html === false ? false : String(mail.html).trim()).toBe(isHtml ? body : false);
      expect(mail.text?.trim()).toBe(isHtml ? body.replace('&amp;', '&').replace(/<[^>]*>/g, '') : body);
    },
  );

  it('fills placeholders with the contact of the address, and refuses a text that is no template', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const contact = { email, name: 'Ann & Co', custom_data: { plan: 'pro' } };
    await stack.org.post('/contacts', { contact });
    const text = '{{contact.name|friend}}, {{contact.custom_data.plan|no plan}}, \\{{as it is}}';
    const unknown = `${crypto.randomUUID()}@example.com`;
    const given = request({
      recipients: [
        { to_email: email, email_body: `<b>${text}</b>`, email_is_transactional: true },
        { to_email: unknown, email_subject: 'For {{contact.email}}', email_is_transactional: true },
      ],
      fallback_email_subject: text,
      fallback_email_body: text,
    });
    expect((await stack.org.post('/email', given)).status).toBe(201);
    const known = await eventually('the mail', () => stack.sink.to(email)[0]);
    const other = await eventually('the mail', () => stack.sink.to(unknown)[0]);
    expect([known.subject, String(known.html).trim()]).toEqual([
      'Ann & Co, pro, {{as it is}}',
      '<b>Ann &amp; Co, pro, {{as it is}}</b>',
    ]);
    expect([other.subject, other.text?.trim()]).toEqual([`For ${unknown}`, 'friend, no plan, {{as it is}}']);

    const wrong = request({ recipients: [{ to_email: email }, { to_email: email, email_body: '{{contact.nmae}}' }] });
    const refused = await stack.org.post('/email', wrong);
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'body.recipients.1.email_body']);
  });

  it('has a visible link for unsubscribing in marketing mail: at its placeholder, else at the end', async () => {
    const bodies = [
      'Hi',
      'Bye: {{ unsubscribe_url }}',
      '<html><body><p>Hi</p></body></html>',
      '<a href="{{unsubscribe_url}}">No</a>',
    ];
    const recipients = bodies.map((email_body, nth) => ({
      to_email: `${nth}-${crypto.randomUUID()}@example.com`,
      email_body,
    }));
    expect((await stack.org.post('/email', request({ recipients }))).status).toBe(201);
    const shown = await Promise.all(
      recipients.map(async ({ to_email }) => {
        const mail = await eventually('the mail', () => stack.sink.to(to_email)[0]);
        const [url = ''] =
          /http[^>]+/.exec(String(mail.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line)) ?? [];
        expect(mail.text).toContain(url);
        return String(mail.html || mail.text)
          .trim()
          .replaceAll(url, 'URL');
      }),
    );
    expect(shown).toEqual([
      'Hi\n\nUnsubscribe: URL',
      'Bye: URL',
      '<html><body><p>Hi</p><p style="font-size:12px"><a href="URL">Unsubscribe</a></p></body></html>',
      '<a href="URL">No</a>',
    ]);
  });

  it('sends after the delay', async () => {
    await stack.org.post('/email', request({ recipients: [{ to_email: 'late@example.com' }], delay_in_minutes: 0.03 }));
    const askedAt = Date.now();
    await eventually('the mail', () => stack.sink.to('late@example.com').length === 1);
    expect(Date.now() - askedAt).toBeGreaterThan(1_500);
  });

  it('sends nothing to a contact who is deleted while an e-mail or a reply to them waits', async () => {
    const { org, sink } = stack;
    const email = 'leaves@example.com';
    const { id } = (await org.post('/contacts', { contact: { email } })).body;
    await org.post('/email', request({ recipients: [{ to_email: email, email_subject: 'First' }] }));
    await eventually('a mail to answer from', () => sink.to(email).length === 1);
    sink.refuse(email, [451, '4.7.1 later']);
    const session = { contact_id: id, channel: { type: 'email' } };
    const sessionId: string = (await org.post('/chat/sessions', session)).body.id;
    const message = { type: 'text', text: 'A reply' };
    await org.post(`/chat/sessions/${sessionId}/send`, { sender: 'agent', message });
    const [{ id: replyId }] = (await org.get(`/chat/sessions/${sessionId}/history`)).body.items;
    await eventually('the refusal', async () => (await org.get(`/deliveries/${replyId}`)).body.attempts === 1);
    const delayed = request({ recipients: [{ to_email: email }, { to_email: 'stays@example.com' }] });
    const { data } = (await org.post('/email', { ...delayed, delay_in_minutes: 0.06 })).body;

    expect((await org.delete(`/contacts/${id}`)).status).toBe(200);
    for (const waiting of [replyId, data[0].id])
      expect(await statusOf(waiting)).toEqual({ status: 'canceled', reason: 'the contact was deleted' });
    sink.accept(email);
    await eventually('the mail to the other', () => sink.to('stays@example.com').length === 1);
    expect(sink.to(email)).toHaveLength(1);
    expect((await org.get(`/chat/sessions/${sessionId}`)).status).toBe(200);
  });

  it('adds a one-click unsubscribe to e-mail other than transactional, and an opt-out applies to sequences too', async () => {
    await stack.org.post(
      '/email',
      request({
        recipients: [{ to_email: 'opt@example.com' }, { to_email: 'need@example.com', email_is_transactional: true }],
      }),
    );
    await eventually(
      'both mails',
      () => stack.sink.to('opt@example.com').length + stack.sink.to('need@example.com').length === 2,
    );
    const headers = (to: string) =>
      stack.sink
        .to(to)[0]
        ?.headerLines.map(({ line }) => line)
        .join('\n') ?? '';
    expect(headers('need@example.com')).not.toContain('List-Unsubscribe');
    expect(headers('opt@example.com')).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    const [, path] = /<http:\/\/127\.0\.0\.1:\d+(\/u\/[^>]+)>/.exec(headers('opt@example.com')) ?? [];

    const page = await stack.client().get(path as string);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('o•••@e•••.com')]);
    expect(page.body).not.toContain('opt@example.com');
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect((await stack.client().post(`${path}x`, 'List-Unsubscribe=One-Click', form)).status).toBe(404);
    await stack.org.post('/email', request({ recipients: [{ to_email: 'opt@example.com' }] }));
    await eventually(
      'a second mail, as looking is not unsubscribing',
      () => stack.sink.to('opt@example.com').length === 2,
    );

    expect((await stack.client().post(path as string, 'List-Unsubscribe=One-Click', form)).status).toBe(200);
    const again = await stack.org.post('/email', request({ recipients: [{ to_email: 'opt@example.com' }] }));
    const outcome = await eventually('the outcome', () => statusOf(again.body.data[0].id));
    expect(outcome).toEqual({ status: 'suppressed', reason: 'unsubscribed' });
    const sequence = await stack.org.post('/sequences', { filter: null, steps: [emailStep('A')] });
    await stack.org.post(`/sequences/${sequence.body.id}/contacts`, { contacts: [{ email: 'opt@example.com' }] });
    await eventually('the step to be passed', async () => {
      const { body } = await stack.org.get(`/sequences/${sequence.body.id}/stats`);
      return body.steps[0].skipped === 1;
    });

    const important = { to_email: 'opt@example.com', email_is_transactional: true };
    await stack.org.post('/email', request({ recipients: [important] }));
    await eventually('transactional mail', () => stack.sink.to('opt@example.com').length === 3);
  });

  it('sends nothing more to an address that bounced, not even transactional e-mail', async () => {
    stack.sink.refuse('gone@example.com', [550, '5.1.1 no such user']);
    const recipients = [{ to_email: 'gone@example.com', email_is_transactional: true }];
    const twice = request({ recipients: [...recipients, ...recipients] });
    const first = await stack.org.post('/email', twice);
    for (const { id } of first.body.data) {
      expect(await eventually('the bounce', () => statusOf(id))).toMatchObject({ status: 'bounced' });
    }
    const second = await stack.org.post('/email', request({ recipients }));
    expect(await eventually('the outcome', () => statusOf(second.body.data[0].id))).toEqual({
      status: 'suppressed',
      reason: 'bounced',
    });
  });

  it('names every recipient without a subject or body', async () => {
    const { status, body } = await stack.org.post('/email', {
      from_email: 'hello@acme.example',
      recipients: [
        { to_email: 'ann@example.com', email_subject: 'Hi' },
        { to_email: 'bob@example.com', email_body: 'Hi' },
      ],
    });
    expect(status).toBe(400);
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual([
      'body.recipients.0.email_body',
      'body.recipients.1.email_subject',
    ]);
  });
});
