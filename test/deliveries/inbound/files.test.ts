import { deflateRawSync } from 'node:zlib';
import { WorkflowNotFoundError } from '@temporalio/client';
import { createFileDownload } from '../../../src/deliveries/inbound/file-download.ts';
import { receiveInboundFiles } from '../../../src/deliveries/inbound/files.service.ts';
import { createMailTokens, replyAddress } from '../../../src/deliveries/inbound/mail-tokens.ts';
import { repair } from '../../../src/repair/repair.ts';
import { EXECUTABLE, PNG, pngOf, zipOf } from '../../media/samples.ts';
import { connectMeta, connectTwilio, FAKES_ALLOWED, newNumber, WHATSAPP_NUMBER } from '../../support/channels.ts';
import { heldUntil, unavailable } from '../../support/fakes/faulty-server.ts';
import { type FakeMeta, startFakeMeta } from '../../support/fakes/meta.ts';
import { type FakeTwilio, startFakeTwilio } from '../../support/fakes/twilio.ts';
import { mailOf } from '../../support/mails.ts';
import { handOver } from '../../support/smtp.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const DOMAIN = 'in.acme.example';
/** Of the first ones, which are in a row. */
const LAST_ATTEMPT = 5;
const TRIED_FURTHER = 'it could not be fetched in time, and follows by itself if it can be within a day';
const TOO_LARGE = pngOf(5 * 1024 * 1024 + 1);

interface Shown {
  id: string;
  event: { type: string; content: { text: string }; attachments: { name: string; mime_type: string; url: string }[] };
}

describe('a file that a contact sends', () => {
  let stack: Stack;
  let twilio: FakeTwilio;
  let meta: FakeMeta;
  let org: TestOrg;
  let number: string;
  let smsUrl: string;
  let whatsAppUrl: string;
  beforeAll(async () => {
    twilio = await startFakeTwilio();
    meta = await startFakeMeta();
    const inbound = { HOST: '127.0.0.1', INBOUND_DOMAIN: DOMAIN, INBOUND_SMTP_PORT: '0', DEVELOPMENT: 'true' };
    stack = await startStack({ env: { ...FAKES_ALLOWED, ...inbound } });
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

  const sessions = async () => (await org.get('/chat/sessions')).body.items;
  const messages = async (): Promise<Shown['event'][]> => {
    const [session] = await sessions();
    if (session === undefined) return [];
    const { items } = (await org.get(`/chat/sessions/${session.id}/history`)).body;
    return items.map(({ event }: Shown) => event).filter(({ type }: Shown['event']) => type === 'message');
  };
  const untilMessages = (count: number) =>
    eventually(`${count} messages`, async () => {
      const found = await messages();
      return found.length >= count && found;
    });
  const outline = ({ content, attachments }: Shown['event']) => [content.text, ...attachments.map(({ name }) => name)];
  const bytesAt = async (url = '') => Buffer.from(await (await fetch(url)).arrayBuffer());

  const sendMms = (body: string, ...files: [type: string, bytes: Buffer][]) => {
    const media = files.map(([type, bytes]) => {
      const path = `/2010-04-01/Accounts/${twilio.accountSid}/Messages/MM1/Media/ME${crypto.randomUUID()}`;
      twilio.files.set(path, { type, bytes });
      return path;
    });
    return twilio.receive({ from: number, to: '+15005550006', body, media }, smsUrl);
  };
  const sendByWhatsApp = (type: string, bytes: Buffer, more: object = {}) => {
    const id = String(meta.files.size + 1_000);
    meta.files.set(id, bytes);
    return meta.receiveContent(whatsAppUrl, number, { type, [type]: { id, ...more } });
  };

  it('is an attachment of its message, with its caption, by WhatsApp', async () => {
    expect(await sendByWhatsApp('image', PNG, { mime_type: 'image/png', caption: 'It is broken' })).toBe(200);
    const [message] = await untilMessages(1);
    expect(message).toMatchObject({
      content: { text: 'It is broken' },
      attachments: [{ name: 'image.png', mime_type: 'image/png', size: PNG.length }],
    });
    expect(await bytesAt(message?.attachments[0]?.url)).toEqual(PNG);

    await sendByWhatsApp('document', Buffer.from('%PDF-1.7\n'), { filename: 'invoice.pdf' });
    expect((await untilMessages(2)).map(outline)).toEqual([
      ['It is broken', 'image.png'],
      ['', 'invoice.pdf'],
    ]);
  });

  it('comes with the name of a contact who has none yet', async () => {
    await sendByWhatsApp('image', PNG, {});
    await untilMessages(1);
    const names = async () => (await org.get('/contacts')).body.items.map(({ name }: { name: string | null }) => name);
    expect(await names()).toEqual([null]);
    for (const [nth, name] of ['Ann Example', 'Somebody'].entries()) {
      const image = { id: [...meta.files.keys()].at(-1) };
      await meta.receiveContent(whatsAppUrl, number, { type: 'image', image, profile: { name } });
      await untilMessages(nth + 2);
      expect(await names()).toEqual(['Ann Example']);
    }
  });

  it('is an attachment of its message by MMS, although Twilio was away for a moment', async () => {
    twilio.nextLookUp(unavailable());
    expect(await sendMms('', ['image/png', PNG], ['text/plain', Buffer.from('Two')])).toBe(200);
    const [message] = await untilMessages(1);
    expect(message && outline(message)).toEqual(['', 'image.png', 'document.txt']);
    expect(await bytesAt(message?.attachments[0]?.url)).toEqual(PNG);
    expect(await messages()).toHaveLength(1);
  });

  it('does not wait for the one before it', async () => {
    const requests = jest.spyOn(twilio.files, 'get');
    const gate = Promise.withResolvers<void>();
    twilio.nextLookUp(heldUntil(gate.promise));
    await sendMms('Two files', ['image/png', PNG], ['text/plain', Buffer.from('Two')]);
    await eventually('both requests', () => requests.mock.calls.length >= 4);
    gate.resolve();
    expect((await untilMessages(1)).map(outline)).toEqual([['Two files', 'image.png', 'document.txt']]);
    requests.mockRestore();
  });

  it('is an attachment of its message by e-mail', async () => {
    const { body } = await org.post('/email', {
      from_email: 'hello@acme.example',
      recipients: [{ to_email: 'ann@example.com' }],
      fallback_email_subject: 'Hi',
      fallback_email_body: 'Hello',
    });
    const deliveryId: string = body.data[0].id;
    await eventually('the mail', async () => (await org.get(`/deliveries/${deliveryId}`)).body.status === 'accepted');
    const to = replyAddress(
      createMailTokens(stack.config.signingSecrets).tokenOf({ orgId: org.id, deliveryId }),
      DOMAIN,
    );
    const part = (name: string, type: string, bytes: Buffer) =>
      [
        `Content-Type: ${type}; name="${name}"`,
        'Content-Transfer-Encoding: base64',
        `Content-Disposition: attachment; filename="${name}"`,
        '',
        bytes.toString('base64'),
        '',
      ].join('\r\n');
    const content = [
      '',
      part('photo.png', 'image/png', PNG),
      part('setup.exe', 'application/octet-stream', EXECUTABLE),
      part('smime.p7s', 'application/pkcs7-signature', Buffer.from('signature')),
    ].join('--b\r\n');
    const raw = mailOf({ 'Content-Type': 'multipart/mixed; boundary=b' }, `${content}--b--`);
    await handOver(stack.inboundPort, { from: 'ann@example.com', to, raw });

    const [message] = await untilMessages(1);
    expect(message && outline(message)).toEqual(['[setup.exe not received: its type is not accepted]', 'photo.png']);
    expect(await bytesAt(message?.attachments[0]?.url)).toEqual(PNG);
  });

  it('is named with the reason if it cannot be stored, and the message arrives all the same', async () => {
    await sendByWhatsApp('video', TOO_LARGE, { caption: 'Look' });
    await untilMessages(1);
    await sendMms('', ['application/octet-stream', EXECUTABLE]);
    await eventually('both', async () => (await sessions()).length === 2);
    await meta.receiveContent(whatsAppUrl, number, { type: 'image', image: { id: '404' } });
    const texts = async () =>
      (
        await stack.db
          .selectFrom('session_events')
          .select('content')
          .where('org_id', '=', org.id)
          .where('type', '=', 'message')
          .execute()
      ).map(({ content }) => content);
    await eventually('all three', async () => (await texts()).length === 3);
    expect((await texts()).toSorted()).toEqual([
      'Look\n[video not received: larger than 5 MB]',
      '[document not received: its type is not accepted]',
      '[image not received: it could not be fetched]',
    ]);
  });

  describe('by a hostile e-mail', () => {
    let inbox: string;
    beforeEach(async () => {
      inbox = `${crypto.randomUUID()}@${DOMAIN}`;
      await org.put('/email/inboxes', { address: inbox, is_default_sender: true });
    });
    const mailWith = (...parts: string[]) => {
      const headers = { From: 'eve@example.com', To: inbox, 'Content-Type': 'multipart/mixed; boundary=b' };
      const raw = mailOf(headers, `${['', ...parts].join('\r\n--b\r\n')}\r\n--b--`);
      return handOver(stack.inboundPort, { from: 'eve@example.com', to: inbox, raw });
    };
    const attached = (type: string, name: string, bytes: Buffer | string) =>
      [
        `Content-Type: ${type}`,
        'Content-Transfer-Encoding: base64',
        `Content-Disposition: inline; filename="${name}"`,
        '',
        Buffer.from(bytes).toString('base64'),
      ].join('\r\n');

    it('is shown as what it is, under a name without a path, and what would run is not stored', async () => {
      const polyglot = Buffer.concat([PNG, Buffer.from('<script>alert(1)</script>')]);
      const bomb = zipOf({ 'zeros.bin': deflateRawSync(Buffer.alloc(5 * 1024 ** 2)) });
      await mailWith(
        'Content-Type: text/plain\r\n\r\nLook',
        attached('image/png', 'vector.png', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
        attached('image/png', 'page.png', '<!doctype html><script>alert(1)</script>'),
        attached('text/html', '../../page.html', polyglot),
        attached('image/svg+xml', 'C:\\\\windows\\\\cat.svg', PNG),
        attached('application/zip', 'bomb.zip', bomb),
        attached('image/png', 'bomb.png', bomb),
      );
      const [message] = await untilMessages(1);
      const refused = ['vector.png', 'page.png', 'bomb.zip', 'bomb.png'];
      expect(message?.content.text.trim().split('\n')).toEqual([
        'Look',
        ...refused.map((name) => `[${name} not received: its type is not accepted]`),
      ]);
      expect(message?.attachments).toMatchObject([
        { name: 'page.html.png', mime_type: 'image/png' },
        { name: 'cat.svg.png', mime_type: 'image/png' },
      ]);
      for (const { url } of message?.attachments ?? []) {
        const { headers } = await fetch(url);
        expect(headers.get('content-type')).toBe('image/png');
        expect(headers.get('content-disposition')).toMatch(/^attachment;/);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('content-security-policy')).toMatch(/sandbox/);
      }
    });

    it('of many parts is read in bounded time and memory, and says what was left out', async () => {
      const before = process.memoryUsage().rss;
      const type = 'text/plain; name=a.txt';
      await mailWith(...Array.from({ length: 990 }, (_, nth) => `Content-Type: ${type}\r\n\r\nPart ${nth}`));
      const [message] = await untilMessages(1);
      expect(message?.attachments).toHaveLength(10);
      expect(message?.content.text).toMatch(/\[\d{3} more files not received: a message has at most 10\]/);
      expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 ** 2);
    });

    it('of 20,001 parts, which no reader takes, is noted in a session that people see', async () => {
      await mailWith(...Array.from({ length: 20_001 }, (_, nth) => `Content-Type: text/plain\r\n\r\n${nth}`));
      const [{ id, status }] = await eventually('the session', async () => {
        const found = await sessions();
        return found.length === 1 && found;
      });
      const { items } = (await org.get(`/chat/sessions/${id}/history`)).body;
      expect(status).toBe('open');
      expect(JSON.stringify(items)).toMatch(/could not be read/);
    });
  });

  it('is waited for no longer than five minutes', async () => {
    const path = `/2010-04-01/Accounts/${twilio.accountSid}/Messages/MM1/Media/ME-late`;
    await twilio.receive({ from: number, to: '+15005550006', body: 'Here', media: [path] }, smsUrl);
    expect(await messages()).toEqual([]);
    await stack.db
      .updateTable('inbound_messages')
      .set({ received_at: new Date(Date.now() - 6 * 60_000) })
      .where('org_id', '=', org.id)
      .execute();
    expect((await untilMessages(1)).map(outline)).toEqual([[`Here\n[image not received: ${TRIED_FURTHER}]`]]);
  });

  describe('that the provider withholds for more than five minutes', () => {
    const ages = async (minutes: number) => {
      await stack.db
        .updateTable('inbound_messages')
        .set({ received_at: new Date(Date.now() - minutes * 60_000) })
        .where('org_id', '=', org.id)
        .execute();
    };
    const lateFiles = async () => {
      const message = stack.db.selectFrom('inbound_messages').select(['id', 'late_files']).where('org_id', '=', org.id);
      return message.where('channel', '=', 'sms').executeTakeFirstOrThrow();
    };
    const path = (name: string) => `/2010-04-01/Accounts/${twilio.accountSid}/Messages/MM1/Media/${name}`;
    const receive = (inboundMessageId: string, attempt: number) =>
      receiveInboundFiles(
        { db: stack.db, storage: stack.deps.storage, download: createFileDownload(stack.db, stack.deps) },
        { orgId: org.id, inboundMessageId, attempt },
      );
    /** Runs the next try as if its time had come. */
    const tryNow = (id: string) => receive(id, 1);
    /** Receives a message whose second file is withheld, until it is shown without it. Returns its id. */
    const withhold = async (name: string) => {
      twilio.files.set(path('ME-here'), { type: 'image/png', bytes: PNG });
      const media = [path('ME-here'), path(name)];
      await twilio.receive({ from: number, to: '+15005550006', body: 'Two', media }, smsUrl);
      await ages(6);
      const { id } = await lateFiles();
      await receive(id, LAST_ATTEMPT);
      expect((await untilMessages(1)).map(outline)).toEqual([
        [`Two\n[image not received: ${TRIED_FURTHER}]`, 'image.png'],
      ]);
      return id;
    };

    it('is tried at growing intervals, and follows as another message, once', async () => {
      const id = await withhold('ME-follows');
      const waits: number[] = [];
      for (const minutes of [6, 60, 600, 1_430]) {
        await ages(minutes);
        waits.push(Math.round(((await tryNow(id)).nextInMs ?? 0) / 60_000));
      }
      expect(waits).toEqual([5, 30, 240, 10]);
      twilio.files.set(path('ME-follows'), { type: 'text/plain', bytes: Buffer.from('Late') });
      expect(await Promise.all([tryNow(id), tryNow(id)])).toEqual([{ nextInMs: null }, { nextInMs: null }]);
      expect((await messages()).map(outline).slice(1)).toEqual([['', 'image.txt']]);
      expect(await bytesAt((await messages())[1]?.attachments[0]?.url)).toEqual(Buffer.from('Late'));
    });

    it('is given up after a day, and its line stays', async () => {
      const id = await withhold('ME-never');
      await ages(24 * 60);
      expect(await tryNow(id)).toEqual({ nextInMs: null });
      expect((await messages()).map(outline)).toHaveLength(1);
      expect((await lateFiles()).late_files).toBeNull();
    });

    it('does not follow a message that was redacted meanwhile', async () => {
      const id = await withhold('ME-secret');
      await org.post('/redaction/message', { messageId: id });
      twilio.files.set(path('ME-secret'), { type: 'text/plain', bytes: Buffer.from('Late') });
      expect(await tryNow(id)).toEqual({ nextInMs: null });
      expect(await messages()).toHaveLength(1);
    });

    it('has its workflow back if Temporal has lost it', async () => {
      const id = await withhold('ME-lost');
      const handle = stack.temporal.workflow.getHandle(`inbound-files/${id}`);
      await eventually('the start of the workflow', () =>
        handle.terminate('a test').then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof WorkflowNotFoundError)) throw error;
            return false;
          },
        ),
      );
      const mended = await repair(stack.db, stack.temporal, { isDryRun: false });
      expect(mended.filter((one) => one.id === id)).toMatchObject([{ kind: 'inbound-files', mended: 'resumed' }]);
    });
  });

  it('reopens the session, as do a location and what WhatsApp does not pass on', async () => {
    const contents = [
      { type: 'location', location: { latitude: 48.1, longitude: 11.5 } },
      { type: 'unsupported', errors: [{ code: 131051, title: 'Message type unknown' }] },
    ];
    await sendByWhatsApp('image', PNG);
    await untilMessages(1);
    for (const [index, content] of contents.entries()) {
      const [{ id }] = await sessions();
      await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
      expect(await meta.receiveContent(whatsAppUrl, number, content)).toBe(200);
      expect(await sessions()).toMatchObject([{ id, status: 'open' }]);
      await untilMessages(index + 2);
    }
    expect((await messages()).map(outline)).toEqual([
      ['', 'image.png'],
      ['[location: 48.1, 11.5]'],
      ['[message of an unsupported type]\n(#131051) Message type unknown'],
    ]);
  });

  it('opens no session if it is a mere reaction to nothing', async () => {
    await meta.receiveContent(whatsAppUrl, number, { type: 'reaction', reaction: { message_id: 'x', emoji: '👍' } });
    expect(await sessions()).toEqual([]);
  });

  it('is followed by a reaction that asks for no answer and reopens nothing', async () => {
    await sendByWhatsApp('image', PNG);
    await untilMessages(1);
    const [{ id }] = await sessions();
    await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    for (const emoji of ['👍🏽', undefined])
      await meta.receiveContent(whatsAppUrl, number, { type: 'reaction', reaction: { message_id: 'x', emoji } });
    expect((await untilMessages(3)).map(outline)).toEqual([
      ['', 'image.png'],
      ['[reaction: 👍🏽]'],
      ['[reaction taken back]'],
    ]);
    expect(await sessions()).toMatchObject([{ id, status: 'closed_resolved' }]);
  });

  it('is named by its own name where it is not accepted', async () => {
    await sendByWhatsApp('document', EXECUTABLE, { filename: '../tour]\n[x].exe' });
    expect((await untilMessages(1)).map(outline)).toEqual([
      ['[document ../tour   x .exe not received: its type is not accepted]'],
    ]);
  });

  it.each([
    ['a photo', () => sendByWhatsApp('image', PNG)],
    ['a file that is not accepted', () => sendByWhatsApp('document', EXECUTABLE)],
    [
      'a location',
      () => meta.receiveContent(whatsAppUrl, number, { type: 'location', location: { latitude: 1, longitude: 2 } }),
    ],
  ])('is handed off by the AI, which takes it for no thanks: %s', async (_what, send) => {
    await org.patch('/autopilot', { channel: 'whatsapp', autopilot_enabled: true });
    await send();
    const session = await eventually('the handoff', async () => {
      const [found] = await sessions();
      return found?.ai_closure_type === 'handed_off' && found;
    });
    expect(session.language).toBeNull();
  });
});

describe('a contact on WhatsApp', () => {
  let stack: Stack;
  let meta: FakeMeta;
  let org: TestOrg;
  let whatsAppUrl: string;
  beforeAll(async () => {
    meta = await startFakeMeta([
      { id: '1', name: 'plain', language: 'en', components: [{ type: 'BODY', text: 'Good day' }] },
    ]);
    stack = await startStack({ env: FAKES_ALLOWED });
  });
  afterAll(async () => {
    await stack.close();
    await meta.close();
  });
  beforeEach(async () => {
    org = await stack.createOrg();
    whatsAppUrl = await connectMeta(org, meta);
  });

  const numbersOf = async (items: { contact?: { phone_number: string }; phone_number?: string }[]) =>
    items.map(({ contact, phone_number }) => contact?.phone_number ?? phone_number);

  it.each([
    ['Mexican, with the 1 of former times', '+525512345678', '+5215512345678'],
    ['Brazilian, without the ninth digit', '+5551987654321', '+555187654321'],
    ['Brazilian, saved without the ninth digit', '+555187654321', '+5551987654321'],
    ['Argentine, saved without the 9', '+541158749895', '+5491158749895'],
    ['Argentine, saved with the 9', '+5491158749895', '+541158749895'],
  ])('is the one whose number WhatsApp writes otherwise: %s', async (_what, phone, waId) => {
    const template = { template_id: '1', phone_number_id: WHATSAPP_NUMBER, variables: [] };
    const { body } = await org.post('/whatsapp/send-template', { ...template, contact: { phone_number: phone } });
    await meta.receive(whatsAppUrl, { from: waId, text: 'Yes' });
    const { items } = (await org.get('/chat/sessions')).body;
    expect(items).toMatchObject([{ id: body.opencx_session_id, contact: { phone_number: phone } }]);
    expect(await numbersOf((await org.get('/contacts')).body.items)).toEqual([phone]);
  });

  it.each([
    ['+5215512345678', '+525512345678'],
    ['+555187654321', '+5551987654321'],
    ['+555133334444', '+555133334444'],
    ['+541158749895', '+541158749895'],
    ['+14155550123', '+14155550123'],
  ])('who is new is saved with the number as it is dialled: %s', async (waId, phone) => {
    await meta.receive(whatsAppUrl, { from: waId, text: 'Hello' });
    expect(await numbersOf((await org.get('/contacts')).body.items)).toEqual([phone]);
  });
});
