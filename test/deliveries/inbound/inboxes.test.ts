import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newAnsweringOrg, QUESTION } from '../../ai/answering-org.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { mailOf } from '../../support/mails.ts';
import { handOver } from '../../support/smtp.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { openEventStream } from '../../support/stack/event-stream.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const DOMAIN = 'in.acme.example';

interface Item {
  id: string;
  event: {
    type: string;
    sender?: { type: string };
    content?: { text: string };
    attachments?: { name: string }[];
  };
}

describe('an inbox', () => {
  let stack: Stack;
  let org: TestOrg;
  let inbox: string;
  let email: string;
  beforeAll(async () => {
    stack = await startStack({
      env: {
        ...FAKES_ALLOWED,
        HOST: '127.0.0.1',
        INBOUND_DOMAIN: DOMAIN,
        INBOUND_SMTP_PORT: '0',
        DEVELOPMENT: 'true',
        MAIL_AUTHSERV_IDS: 'mx.acme.example',
      },
    });
  });
  afterAll(() => stack.close());
  beforeEach(async () => {
    org = await stack.createOrg();
    inbox = `support-${crypto.randomUUID()}@${DOMAIN}`;
    email = `${crypto.randomUUID()}@example.com`;
    await putInbox({ display_name: 'Acme Support', signature: 'The Acme team' });
  });

  async function putInbox(more: object = {}, address = inbox, who = org) {
    const { status, body } = await who.put('/email/inboxes', { address, ...more });
    expect(status).toBe(200);
    return body;
  }
  /** Sends a mail to the inbox, and returns its Message-ID. */
  async function write(headers: Record<string, string>, text: string, { to = inbox, from = email } = {}) {
    const id = `<${crypto.randomUUID()}@mail.example.com>`;
    const raw = mailOf({ From: from, To: to, 'Message-ID': id, Subject: 'Lost parcel', ...headers }, text);
    await handOver(stack.inboundPort, { from, to, raw });
    return headers['Message-ID'] ?? id;
  }
  const allRead = (who = org) =>
    eventually('all mails to be read', async () => {
      const emails = await stack.db
        .selectFrom('inbound_emails')
        .select(['result', 'processed_at'])
        .where('org_id', '=', who.id)
        .orderBy('received_at')
        .execute();
      return emails.every(({ processed_at }) => processed_at !== null) && emails.map(({ result }) => result);
    });
  const sessions = async (count: number, who = org): Promise<{ id: string; verified: boolean | null }[]> =>
    eventually(`${count} sessions`, async () => {
      await allRead(who);
      const { items } = (await who.get('/chat/sessions?channel_type=email')).body;
      return items.length === count && items;
    });
  const messagesOf = async (id: string, who = org): Promise<Item[]> =>
    (await who.get(`/chat/sessions/${id}/history`)).body.items.filter(({ event }: Item) => event.type === 'message');
  const textsOf = async (id: string) => (await messagesOf(id)).map(({ event }) => event.content?.text.trim());
  const answer = async (id: string, text: string, more: object = {}) => {
    const before = stack.sink.to(email).length;
    const sent = await org.post(`/chat/sessions/${id}/send`, {
      sender: 'agent',
      message: { type: 'text', text },
      ...more,
    });
    expect([sent.status, sent.body.message]).toEqual([201, undefined]);
    return eventually('the answer', () => {
      const mails = stack.sink.to(email);
      return mails.length > before && mails.at(-1);
    });
  };

  it('is added, replaced, listed and deleted, and mail to it is refused afterwards', async () => {
    const { status, is_receiving } = await putInbox({ display_name: 'Acme' });
    expect([status, is_receiving]).toEqual(['pending', true]);
    const other = await putInbox({ is_default_sender: true }, 'sales@acme.example');
    expect([other.is_default_sender, other.is_receiving]).toEqual([true, false]);
    await putInbox({ is_default_sender: true });
    const { items } = (await org.get('/email/inboxes')).body;
    expect(
      items.map(({ address, display_name, is_default_sender }: Record<string, unknown>) => [
        address,
        display_name,
        is_default_sender,
      ]),
    ).toEqual([
      [inbox, null, true],
      ['sales@acme.example', null, false],
    ]);
    expect((await org.delete(`/email/inboxes/${items[0].id}`)).status).toBe(200);
    expect((await org.delete(`/email/inboxes/${items[0].id}`)).status).toBe(404);
    await expect(write({}, 'Hi')).rejects.toMatchObject({ responseCode: 550 });
  });

  it('belongs to one org at the installation’s domain, and has a team that exists', async () => {
    const stranger = await stack.createOrg();
    expect((await stranger.put('/email/inboxes', { address: inbox })).status).toBe(409);
    expect((await stranger.put('/email/inboxes', { address: 'help@acme.example' })).status).toBe(200);
    expect((await org.put('/email/inboxes', { address: 'help@acme.example' })).status).toBe(200);
    expect((await org.put('/email/inboxes', { address: `postmaster@${DOMAIN}` })).status).toBe(400);
    expect((await org.put('/email/inboxes', { address: inbox, team_id: crypto.randomUUID() })).status).toBe(400);
    const [{ id }] = (await org.get('/email/inboxes')).body.items;
    expect((await stranger.delete(`/email/inboxes/${id}`)).status).toBe(404);
  });

  it('opens a session in its team for a mail that answers nothing, and names an empty contact', async () => {
    const team = (await org.post('/teams', { name: 'Parcels' })).body.id;
    await putInbox({ team_id: team });
    await write({ From: `Ann Example <${email}>` }, 'Where is it?\r\n\r\n> an old line');
    const [session] = await sessions(1);
    const { body } = await org.get(`/chat/sessions/${session?.id}`);
    expect([body.contact.email, body.contact.name, body.team.id, body.verified]).toEqual([
      email,
      'Ann Example',
      team,
      false,
    ]);
    const [message] = await messagesOf(body.id);
    expect(message?.event.content?.text).toBe('Where is it?');
    const live = await openEventStream(`${stack.url}/chat/sessions/${body.id}/events`, {
      key: org.key,
      headers: { 'last-event-id': '0' },
    });
    await eventually('the live event', () => live.events.some(({ data }) => data.id === message?.id));
    live.cut();
    expect(live.events.find(({ data }) => data.id === message?.id)?.data).toMatchObject(message ?? {});
    const source = await org.get(`/chat/sessions/${body.id}/messages/${message?.id}/source`);
    expect(source.body).toMatchObject({ text: 'Where is it?\n\n> an old line\n', subject: 'Lost parcel', html: null });
    const stranger = await stack.createOrg();
    expect((await stranger.get(`/chat/sessions/${body.id}/messages/${message?.id}/source`)).status).toBe(404);
  });

  it('shows from whom a mail came, to whom it went, and its whole text', async () => {
    const address = `support@${DOMAIN}`;
    await putInbox({}, address);
    const headers = { From: 'Ann Example <ann@example.com>', 'Message-ID': '<lost-parcel@mail.example.com>' };
    await write({ ...headers, Cc: 'bob@example.com' }, 'Where is it?', { to: address, from: 'ann@example.com' });
    const [{ id } = { id: '' }] = await sessions(1);
    const [message] = await messagesOf(id);
    const { body } = await org.get(`/chat/sessions/${id}/messages/${message?.id}/source`);
    expect(body).toMatchObject({
      message_id: headers['Message-ID'],
      from: 'ann@example.com',
      sender_name: 'Ann Example',
      to: address,
      cc: ['bob@example.com'],
      subject: 'Lost parcel',
      text: 'Where is it?\n',
    });
  });

  it('shows the HTML of a mail without what runs or loads, and loads a picture through the server when asked', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const asked: (string | undefined)[][] = [];
    const pictures = createServer((request, reply) => {
      asked.push([request.url, request.headers.cookie, request.headers.referer]);
      reply.end(request.url === '/1.png?a=1&b=2' ? png : '<svg onload="alert(1)"/>');
    });
    await once(pictures.listen(0, '127.0.0.1'), 'listening');
    const server = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}`;
    const html = `<p onclick="x()">Hi <b>you</b></p><script>alert(1)</script><img src="${server}/1.png?a=1&amp;b=2" onerror="x()" srcset="/2.png 2x" alt="A &lt;logo&gt;"><img src="data:image/png;base64,x"><img src="cid:1"><img src="javascript:x()"><img src="${server}/2.svg">&lt;img data-src="${server}/3"`;
    await write({ 'Content-Type': 'text/html; charset=utf-8' }, html);
    const [session] = await sessions(1);
    const [message] = await messagesOf(session?.id ?? '');
    const path = `/chat/sessions/${session?.id}/messages/${message?.id}`;
    const { body } = await org.get(`${path}/source`);
    expect(body.html.trim()).toBe(
      `<p>Hi <b>you</b></p><img data-src="${server}/1.png?a=1&amp;b=2" alt="A &lt;logo&gt;" /><img data-src="${server}/2.svg" />&lt;img data-src="${server}/3"`,
    );
    expect(asked).toEqual([]);
    const picture = await org.get(`${path}/pictures/0`);
    expect([picture.status, picture.body]).toEqual([200, { mime_type: 'image/png', content: png.toString('base64') }]);
    expect(asked).toEqual([['/1.png?a=1&b=2', undefined, undefined]]);
    const statusOf = async (position: number | string, who = org) =>
      (await who.get(`${path}/pictures/${position}`)).status;
    expect([await statusOf(1), await statusOf(2), await statusOf(-1), await statusOf('x')]).toEqual([
      422, 404, 400, 400,
    ]);
    expect(await statusOf(0, await stack.createOrg())).toBe(404);
    pictures.close();
  });

  it('keeps nothing of a redacted mail: no source, no copies, no raw mail', async () => {
    const html = '<p>My <b>secret</b></p>';
    await write({ Cc: 'boss@example.com', 'Content-Type': 'text/html; charset=utf-8' }, html);
    await write({ 'Auto-Submitted': 'auto-replied' }, 'Away with my secret');
    const [{ id } = { id: '' }] = await sessions(1);
    const [message] = await messagesOf(id);
    expect((await org.post('/redaction/session', { sessionId: id })).status).toBe(200);
    const { body } = await org.get(`/chat/sessions/${id}/messages/${message?.id}/source`);
    expect([body.text, body.html, body.cc, body.subject]).toEqual(['', null, [], null]);
    const rows = await stack.db.selectFrom('inbound_emails').select('raw').where('org_id', '=', org.id).execute();
    expect(rows).toEqual([{ raw: null }, { raw: null }]);
    const { body: history } = await org.get(`/chat/sessions/${id}/history`);
    expect(JSON.stringify(history)).not.toMatch(/Lost parcel|boss@/);
  });

  it.each([
    ['together with others', '<together@mail.example.com>'],
    ['that answers one', undefined],
  ])(
    'has the subject in the history, and who else has the mail, who get an answer unless it says so: %s',
    async (_, id) => {
      const first = await write(
        { Cc: `boss@example.com, ${inbox}`, ...(id !== undefined && { 'Message-ID': id }) },
        'One',
      );
      const [{ id: sessionId } = { id: '' }] = await sessions(1);
      if (id === undefined) await write({ Cc: 'ceo@example.com', Subject: 'Other', References: first }, 'Two');
      const { subject, cc } = await eventually('the mails', async () => {
        const { items } = (await org.get(`/chat/sessions/${sessionId}/history`)).body;
        const said = items.filter(({ event }: { event: { type: string } }) => event.type === 'message');
        return said.length === (id === undefined ? 2 : 1) && said.at(-1).event;
      });
      expect([subject, cc]).toEqual(
        id === undefined ? ['Other', ['ceo@example.com']] : ['Lost parcel', ['boss@example.com']],
      );
      expect((await answer(sessionId, 'To all')).cc).toMatchObject({ text: cc[0] });
      expect((await answer(sessionId, 'To you', { copies: false })).cc).toBeUndefined();
    },
  );

  it('continues a session by our Message-ID, from anybody; the answer is in the thread, signed and named', async () => {
    const first = await write({ Cc: `boss@example.com, ${inbox}` }, 'Where is it?');
    const [session] = await sessions(1);
    const sent = await answer(session?.id ?? '', 'On its way');
    expect([sent.from?.value, sent.subject, sent.inReplyTo, sent.references]).toEqual([
      [{ address: inbox, name: 'Acme Support' }],
      'Re: Lost parcel',
      first,
      first,
    ]);
    expect([sent.cc, sent.text?.trimEnd()].flat()).toEqual([
      expect.objectContaining({ text: 'boss@example.com' }),
      'On its way\n\n-- \nThe Acme team',
    ]);

    const reply = { 'In-Reply-To': `${sent.messageId}`, Subject: 'RE: Lost parcel' };
    await write(reply, 'I am the boss', { from: 'boss@example.com' });
    await sessions(1);
    expect(await textsOf(session?.id ?? '')).toEqual(['Where is it?', 'On its way', 'I am the boss']);
    expect((await answer(session?.id ?? '', 'Hello boss')).subject).toBe('RE: Lost parcel');
  });

  it('continues a session by a stored Message-ID or the ticket number, only from who takes part in it', async () => {
    const first = await write({ Cc: 'boss@example.com' }, 'One');
    const [{ id } = { id: '' }] = await sessions(1);
    const { ticket_number } = (await org.get(`/chat/sessions/${id}`)).body;
    await write({ References: first }, 'Two');
    await sessions(1);
    await write({ 'In-Reply-To': first }, 'Three', { from: 'boss@example.com' });
    await sessions(1);
    await write({ Subject: `About ticket #${ticket_number}` }, 'Four');
    await sessions(1);
    expect(await textsOf(id)).toEqual(['One', 'Two', 'Three', 'Four']);

    await write({ References: first }, 'Five', { from: 'eve@example.com' });
    await sessions(2);
    await write({ Subject: `About ticket #${ticket_number}` }, 'Six', { from: 'eve@example.com' });
    await sessions(3);
    await write({ Subject: 'Another matter' }, 'Seven');
    await sessions(4);
    expect(await textsOf(id)).toHaveLength(4);
  });

  it('is verified by a mail that a trusted server has proven, until another one is not', async () => {
    const proven = { 'Authentication-Results': 'mx.acme.example; dmarc=pass header.from=example.com' };
    const first = await write(proven, 'One');
    expect(await sessions(1)).toMatchObject([{ verified: true }]);
    await write({ ...proven, References: first }, 'Two');
    expect(await sessions(1)).toMatchObject([{ verified: true }]);
    await write({ References: first }, 'Three');
    expect(await sessions(1)).toMatchObject([{ verified: false }]);
    const forged = { 'Authentication-Results': 'mx.acme.example; dmarc=fail header.from=example.com' };
    await write({ ...forged, References: first }, 'Four');
    await sessions(2);
    await write({ ...proven, Cc: email, References: first }, 'Five', { from: 'eve@example.com' });
    expect((await sessions(3)).map(({ verified }) => verified).sort()).toEqual([false, false, true]);
  });

  const give = async (raw: string, query = '', who = org) => {
    const { status, body } = await who.post(`/email/inbound${query}`, raw, {
      headers: { 'content-type': 'message/rfc822' },
    });
    return [status, body.id ?? body.message];
  };

  it('applies e-mails of a sender in the order in which the API has accepted them', async () => {
    const first = '<first@mail.example.com>';
    const file = Buffer.alloc(2_000_000, 'file').toString('base64').replaceAll(/.{76}/g, '$&\r\n');
    const parts = ['--b', '', 'Message 0', '--b', 'Content-Type: text/plain; name=log.txt'];
    const body = [...parts, 'Content-Disposition: attachment', 'Content-Transfer-Encoding: base64', '', file, '--b--'];
    const multipart = { 'Message-ID': first, 'Content-Type': 'multipart/mixed; boundary=b' };
    expect((await give(mailOf({ From: email, To: inbox, ...multipart }, body.join('\r\n'))))[0]).toBe(202);
    for (const nth of [1, 2, 3, 4]) {
      const followUp = { From: email, To: inbox, 'Message-ID': `<${nth}@mail.example.com>`, References: first };
      expect((await give(mailOf(followUp, `Message ${nth}`)))[0]).toBe(202);
    }
    const [session] = await sessions(1);
    expect(await textsOf(session?.id ?? '')).toEqual([0, 1, 2, 3, 4].map((nth) => `Message ${nth}`));
  });

  it('takes mail that the org hands over by the API, once, for its own inboxes only', async () => {
    const raw = mailOf({ From: email, To: `Acme <${inbox.toUpperCase()}>` }, 'Handed over');
    const [status, id] = await give(raw);
    expect([status, id]).toEqual([202, expect.any(String)]);
    expect(await give(raw)).toEqual([202, id]);
    await sessions(1);
    const hidden = mailOf({ From: email, To: 'undisclosed-recipients:;' }, 'Hidden');
    expect((await give(hidden))[0]).toBe(422);
    expect((await give(hidden, `?to=${inbox}`))[0]).toBe(202);
    expect((await give(mailOf({ From: email, 'Delivered-To': inbox }, 'Noted')))[0]).toBe(202);
    await sessions(3);
    const stranger = await stack.createOrg();
    expect(await give(raw, '', stranger)).toEqual([422, expect.stringContaining('PUT /email/inboxes')]);
    expect((await give(raw, `?to=${inbox}`, stranger))[0]).toBe(422);
    for (const none of ['no mail at all', '{"a":1}', `\r\n${raw}`, `\uFEFF${raw}`])
      expect(await give(none)).toEqual([400, expect.stringContaining('begins with header fields')]);
    const unsigned = mailOf({ From: 'Ann', To: inbox }, 'Whose is this?');
    expect(await give(unsigned)).toEqual([422, expect.stringContaining('names no sender')]);
    expect((await give(`Return-Path: <>\r\n${unsigned}`))[0]).toBe(202);
    expect((await org.post('/email/inbound', { raw })).status).toBe(415);
  });

  it('takes the same Message-ID once, and another inbox of the org takes it too', async () => {
    const other = `sales-${crypto.randomUUID()}@${DOMAIN}`;
    await putInbox({}, other);
    const headers = { 'Message-ID': `<${crypto.randomUUID()}@mail.example.com>` };
    await write(headers, 'Hi');
    await write({ ...headers, Received: 'from elsewhere' }, 'Hi');
    await sessions(1);
    await write(headers, 'Hi', { to: other });
    await sessions(2);
  });

  it('takes the e-mail of another sender with a Message-ID that it knows already', async () => {
    const headers = { 'Message-ID': '<form@shop.example>' };
    await write(headers, 'From a form');
    await sessions(1);
    const [from, another] = ['bea@example.com', 'cem@example.com'];
    await Promise.all([
      write(headers, 'From a form too', { from }),
      give(mailOf({ From: another, To: inbox, ...headers }, 'Hi')),
    ]);
    await sessions(3);
    await write({ ...headers, Received: 'once more' }, 'From a form too', { from });
    await sessions(3);
  });

  it('opens no session for automatic answers, mail of its own org and mail in circles, and answers no list', async () => {
    await write({ 'Auto-Submitted': 'auto-replied' }, 'I am away');
    await write({ From: inbox.toUpperCase() }, 'Hello me');
    const hops = Array.from({ length: 60 }, (_, hop) => `Received: from hop${hop}.example by next.example`);
    await write({ 'X-Hops': `1\r\n${hops.join('\r\n')}` }, 'Round and round');
    expect(await allRead()).toEqual(['automatic reply', 'loop', 'loop']);
    await write({ 'List-Id': '<news.example.com>' }, 'News');
    await sessions(1);
  });

  it('defers what one sender sends too fast, and takes mail of others', async () => {
    const { id } = (await org.get('/email/inboxes')).body.items[0];
    await stack.db
      .insertInto('inbound_emails')
      .values(
        Array.from({ length: 60 }, () => ({
          org_id: org.id,
          id: crypto.randomUUID(),
          kind: 'inbox' as const,
          delivery_id: null,
          inbox_id: id,
          mail_from: email,
          rcpt_to: inbox,
          sha256: crypto.getRandomValues(Buffer.alloc(32)),
          raw: null,
          client: null,
          processed_at: new Date(),
          result: 'mail' as const,
        })),
      )
      .execute();
    await expect(write({}, 'One more')).rejects.toMatchObject({
      responseCode: 450,
      response: expect.stringContaining('4.7.1'),
    });
    await write({}, 'Hi', { from: 'calm@example.com' });
    await sessions(1);
  });

  it('is where an agent writes first from, if it is the default sender', async () => {
    await putInbox({ is_default_sender: true });
    const contact = (await org.post('/contacts', { contact: { email } })).body.id;
    const { id } = (await org.post('/chat/sessions', { contact_id: contact, channel: { type: 'email' } })).body;
    const sent = await answer(id, 'Hello from us');
    expect(sent.from?.value[0]?.address).toBe(inbox);
  });

  it('ends a conversation with a program that answers everything, whatever its headers say', async () => {
    org = await newAnsweringOrg(stack);
    inbox = `ai-${inbox}`;
    await putInbox();
    const rounds = async (count: number) =>
      eventually(`${count} answers of the AI`, () => stack.sink.to(email).length === count);
    await write({}, QUESTION);
    await rounds(1);
    const first = stack.sink.to(email)[0];
    await write({ 'In-Reply-To': `${first?.messageId}` }, `${QUESTION} Ticket 2 is open.`);
    await rounds(2);
    const second = stack.sink.to(email)[1];
    await write({ 'In-Reply-To': `${second?.messageId}` }, `${QUESTION} Ticket 3 is open.`);
    const [session] = await sessions(1);
    const turns = await eventually('the last turn', async () => {
      const { items } = (await org.get(`/chat/sessions/${session?.id}/history`)).body;
      return items.filter(({ event }: Item) => event.sender?.type === 'contact').length === 3 && items;
    });
    expect(turns.filter(({ event }: Item) => event.sender?.type === 'ai')).toHaveLength(2);
  });
});
