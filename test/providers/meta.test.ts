import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { createEgress, type Egress } from '../../src/providers/egress/egress.ts';
import { isMetaSignature, readMetaCallback } from '../../src/providers/meta/callbacks.ts';
import { fillTemplate } from '../../src/providers/meta/filled-template.rules.ts';
import type { MetaTemplate, WhatsAppComponent, WhatsAppMessage } from '../../src/providers/meta/port.ts';
import { createMetaSender } from '../../src/providers/meta/sender.ts';
import { findTemplate } from '../../src/providers/meta/templates.ts';
import type { CallbackContent, SendOutcome } from '../../src/providers/sending.ts';
import { type FakeMeta, type MetaFault, startFakeMeta } from '../support/fakes/meta.ts';
import type { FakeTemplate } from '../support/fakes/meta-templates.ts';

const FLOW_TEXT = 'Sent\nsize: L\ncolors: red, blue\naddress.city: Bonn';
const POLL_TEXT = '[poll]\nquestion: When?\noptions.0.name: Today';

const DELIVERY = '0192d4f5-0000-7000-8000-000000000001';
const LOOPBACK = { allow: ['127.0.0.0/8'] };

const WELCOME: FakeTemplate = {
  id: '101',
  name: 'welcome',
  language: 'en_US',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Hello {{1}}' },
    { type: 'BODY', text: 'Your order {{1}} comes on {{2}}. Thank you, {{1}}.' },
    { type: 'FOOTER', text: 'Reply STOP to stop' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Stop' },
        { type: 'URL', url: 'https://shop.example/{{1}}' },
        { type: 'URL', url: 'https://shop.example/help' },
      ],
    },
  ],
};
const PLAIN: FakeTemplate = {
  id: '102',
  name: 'plain',
  language: 'de',
  components: [{ type: 'BODY', text: 'Hallo' }],
};
const NAMED: FakeTemplate = {
  id: '103',
  name: 'named',
  language: 'en',
  parameter_format: 'NAMED',
  components: [{ type: 'BODY', text: '{{first_name}}, your {{item}} is here' }],
};
const PICTURE: FakeTemplate = {
  id: '104',
  name: 'picture',
  language: 'en',
  components: [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Hi {{1}}' },
  ],
};

let meta: FakeMeta;
let egress: Egress;
beforeAll(async () => {
  meta = await startFakeMeta([WELCOME, PLAIN, NAMED, PICTURE]);
  egress = createEgress(LOOPBACK);
});
beforeEach(() => void meta.messages.splice(0));
afterAll(async () => {
  await egress.close();
  await meta.close();
});

const settings = () => ({ base_url: meta.url, access_token: meta.accessToken });
const messageOf = (template: FakeTemplate, components: WhatsAppComponent[] = []): WhatsAppMessage => ({
  deliveryId: DELIVERY,
  to: '+16505551234',
  phoneNumberId: '106540352242922',
  template: { name: template.name, language: template.language, components },
});
const send = (message = messageOf(PLAIN), over = settings(), via = egress) => createMetaSender(via, over).send(message);

describe('a WhatsApp template message', () => {
  it('is sent in Meta’s format with our id, and accepted with Meta’s id', async () => {
    const bodies: unknown[] = [];
    const seen: Egress = {
      ...egress,
      request: (url, options) => {
        bodies.push(JSON.parse(String(options?.body ?? '')));
        return egress.request(url, options);
      },
    };
    const components: WhatsAppComponent[] = [
      { type: 'header', parameters: [{ type: 'text', text: 'Ada' }] },
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'A1' },
          { type: 'text', text: 'Monday' },
        ],
      },
      { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'orders/A1' }] },
    ];
    const outcome = await send(messageOf(WELCOME, components), settings(), seen);
    expect(outcome).toEqual({ kind: 'accepted', providerId: meta.messages[0]?.id });
    expect(bodies).toEqual([
      {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: '+16505551234',
        type: 'template',
        template: { name: 'welcome', language: { code: 'en_US' }, components },
        biz_opaque_callback_data: DELIVERY,
      },
    ]);
    await send(messageOf(PLAIN), settings(), seen);
    expect(bodies[1]).toHaveProperty('template', { name: 'plain', language: { code: 'de' } });
  });

  it.each<[MetaFault, SendOutcome]>([
    [
      { status: 400, code: 4 },
      { kind: 'retry', scope: 'provider', reason: '(#4) Refused' },
    ],
    [
      { status: 400, code: 80007 },
      { kind: 'retry', scope: 'provider', reason: '(#80007) Refused' },
    ],
    [
      { status: 429, code: 130429, retryAfter: '7' },
      { kind: 'retry', scope: 'provider', reason: '(#130429) Refused', retryAfterMs: 7_000 },
    ],
    [
      { status: 400, code: 131056, retryAfter: '60' },
      { kind: 'retry', scope: 'recipient', reason: '(#131056) Refused', retryAfterMs: 60_000 },
    ],
    [{ status: 429 }, { kind: 'retry', scope: 'provider', reason: 'Meta answered 429' }],
    [
      { status: 400, code: 131026 },
      { kind: 'rejected', because: 'suppress', reason: '(#131026) Refused' },
    ],
    [
      { status: 400, code: 132000 },
      { kind: 'rejected', because: 'permanent', reason: '(#132000) Refused' },
    ],
    [
      { status: 400, code: 132012 },
      { kind: 'rejected', because: 'permanent', reason: '(#132012) Refused' },
    ],
    [
      { status: 400, code: 131008, message: 'Required parameter is missing', details: 'Parameter of type text' },
      {
        kind: 'rejected',
        because: 'permanent',
        reason: '(#131008) Required parameter is missing: Parameter of type text',
      },
    ],
    [{ status: 404 }, { kind: 'rejected', because: 'permanent', reason: 'Meta answered 404' }],
    [
      { status: 403, code: 10 },
      { kind: 'rejected', because: 'config', reason: '(#10) Refused' },
    ],
    [
      { status: 400, code: 190 },
      { kind: 'rejected', because: 'config', reason: '(#190) Refused' },
    ],
    [
      { status: 400, code: 131005 },
      { kind: 'rejected', because: 'config', reason: '(#131005) Refused' },
    ],
    [
      { status: 404, code: 132001 },
      { kind: 'rejected', because: 'config', reason: '(#132001) Refused' },
    ],
    [{ status: 401 }, { kind: 'rejected', because: 'config', reason: 'Meta answered 401' }],
    [
      { status: 403, code: 200 },
      { kind: 'rejected', because: 'config', reason: '(#200) Refused' },
    ],
    [
      { status: 500, code: 131000 },
      { kind: 'unknown', reason: '(#131000) Refused' },
    ],
    [{ status: 502 }, { kind: 'unknown', reason: 'Meta answered 502' }],
    [
      { status: 503, retryAfter: '3' },
      { kind: 'retry', scope: 'provider', reason: 'Meta answered 503', retryAfterMs: 3_000 },
    ],
    [{ status: 200 }, { kind: 'unknown', reason: 'Meta answered 200' }],
  ])('with the response %j has the outcome %j', async (fault, outcome) => {
    meta.next(fault);
    expect(await send()).toEqual(outcome);
    expect(meta.messages).toEqual([]);
  });

  it.each<[MetaFault, string]>([
    ['error-after', '(#131000) Something went wrong'],
    ['reset-after', '127.0.0.1'],
    ['reset-before', '127.0.0.1'],
  ])('is unknown and requested only once after %s', async (fault, reason) => {
    meta.next(fault);
    expect(await send()).toEqual({ kind: 'unknown', reason: expect.stringContaining(reason) });
    expect(meta.messages).toHaveLength(fault === 'reset-before' ? 0 : 1);
  });

  it('is unknown if the response is late', async () => {
    const hasty: Egress = { ...egress, request: (url, options) => egress.request(url, { ...options, timeoutMs: 200 }) };
    meta.next({ slowMs: 1_000 });
    const outcome = await send(messageOf(PLAIN), settings(), hasty);
    expect(outcome).toEqual({ kind: 'unknown', reason: expect.stringContaining('in time') });
    expect(meta.messages).toHaveLength(1);
  });

  it('is retried if the connection is refused or the name is not found', async () => {
    const closed = { ...settings(), base_url: await closedAddress() };
    expect(await send(messageOf(PLAIN), closed)).toMatchObject({ kind: 'retry', scope: 'provider' });

    const nameless = createEgress({ allow: [], lookup: async () => Promise.reject(new Error('ENOTFOUND')) });
    const named = { ...settings(), base_url: 'https://graph.example' };
    expect(await send(messageOf(PLAIN), named, nameless)).toMatchObject({ kind: 'retry', scope: 'provider' });
    await nameless.close();
  });

  it('is a configuration problem if the address must not be contacted', async () => {
    const strict = createEgress({ allow: [] });
    const outcome = await send(messageOf(PLAIN), settings(), strict);
    expect(outcome).toEqual({ kind: 'rejected', because: 'config', reason: expect.stringContaining('EGRESS_ALLOW') });
    await strict.close();
  });

  it('never reveals the token, even if Meta quotes it', async () => {
    const outcome = await send(messageOf(PLAIN), { ...settings(), access_token: 'EAAG-of-another' });
    expect(outcome).toEqual({ kind: 'rejected', because: 'config', reason: '(#190) Malformed access token ***' });
  });

  it('stores at most 500 characters of the reason', async () => {
    meta.next({ status: 400, code: 100, message: 'x'.repeat(2_000) });
    const outcome = await send();
    expect(outcome).toHaveProperty('reason', `(#100) ${'x'.repeat(493)}`);
  });
});

describe('a WhatsApp template', () => {
  it('is found by its id, with its placeholders', async () => {
    expect(await findTemplate(egress, settings(), '101')).toEqual({
      name: 'welcome',
      language: 'en_US',
      status: 'APPROVED',
      parameterFormat: 'positional',
      mediaHeader: undefined,
      texts: expect.objectContaining({ header: expect.stringContaining('{{1}}') }),
      places: { header: ['1'], body: ['1', '2'], buttons: ['1'] },
    });
    expect(await findTemplate(egress, settings(), '103')).toMatchObject({
      parameterFormat: 'named',
      places: { header: [], body: ['first_name', 'item'], buttons: [] },
    });
  });

  it('is not found if Meta does not know it, and not requested for an invalid id', async () => {
    expect(await findTemplate(egress, settings(), '999')).toBeUndefined();
    const nobody = { ...settings(), base_url: 'https://graph.invalid' };
    expect(await findTemplate(egress, nobody, '../me')).toBeUndefined();
  });

  it.each<[number, number | undefined, boolean]>([
    [401, 190, false],
    [403, 10, false],
    [400, 4, true],
    [429, undefined, true],
    [503, undefined, true],
  ])('is an error if Meta refuses it with %i (%j), and transient: %j', async (status, code, transient) => {
    const refusing: Egress = {
      ...egress,
      request: async (url) => ({ status, headers: {}, body: JSON.stringify({ error: { code, message: 'No' } }), url }),
    };
    await expect(findTemplate(refusing, settings(), '101')).rejects.toMatchObject({ name: 'ProviderError', transient });
  });

  it.each([
    [WELCOME, ['Ada', 'A1', 'Monday', 'orders/A1']],
    [PLAIN, []],
    [NAMED, ['Ada', 'book\n\tof numbers']],
  ])('is filled with variables in Meta’s format: %j', async (known, variables) => {
    const template = (await findTemplate(egress, settings(), known.id)) as MetaTemplate;
    const filled = fillTemplate(template, variables) as { components: WhatsAppComponent[] };
    expect(await send(messageOf(known, filled.components))).toMatchObject({ kind: 'accepted' });
  });

  it.each([
    [WELCOME, ['a'], 'takes 4 variables (1 in the header, 2 in the body, 1 in the buttons), not 1'],
    [NAMED, ['a', 'b', 'c'], 'takes 2 variables (2 in the body), not 3'],
    [PLAIN, ['a'], 'takes no variables, not 1'],
    [NAMED, ['a', ' \n'], 'takes no blank variable, as number 2 is'],
    [PICTURE, ['a', 'b'], 'takes the http or https URL of a file as its image'],
  ])('reports why the variables do not fit: %j with %j', async (known, variables, problem) => {
    const template = (await findTemplate(egress, settings(), known.id)) as MetaTemplate;
    expect(fillTemplate(template, variables)).toEqual({ problem });
  });
});

/**
 * https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries: the same scheme, with a published
 * example.
 */
const PUBLISHED = {
  secret: "It's a Secret to Everybody",
  body: Buffer.from('Hello, World!'),
  header: 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
};

describe('the signature of a Meta callback', () => {
  it('is verified for a published example', () => {
    expect(isMetaSignature(PUBLISHED.secret, PUBLISHED.body, PUBLISHED.header)).toBe(true);
  });

  it('is verified for any bytes', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.uint8Array(), (secret, bytes) =>
        isMetaSignature(
          secret,
          Buffer.from(bytes),
          `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`,
        ),
      ),
    );
  });

  it('is refused if any one byte of body, secret or signature is changed', () => {
    const changed = (text: string) => {
      const bytes = Buffer.from(text);
      return Array.from(bytes, (byte, at) => {
        const copy = Buffer.from(bytes);
        copy[at] = byte ^ 1;
        return copy;
      });
    };
    const { secret, body, header } = PUBLISHED;
    const verdicts = [
      ...changed(body.toString()).map((other) => isMetaSignature(secret, other, header)),
      ...changed(secret).map((other) => isMetaSignature(other.toString(), body, header)),
      ...changed(header).map((other) => isMetaSignature(secret, body, other.toString())),
    ];
    expect(verdicts).toEqual(Array(body.length + secret.length + header.length).fill(false));
  });

  it.each([undefined, '', 'sha256=', PUBLISHED.header.slice(0, -1), `${PUBLISHED.header}0`, PUBLISHED.header.slice(7)])(
    'is refused if it is %j',
    (header) => {
      expect(isMetaSignature(PUBLISHED.secret, PUBLISHED.body, header)).toBe(false);
    },
  );
});

const textOf = (body: string) => ({ type: 'text', text: { body } });

describe('a Meta callback', () => {
  const callbackOf = (value: unknown) => ({ object: 'whatsapp_business_account', entry: [{ changes: [{ value }] }] });
  const inbound = (message: object) =>
    readMetaCallback(
      callbackOf({
        metadata: { display_phone_number: '1 (555) 078-3881' },
        messages: [{ id: 'wamid.1', from: '16505551234', ...message }],
      }),
    ).messages;

  it.each([
    ['16505551234', ' Ann\0 Example ', 'Ann Example'],
    ['16505551234', ' ', undefined],
    ['16505559999', 'Somebody', undefined],
    [7, 'Ann', undefined],
  ])('contains the name of a message’s sender: %j, %j', (wa_id, name, shown) => {
    const contacts = [{ wa_id, profile: { name } }];
    const messages = [{ id: 'wamid.1', from: '16505551234', type: 'text', text: { body: 'Hi' } }];
    expect(readMetaCallback(callbackOf({ metadata: {}, messages, contacts })).messages[0]?.name).toBe(shown);
  });

  it('reports the status of a sent message, verified by its exact bytes', async () => {
    const received: { content: CallbackContent; isSigned: boolean }[] = [];
    const endpoint = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const raw = Buffer.concat(chunks);
        const isSigned = isMetaSignature(meta.appSecret, raw, request.headers['x-hub-signature-256'] as string);
        received.push({ content: readMetaCallback(JSON.parse(raw.toString())), isSigned });
        response.writeHead(isSigned ? 200 : 401).end();
      });
    });
    const url = await listen(endpoint);
    await send();
    const [message] = meta.messages as [(typeof meta.messages)[number]];

    const errors = [{ code: 131026, title: 'Message undeliverable', details: 'Müller is not on WhatsApp' }];
    expect(await meta.callback(url, message, 'delivered')).toBe(200);
    expect(await meta.callback(url, message, 'failed', { errors })).toBe(200);
    expect(await meta.callback(url, message, 'read', { forged: true })).toBe(401);
    expect(await meta.receive(url, { from: '+16505551234', text: 'Grüße 👋' })).toBe(200);
    endpoint.close();
    endpoint.closeAllConnections();

    const report = {
      providerId: message.id,
      deliveryId: DELIVERY,
      reason: null,
      isSuppressing: false,
      isFileRefused: false,
    };
    expect(received.map(({ isSigned }) => isSigned)).toEqual([true, true, false, true]);
    expect(received.flatMap(({ content }) => content.reports)).toEqual([
      { ...report, status: 'delivered' },
      {
        ...report,
        status: 'failed',
        reason: '(#131026) Message undeliverable: Müller is not on WhatsApp',
        isSuppressing: true,
      },
      { ...report, status: 'read' },
    ]);
    expect(received[3]?.content.messages).toEqual([
      {
        providerId: expect.any(String),
        from: '+16505551234',
        to: '+15550783881',
        toId: '106540352242922',
        text: 'Grüße 👋',
        sentAt: expect.any(Date),
      },
    ]);
  });

  it.each([
    [{ type: 'text', text: { body: 'Yes\0' } }, 'Yes'],
    [{ type: 'button', button: { text: 'Stop', payload: 'STOP' } }, 'Stop'],
    [{ type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: '1', title: 'Yes' } } }, 'Yes'],
    [{ type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: '1', title: 'Two' } } }, 'Two'],
    [{ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { body: 'Sent' } } }, 'Sent'],
    [flowAnswer('{"flow_token":"t","size":"L","colors":["red","blue"],"address":{"city":"Bonn"}}'), FLOW_TEXT],
    [flowAnswer('no JSON'), 'Sent\nno JSON'],
    [
      {
        type: 'order',
        order: {
          catalog_id: '194836987003835',
          text: 'Gift wrap, please',
          product_items: [
            { product_retailer_id: 'di9ozbzfi4', quantity: 2, item_price: 30.5, currency: 'USD' },
            { product_retailer_id: 'nqryix03ez', quantity: '1', item_price: '25', currency: 'USD' },
          ],
        },
      },
      'Order:\n2 × di9ozbzfi4, 30.5 USD each\n1 × nqryix03ez, 25 USD each\nNote: Gift wrap, please',
    ],
    [
      {
        type: 'order',
        order: {
          product_items: [
            { product_retailer_id: 'a1', quantity: 2 },
            { product_retailer_id: 'b2', quantity: null, colour: 'red' },
            'c3',
            {},
          ],
        },
      },
      'Order:\n2 × a1\nproduct_retailer_id: b2, colour: red\nc3\n[item without details]',
    ],
  ])('contains a contact’s text or choice: %j', (message, text) => {
    expect(inbound(message)).toEqual([{ providerId: 'wamid.1', from: '+16505551234', to: '+15550783881', text }]);
  });

  it('contains an edit with its new content, and a deletion', () => {
    const timestamp = '1790000000';
    const sentAt = new Date('2026-09-21T14:13:20.000Z');
    const edit = { original_message_id: 'wamid.0', message: textOf('Two') };
    expect(inbound({ type: 'edit', timestamp, edit })).toMatchObject([
      { text: 'Two', sentAt, change: { kind: 'edit', of: 'wamid.0' } },
    ]);
    const revoke = { original_message_id: 'wamid.0' };
    expect(inbound({ type: 'revoke', timestamp, revoke })).toMatchObject([
      { text: '', sentAt, change: { kind: 'deletion', of: 'wamid.0' } },
    ]);
  });

  it.each([
    { type: 'system', system: { body: 'has a new number' } },
    { type: 'text', from: 'US.13' },
  ])('contains no message for %j', (message) => {
    expect(inbound(message)).toEqual([]);
  });

  it.each([
    [{ type: 'image', image: { id: '7', caption: 'Broken' } }, 'Broken', { kind: 'image', name: null }],
    [{ type: 'audio', audio: { id: '7', voice: true } }, '', { kind: 'audio', name: null }],
    [{ type: 'sticker', sticker: { id: '7' } }, '', { kind: 'sticker', name: null }],
    [{ type: 'document', document: { id: '7', filename: 'a.pdf' } }, '', { kind: 'document', name: 'a.pdf' }],
  ])('contains a contact’s file and its caption: %j', (message, text, file) => {
    expect(inbound(message)).toMatchObject([{ text, files: [{ ...file, source: '7' }] }]);
  });

  it.each([
    [{ type: 'location', location: { latitude: 1.5, longitude: -2, name: 'Home' } }, '[location: Home, 1.5, -2]'],
    [
      { type: 'contacts', contacts: [{ name: { formatted_name: 'Ann' }, phones: [{ phone: '+1 415' }] }] },
      '[contact card: Ann, +1 415]',
    ],
    [{ type: 'interactive', interactive: { type: 'new_kind' } }, '[interactive message]\ntype: new_kind'],
    [{ type: 'order', order: {} }, '[order]'],
    [{ type: 'text' }, '[text]'],
    [{ type: 'image', image: { id: '', caption: 'Broken' } }, '[image]\ncaption: Broken'],
    [{ type: 'poll', poll: { question: 'When?', options: [{ name: 'Today' }] } }, POLL_TEXT],
    [{ type: 'unsupported', errors: [{ code: 131051 }] }, '[message of an unsupported type]\n(#131051)'],
    [
      { type: 'unsupported', unsupported: { type: 'poll' }, errors: [{ code: 131051, title: 'Message type unknown' }] },
      '[message of an unsupported type]\ntype: poll\n(#131051) Message type unknown',
    ],
    [{ type: 'edit', edit: { message: textOf('no id') } }, '[edit]\nmessage.type: text\nmessage.text.body: no id'],
    [{ type: 'revoke' }, '[revoke]'],
    [{ type: 'poll', poll: { text: 'x'.repeat(5_000) } }, `[poll]\ntext: ${'x'.repeat(4_096)}…`],
    [
      { type: 'poll', poll: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, n])) },
      ['[poll]', ...Array.from({ length: 200 }, (_, n) => `f${n}: ${n}`), '[more fields are left out]'].join('\n'),
    ],
    [
      { type: 'poll', poll: { list: Array.from({ length: 101 }, () => 'a') } },
      `[poll]\nlist: ${Array.from({ length: 100 }, () => 'a').join(', ')} [1 more]`,
    ],
    [
      { type: 'poll', poll: JSON.parse(`${'{"a":'.repeat(9)}1${'}'.repeat(9)}`) },
      `[poll]\n${Array.from({ length: 8 }, () => 'a').join('.')}: [nested too deep]`,
    ],
    [{ type: '<b>' }, '[message of an unsupported type]'],
  ])('describes what is neither text nor file: %j', (message, text) => {
    expect(inbound(message)).toMatchObject([{ text, isDescription: true }]);
  });

  it.each([
    [{ status: 'failed', errors: [{ code: 131049, title: 'Not delivered' }] }, '(#131049) Not delivered', false],
    [{ status: 'failed', errors: [{ code: 131026 }] }, '(#131026)', true],
    [{ status: 'sent', errors: [{ code: 131026 }] }, '(#131026)', false],
    [{ status: 'failed', errors: 'none' }, null, false],
  ])('suppresses only unreachable numbers: %j', (status, reason, isSuppressing) => {
    const { reports } = readMetaCallback(callbackOf({ statuses: [{ id: 'wamid.1', ...status }] }));
    expect(reports).toEqual([expect.objectContaining({ reason, isSuppressing })]);
  });

  it.each(['another system’s', '', 7, null])('does not use %j as an id of ours', (biz_opaque_callback_data) => {
    const status = { id: 'wamid.1', status: 'sent', biz_opaque_callback_data };
    const { reports } = readMetaCallback(callbackOf({ statuses: [status] }));
    expect(reports).toEqual([expect.objectContaining({ providerId: 'wamid.1', deliveryId: undefined })]);
  });

  it('skips malformed or unknown parts and keeps the others', () => {
    const good = { id: 'wamid.1', status: 'sent' };
    const { reports } = readMetaCallback({
      entry: [
        null,
        { changes: 'x' },
        { changes: [{ value: { statuses: [7, { id: 'wamid.0', status: 'played' }, good] } }] },
      ],
    });
    expect(reports.map(({ providerId }) => providerId)).toEqual(['wamid.1']);
  });

  it('is read without an error for any JSON', () => {
    const keys = ['entry', 'changes', 'value', 'statuses', 'messages', 'metadata', 'id', 'type', 'errors'];
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 6 },
        fc.jsonValue(),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('json'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(json, (body) => {
        const { reports, messages } = readMetaCallback(body);
        return Array.isArray(reports) && Array.isArray(messages);
      }),
    );
  });
});

/** The answers of a Flow as Meta sends them: JSON in a text. */
function flowAnswer(response_json: string) {
  return {
    type: 'interactive',
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json } },
  };
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address where nobody listens any more. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  const url = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}
