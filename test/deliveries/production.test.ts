import { emailStep, inDomain } from '../support/sequences.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

describe('outside of development', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ env: { DEVELOPMENT: 'false' } });
    const { body } = await stack.org.put('/email/domains', { domainName: 'verified.example' });
    expect(body.domainStatus).toBe('pending');
    await verify('verified.example');
  });
  afterAll(() => stack.close());

  const verify = (domain: string, status: 'verified' | 'pending' = 'verified') =>
    stack.db.updateTable('sending_domains').set({ status }).where('domain', '=', domain).execute();
  const mail = (from_email: string) => ({
    from_email,
    recipients: [{ to_email: 'ann@example.com', email_is_transactional: true }],
    fallback_email_subject: 'Hi',
    fallback_email_body: 'Hello',
  });
  const problem = {
    path: expect.stringContaining('from_email'),
    message: 'must be of a verified sending domain: see PUT /email/domains',
  };

  it('e-mail is accepted only from a verified domain or a subdomain, and signed for it', async () => {
    const refused = await stack.org.post('/email', mail('hello@acme.example'));
    expect([refused.status, refused.body.issues]).toEqual([400, [problem]]);
    expect((await stack.other.post('/email', mail('hello@verified.example'))).status).toBe(400);

    expect((await stack.org.post('/email', mail('hello@news.verified.example'))).status).toBe(201);
    const [sent] = await eventually('the mail', () => {
      const mails = stack.sink.to('ann@example.com');
      return mails.length > 0 && mails;
    });
    const signature = String(sent?.headerLines.find(({ key }) => key === 'dkim-signature')?.line).replace(/\s+/g, '');
    expect(signature).toContain('d=verified.example;');
    expect(signature.toLowerCase()).toMatch(/h=[^;]*from:[^;]*subject/);
  });

  it('an answer goes out from a verified domain, even if the contact’s last e-mail came from one that no longer is', async () => {
    await stack.org.put('/email/domains', { domainName: 'former.example' });
    await verify('former.example');
    const contact_id = (await stack.org.post('/contacts', { contact: { email: 'ada@example.com' } })).body.id;
    for (const [n, domain] of ['verified.example', 'former.example'].entries()) {
      await stack.org.post('/email', {
        ...mail(`hello@${domain}`),
        recipients: [{ to_email: 'ada@example.com', email_is_transactional: true }],
      });
      await eventually('the mail', () => stack.sink.to('ada@example.com').length === n + 1);
    }
    await verify('former.example', 'pending');
    const { id } = (await stack.org.post('/chat/sessions', { contact_id, channel: { type: 'email' } })).body;
    const say = () =>
      stack.org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message: { type: 'text', text: 'Hello' } });
    expect((await say()).status).toBe(201);
    await eventually('the answer', () => stack.sink.to('ada@example.com').length === 3);
    expect(stack.sink.to('ada@example.com').at(-1)?.from?.text).toBe('hello@verified.example');

    await verify('verified.example', 'pending');
    expect((await say()).body).toMatchObject({ statusCode: 409, message: expect.stringContaining('not verified') });
    await verify('verified.example');
  });

  it('a sequence with a sender of any other domain is refused', async () => {
    const step = emailStep('Hi', 0, { from_email: 'hello@acme.example' });
    const { status, body } = await stack.org.post('/sequences', { filter: null, steps: [step] });
    expect([status, body.issues]).toEqual([400, [problem]]);
  });

  it('a sequence pauses with a reason once its domain is no longer verified, and loses no contact', async () => {
    const step = emailStep('Later', 0, { from_email: 'hello@verified.example' });
    const { body } = await stack.org.post('/sequences', { filter: inDomain('gone.example'), steps: [step] });
    await verify('verified.example', 'pending');
    await new Promise((resolve) => setTimeout(resolve, 2_500)); // the worker caches a domain's key for 2 s
    await stack.org.post('/contacts', { contact: { email: 'ann@gone.example' } });
    const paused = await eventually('the pause', async () => {
      const { body: sequence } = await stack.org.get(`/sequences/${body.id}`);
      return sequence.status === 'paused' && sequence;
    });
    expect(paused.paused_reason).toContain('verified.example is not a verified sending domain');

    await verify('verified.example');
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await stack.org.put(`/sequences/${body.id}/resume`);
    await eventually('the mail', () => stack.sink.to('ann@gone.example').length === 1);
  });

  it('sends on channels without configuration are recorded as failed, and the sequence continues', async () => {
    const sms = { delay_in_minutes: 0, action: { type: 'send_sms_messages', data: { message: 'Hi' } } };
    const after = emailStep('After', 0, { from_email: 'hello@verified.example' });
    const { body } = await stack.org.post('/sequences', { filter: inDomain('sms.example'), steps: [sms, after] });
    await stack.org.post('/contacts', { contact: { email: 'ann@sms.example', phone: '+4915112345678' } });
    await eventually('the mail', () => stack.sink.to('ann@sms.example').length === 1);
    const { items } = (await stack.org.get(`/deliveries?sequence_id=${body.id}&channel=sms`)).body;
    expect(items).toMatchObject([{ status: 'failed', reason: 'channel not configured', to: '+4915112345678' }]);
  });

  it('there is no sandbox', async () => {
    expect((await stack.org.get('/sandbox/outbox')).status).toBe(404);
  });
});
