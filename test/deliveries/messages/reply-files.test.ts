import { formWith, PNG, pngOf, SAMPLES } from '../../media/samples.ts';
import { connectMeta, connectTwilio, FAKES_ALLOWED, newNumber, WHATSAPP_NUMBER } from '../../support/channels.ts';
import { type FakeMeta, startFakeMeta } from '../../support/fakes/meta.ts';
import { type FakeTwilio, refusesWith, startFakeTwilio } from '../../support/fakes/twilio.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const LINK = /https?:\/\/\S+\/media\/(\S+)/;
const [, PDF] = SAMPLES.find(([name]) => name.endsWith('.pdf')) as (typeof SAMPLES)[number];
const [, GIF] = SAMPLES.find(([name]) => name.endsWith('.gif')) as (typeof SAMPLES)[number];
const [, CSV] = SAMPLES.find(([name]) => name.endsWith('.csv')) as (typeof SAMPLES)[number];

type File = [name: string, bytes: Buffer];

describe('a file of an agent', () => {
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
    stack = await startStack({ env: { ...FAKES_ALLOWED, DEVELOPMENT: 'true' } });
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

  const say = (id: string, text: string, ...files: File[]) => {
    const attachments = files.map(([name, bytes]) => ({ name, base64: bytes.toString('base64') }));
    return org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message: { type: 'text', text, attachments } });
  };
  const session = async () => (await org.get('/chat/sessions')).body.items[0].id as string;
  const bySms = async () => {
    await twilio.receive({ from: number, to: '+15005550006', body: 'Hello?' }, smsUrl);
    return session();
  };
  const byWhatsApp = async () => {
    await meta.receive(whatsAppUrl, { from: number, text: 'Hello?' });
    return session();
  };
  const byEmail = async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    await org.put('/email/inboxes', { address: 'help@acme.example', is_default_sender: true });
    const contact_id = (await org.post('/contacts', { contact: { email } })).body.id;
    const { id } = (await org.post('/chat/sessions', { contact_id, channel: { type: 'email' } })).body;
    return { id, email };
  };
  const mailTo = (email: string) => eventually('the mail', () => stack.sink.to(email)[0]);
  const filesTo = (count: number) =>
    eventually(`${count} files`, () => {
      const sent = meta.sentFiles.filter(({ to }) => to === number);
      return sent.length === count && sent;
    });
  const mmsTo = () =>
    eventually('the message', () => twilio.messages.find(({ params }) => params.get('To') === number)?.params);

  it('is a part of the e-mail, under its name, of its type', async () => {
    const { id, email } = await byEmail();
    expect((await say(id, 'The plan', ['plan.pdf', PDF], ['../über.png', PNG])).status).toBe(201);
    const { text, attachments } = await mailTo(email);
    expect(text?.trim()).toBe('The plan');
    expect(attachments.map((file) => [file.filename, file.contentType, file.contentDisposition])).toEqual([
      ['plan.pdf', 'application/pdf', 'attachment'],
      ['über.png', 'image/png', 'attachment'],
    ]);
    expect(attachments.map(({ content }) => content)).toEqual([PDF, PNG]);
  });

  it('is a link without end where the e-mail would be too large for mail servers', async () => {
    const { id, email } = await byEmail();
    const large = pngOf(4.5 * 1024 ** 2);
    const files = Array.from({ length: 3 }, (_, n): File => [`${n}.png`, large]);
    const kept = await Promise.all(
      [...files, ['3.png', large] as File].map(async ([name, bytes]) => {
        return { name, url: (await org.post('/media', formWith(bytes, name))).body.fileUrl };
      }),
    );
    const message = { type: 'text', text: 'All of it', attachments: kept };
    expect((await org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message })).status).toBe(201);
    const mail = await mailTo(email);
    expect(mail.attachments.map(({ filename }) => filename)).toEqual(['0.png', '1.png', '2.png']);
    const [url = '', token = ''] = LINK.exec(mail.text ?? '') ?? [];
    expect(mail.text).toContain(`3.png: ${url}`);
    const inTwentyYears = new Date(Date.now() + 20 * 365 * 86_400_000);
    expect(stack.deps.mediaLinks.read(token, inTwentyYears)).toMatchObject({ isExpired: false });
  });

  it('is uploaded to WhatsApp and sent as what it is, the first with the text as its caption', async () => {
    const id = await byWhatsApp();
    expect((await say(id, 'The plan', ['plan.pdf', PDF], ['a.png', PNG], ['list.csv', CSV])).status).toBe(201);
    const sent = await filesTo(3);
    expect(sent).toMatchObject([
      { kind: 'document', name: 'plan.pdf', mimeType: 'application/pdf', caption: 'The plan', bytes: PDF },
      { kind: 'image', mimeType: 'image/png', caption: undefined, bytes: PNG },
      { kind: 'document', name: 'list.csv', mimeType: 'text/plain', bytes: CSV },
    ]);
    expect(new Set(sent.map(({ phoneNumberId }) => phoneNumberId))).toEqual(new Set([WHATSAPP_NUMBER]));
    expect(meta.texts.filter(({ to }) => to === number)).toEqual([]);
  });

  it('is sent once to WhatsApp although its upload fails first', async () => {
    const id = await byWhatsApp();
    meta.nextUpload({ status: 503, message: 'Service temporarily unavailable', retryAfter: '1' });
    await say(id, '', ['a.png', PNG]);
    expect(await filesTo(1)).toMatchObject([{ caption: undefined }]);
    const { items } = (await org.get('/deliveries?channel=whatsapp')).body;
    expect(items).toMatchObject([{ status: 'accepted' }]);
  });

  it('that WhatsApp does not take is a link without end', async () => {
    const id = await byWhatsApp();
    await say(id, 'Look', ['party.gif', GIF]);
    const [{ text }] = await eventually('the text', () => {
      const sent = meta.texts.filter(({ to }) => to === number);
      return sent.length === 1 && (sent as [(typeof sent)[number]]);
    });
    expect(text).toMatch(/^Look\nparty\.gif: http/);
    const token = LINK.exec(text)?.[1] ?? '';
    expect(stack.deps.mediaLinks.read(token, new Date('2080-01-01'))).toMatchObject({ isExpired: false });
  });

  const textTo = () =>
    eventually('the text', () => meta.texts.find(({ to, text }) => to === number && LINK.test(text)));
  const deliveries = async () => (await org.get('/deliveries?channel=whatsapp')).body.items;

  it.each([
    ['as it is uploaded', () => meta.nextUpload({ status: 400, code: 131053, message: 'Media upload error' })],
    ['by its content', () => meta.nextUpload({ status: 400, code: 100, message: 'Param file must be a file' })],
    ['in a message', () => meta.next({ status: 400, code: 131052, message: 'Media download error' })],
    ['as a kind of message', () => meta.next({ status: 400, code: 131051, message: 'Unsupported message type' })],
  ])('that WhatsApp refuses %s is a link without end', async (_, refuse) => {
    const id = await byWhatsApp();
    refuse();
    await say(id, 'The plan', ['plan.pdf', PDF]);
    const { text } = await textTo();
    expect(text).toMatch(/^The plan\nplan\.pdf: http/);
    const token = LINK.exec(text)?.[1] ?? '';
    expect(stack.deps.mediaLinks.read(token, new Date('2080-01-01'))).toMatchObject({ isExpired: false });
    expect(await deliveries()).toMatchObject([{ status: 'accepted' }]);
  });

  it('is no link where WhatsApp refuses the message for another reason', async () => {
    const id = await byWhatsApp();
    meta.next({ status: 400, code: 131047, message: 'Re-engagement message' });
    await say(id, 'The plan', ['plan.pdf', PDF]);
    await eventually('the failure', async () => (await deliveries())[0]?.status === 'failed');
    expect(meta.texts.filter(({ to }) => to === number)).toEqual([]);
  });

  it('that WhatsApp takes and refuses afterwards is a link, once, however often it says so', async () => {
    const id = await byWhatsApp();
    await say(id, 'The plan', ['plan.pdf', PDF], ['a.png', PNG]);
    const [first, second] = await filesTo(2);
    await eventually('both accepted', async () =>
      (await deliveries()).every(({ status }: { status: string }) => status === 'accepted'),
    );
    const errors = [{ code: 131053, title: 'Media upload error' }];
    const refuse = () => first && meta.callback(whatsAppUrl, first, 'failed', { errors });
    expect([await refuse(), await refuse()]).toEqual([200, 200]);
    expect((await textTo()).text).toMatch(/^The plan\nplan\.pdf: http/);
    await eventually('the link', async () =>
      (await deliveries()).every(({ status }: { status: string }) => status === 'accepted'),
    );
    expect(await refuse()).toBe(200);
    expect((await org.get(`/deliveries/${first?.callbackData}`)).body).toMatchObject({
      status: 'accepted',
      answers: [{ outcome: 'accepted' }, { outcome: 'rejected' }, { outcome: 'accepted' }],
    });
    expect(meta.texts.filter(({ to }) => to === number)).toHaveLength(1);
    if (second) await meta.callback(whatsAppUrl, second, 'failed', { errors: [{ code: 131000, title: 'Unknown' }] });
    expect((await org.get(`/deliveries/${second?.callbackData}`)).body.status).toBe('failed');
  });

  it('is an MMS between numbers that can', async () => {
    const id = await bySms();
    await say(id, 'The plan', ['plan.pdf', PDF], ['a.png', PNG]);
    const params = await mmsTo();
    expect(params.get('Body')).toBe('The plan');
    const [first = ''] = params.getAll('MediaUrl');
    expect(params.getAll('MediaUrl')).toHaveLength(2);
    expect(Buffer.from(await (await fetch(first)).arrayBuffer())).toEqual(PDF);
  });

  it.each([
    ['the account’s number sends no MMS', () => twilio.numbers.set('+15005550006', { mms: false })],
    ['Twilio refuses the file', () => twilio.next(refusesWith(21620, 'Invalid media URL(s)'))],
    ['the number has no MMS', () => twilio.next(refusesWith(21621, 'The From number has no MMS'))],
    ['no MMS goes from one to the other', () => twilio.next(refusesWith(21612, 'This combination of To and From'))],
    ['the contact is outside of the area of MMS', () => (number = `+4420794${String(Date.now()).slice(-5)}`)],
  ])('is a link in an SMS where %s', async (_, prepare) => {
    prepare();
    const id = await bySms();
    await say(id, 'The plan', ['plan.pdf', PDF]);
    const params = await mmsTo();
    twilio.numbers.set('+15005550006', { mms: true });
    expect([params.get('Body'), params.getAll('MediaUrl')]).toEqual([
      expect.stringMatching(/^The plan\nplan\.pdf: http/),
      [],
    ]);
  });

  it('is a link in an SMS where Twilio takes the MMS and the recipient’s network does not', async () => {
    const id = await bySms();
    await say(id, 'The plan', ['plan.pdf', PDF]);
    await mmsTo();
    const [{ id: deliveryId }] = (await org.get('/deliveries?channel=sms')).body.items;
    const accepted = async () => (await org.get(`/deliveries/${deliveryId}`)).body.status === 'accepted';
    await eventually('the answer', accepted);
    const [mms] = twilio.messages.slice(-1);
    expect(mms && (await twilio.callback(mms, 'undelivered', { ErrorCode: '30011' }))).toBe(200);
    const sms = await eventually('the SMS', () => {
      const [last] = twilio.messages.slice(-1);
      return last !== mms && last?.params;
    });
    expect([sms.get('To'), sms.get('Body'), sms.getAll('MediaUrl')]).toEqual([
      number,
      expect.stringMatching(/^The plan\nplan\.pdf: http/),
      [],
    ]);
  });

  it('leaves nothing in the ledger once its message is redacted', async () => {
    const id = await byWhatsApp();
    await say(id, 'Secret', ['secret.pdf', PDF], ['secret.png', PNG]);
    await filesTo(2);
    await eventually('both accepted', async () => {
      const { items } = (await org.get('/deliveries?channel=whatsapp')).body;
      return items.length === 2 && items.every(({ status }: { status: string }) => status === 'accepted');
    });
    const messageId = (await org.get(`/chat/sessions/${id}/history?order=desc`)).body.items[0].id;
    expect((await org.post('/redaction/message', { messageId })).body).toMatchObject({ affectedCount: 1 });
    const rows = await stack.db.selectFrom('deliveries').select('content').where('org_id', '=', org.id).execute();
    expect(rows).toEqual([{ content: null }, { content: null }]);
  });
});
