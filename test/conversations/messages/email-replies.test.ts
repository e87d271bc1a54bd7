import { newAnsweringOrg, QUESTION, turnsOf } from '../../ai/answering-org.ts';
import { createActionRunner } from '../../automations/action-runner.ts';
import { createSequence } from '../../support/channels.ts';
import { mailOf } from '../../support/mails.ts';
import { emailStep } from '../../support/sequences.ts';
import { handOver } from '../../support/smtp.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { rowsWith } from '../../support/stack/traces.ts';

describe('an answer by e-mail', () => {
  let stack: Stack;
  let org: TestOrg;
  let email: string;
  beforeAll(async () => {
    stack = await startStack({
      env: { HOST: '127.0.0.1', INBOUND_DOMAIN: 'in.acme.example', INBOUND_SMTP_PORT: '0', DEVELOPMENT: 'true' },
    });
  });
  afterAll(() => stack.close());
  beforeEach(async () => {
    org = await stack.createOrg();
    email = `${crypto.randomUUID()}@example.com`;
  });

  /** Waits until the contact has so many e-mails, and returns the last one. */
  const mail = (count: number) =>
    eventually(`${count} e-mails`, () => {
      const mails = stack.sink.to(email);
      return mails.length >= count && mails.at(-1);
    });
  const sendFrom = async (from_email: string, more: object = {}) => {
    const before = stack.sink.to(email).length;
    const { status } = await org.post('/email', {
      from_email,
      recipients: [{ to_email: email, ...more }],
      fallback_email_subject: 'Hello',
      fallback_email_body: 'Hello',
    });
    expect(status).toBe(201);
    return mail(before + 1);
  };
  /** Has the contact answer an e-mail, and returns the session once it has so many messages of the contact. */
  const answerTo = async (replyTo: string | undefined, headers: Record<string, string>, text: string, count = 1) => {
    const raw = mailOf({ From: email, ...headers }, text);
    await handOver(stack.inboundPort, { from: email, to: replyTo ?? '', raw });
    return eventually(`${count} messages of the contact`, async () => {
      const [session] = (await org.get('/chat/sessions?channel_type=email')).body.items;
      const { items } = session ? (await org.get(`/chat/sessions/${session.id}/history`)).body : { items: [] };
      const written = items.filter(
        ({ event }: { event: { sender?: { type: string } } }) => event.sender?.type === 'contact',
      );
      return written.length === count && (session as { id: string; ticket_number: number });
    });
  };
  const opened = async (headers: Record<string, string> = {}, text = 'Where is it?') =>
    answerTo((await sendFrom('support@acme.example')).replyTo?.text, headers, text);
  const newSession = async () => {
    const contact = (await org.post('/contacts', { contact: { email } })).body.id;
    return (await org.post('/chat/sessions', { contact_id: contact, channel: { type: 'email' } })).body.id as string;
  };
  const say = async (id: string, text: string) => {
    const before = stack.sink.to(email).length;
    const message = { sender: 'agent', message: { type: 'text', text } };
    expect((await org.post(`/chat/sessions/${id}/send`, message)).status).toBe(201);
    return mail(before + 1);
  };

  it('stands in the thread of the contact’s last e-mail, with its subject and one Re:', async () => {
    const { id } = await opened({ 'Message-ID': '<first@mail.example.com>', Subject: 'Lost parcel' });
    const first = await say(id, 'On its way');
    expect([first.inReplyTo, first.references, first.subject]).toEqual([
      '<first@mail.example.com>',
      '<first@mail.example.com>',
      'Re: Lost parcel',
    ]);
    expect(first.headers.has('auto-submitted')).toBe(false);

    const headers = { 'Message-ID': '<second@mail.example.com>', Subject: 'RE: Lost parcel' };
    await answerTo(first.replyTo?.text, headers, 'Thank you', 2);
    const second = await say(id, 'You are welcome');
    expect([second.inReplyTo, second.references, second.subject]).toEqual([
      '<second@mail.example.com>',
      '<second@mail.example.com>',
      'RE: Lost parcel',
    ]);
  });

  it('continues the chain of references, also of an e-mail whose Message-ID has a comment', async () => {
    const sent = await sendFrom('support@acme.example');
    const chain = { References: `<old@mail.example.com> ${sent.messageId}`, 'In-Reply-To': `${sent.messageId}` };
    const headers = { ...chain, 'Message-ID': '<m1@mail.example.com> (added by relay)' };
    const { id } = await answerTo(sent.replyTo?.text, headers, 'Where is it?');
    const answer = await say(id, 'On its way');
    expect(answer.inReplyTo).toBe('<m1@mail.example.com>');
    expect(answer.references).toEqual(['<old@mail.example.com>', sent.messageId, '<m1@mail.example.com>']);
  });

  it('goes to the address that the contact has named, which the history shows, if a person wrote it', async () => {
    const office = `${crypto.randomUUID()}@office.example`;
    const { id } = await opened({ 'Reply-To': office });
    const [{ event }] = (await org.get(`/chat/sessions/${id}/history`)).body.items;
    expect(event.reply_to).toBe(office);
    const message = { type: 'text', text: 'On its way' };
    expect((await org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message })).status).toBe(201);
    await eventually('the answer', () => stack.sink.to(office).length === 1);

    expect((await org.post('/redaction/session', { sessionId: id })).status).toBe(200);
    const redacted = (await org.get(`/chat/sessions/${id}/history`)).body.items[0].event;
    expect(redacted.reply_to).toBeUndefined();
  });

  it('goes to the contact’s own address if somebody else names another one, or if a program wrote it', async () => {
    await org.post('/contacts', { contact: { email } });
    const sent = await sendFrom('support@acme.example');
    const foreign = { From: 'eve@else.example', 'Reply-To': 'eve@evil.example' };
    const { id } = await answerTo(sent.replyTo?.text, foreign, 'Where is it?');
    await say(id, 'On its way');

    org = await newAnsweringOrg(stack);
    email = `${crypto.randomUUID()}@example.com`;
    await opened({ 'Reply-To': 'ann@office.example' }, QUESTION);
    expect((await mail(2)).headers.get('auto-submitted')).toBe('auto-replied');
    expect([stack.sink.to('eve@evil.example'), stack.sink.to('ann@office.example')]).toEqual([[], []]);
  });

  it('names a contact without a name, and only by e-mails from the contact’s own address', async () => {
    const nameOf = async () => (await org.get('/contacts')).body.items.map(({ name }: { name: string | null }) => name);
    const { id } = (await org.post('/contacts', { contact: { email } })).body;
    const sent = await sendFrom('support@acme.example');
    await answerTo(sent.replyTo?.text, { From: 'Eve <eve@else.example>' }, 'Hi', 1);
    expect(await nameOf()).toEqual([null]);
    await answerTo(sent.replyTo?.text, { From: `Ann Example <${email.toUpperCase()}>` }, 'Hi', 2);
    expect(await nameOf()).toEqual(['Ann Example']);
    await answerTo(sent.replyTo?.text, { From: `Somebody <${email}>` }, 'Hi', 3);
    expect(await nameOf()).toEqual(['Ann Example']);
    expect((await org.get(`/contacts/${id}`)).body.name).toBe('Ann Example');
  });

  it('takes no header from the subject of an e-mail, nor from a Message-ID that is none', async () => {
    const { id } = await opened({
      'Message-ID': '<a b\u00e9@mail.example.com>',
      Subject: '=?utf-8?Q?Lost=0D=0ABcc:_eve@example.com?=',
    });
    const answer = await say(id, 'On its way');
    expect(answer.subject).toBe('Re: Lost Bcc: eve@example.com');
    expect(['bcc', 'in-reply-to', 'references'].filter((name) => answer.headers.has(name))).toEqual([]);
  });

  it('names the ticket in its subject where the contact has sent no e-mail', async () => {
    const id = await newSession();
    await sendFrom('support@acme.example');
    const { ticket_number } = (await org.get(`/chat/sessions/${id}`)).body;
    const { subject, inReplyTo } = await say(id, 'Hello');
    expect([subject, inReplyTo]).toEqual([`Re: ticket #${ticket_number}`, undefined]);
  });

  it('goes out from the address that the contact has answered, whatever a sequence has sent since', async () => {
    const { id } = await opened();
    await sendByNews();
    expect((await say(id, 'On its way')).from?.text).toBe('support@acme.example');
  });

  it('goes out from the address of the session’s last message, whatever a sequence has sent since', async () => {
    const id = await newSession();
    await sendFrom('support@acme.example');
    await say(id, 'Hello');
    await sendByNews();
    expect((await say(id, 'Are you there?')).from?.text).toBe('support@acme.example');
  });

  it('does not go out from an address whose message never went out', async () => {
    const id = await newSession();
    await sendFrom('support@acme.example');
    expect((await org.post('/suppressions', { channel: 'email', address: email })).status).toBe(201);
    const news = { from_email: 'news@acme.example', recipients: [{ to_email: email }] };
    const { body } = await org.post('/email', { ...news, fallback_email_subject: 'News', fallback_email_body: 'News' });
    await eventually(
      'the suppression',
      async () => (await org.get(`/deliveries/${body.data[0].id}`)).body.status === 'suppressed',
    );
    expect((await say(id, 'Hello')).from?.text).toBe('support@acme.example');
  });

  it('is marked as automatic if the AI or a workflow wrote it, and mail that asks for no automatic answer gets none', async () => {
    org = await newAnsweringOrg(stack);
    const { id } = await opened({ Subject: 'Refunds' }, QUESTION);
    const answer = await mail(2);
    expect([answer.subject, answer.headers.get('auto-submitted')]).toEqual(['Re: Refunds', 'auto-replied']);
    expect(answer.text).toContain('five working days');

    await createActionRunner(stack)(org, 'send-message', { session_id: id, text: 'We got your message' });
    expect((await mail(3)).headers.get('auto-submitted')).toBe('auto-replied');

    await answerTo(answer.replyTo?.text, { 'X-Auto-Response-Suppress': 'All' }, `And again: ${QUESTION}`, 2);
    const turn = await eventually('the second turn', async () =>
      (await turnsOf(stack.db, id)).find(({ number, ended_at }) => number === 2 && ended_at !== null),
    );
    expect(turn).toMatchObject({ state: 'skipped', reason: 'auto_reply' });
    expect(stack.sink.to(email)).toHaveLength(3);
  });

  it('does not keep the subject of an e-mail whose message is redacted', async () => {
    const secret = `zebra${Date.now()}`;
    const { id } = await opened({ Subject: `About ${secret}` });
    expect((await say(id, 'On its way')).subject).toBe(`Re: About ${secret}`);
    const [{ id: messageId }] = (await org.get(`/chat/sessions/${id}/history`)).body.items;
    expect((await org.post('/redaction/message', { messageId })).status).toBe(200);
    expect(await rowsWith(stack.db, secret)).toEqual([]);
  });

  async function sendByNews() {
    const before = stack.sink.to(email).length;
    const data = { from_email: 'news@acme.example', email_is_transactional: true };
    const sequenceId = await createSequence(org, [emailStep('News', 0, data)]);
    const { status } = await org.post(`/sequences/${sequenceId}/contacts`, { contacts: [{ email }] });
    expect(status).toBe(201);
    expect((await mail(before + 1)).from?.text).toContain('news@acme.example');
  }
});
