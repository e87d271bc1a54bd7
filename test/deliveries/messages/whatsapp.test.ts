import {
  connectMeta,
  createSequence,
  FAKES_ALLOWED,
  newNumber,
  readDelivery,
  send,
  untilEnrollments,
  untilSent,
  WHATSAPP_NUMBER,
  whatsAppStep,
} from '../../support/channels.ts';
import { type FakeMeta, type FakeMetaMessage, startFakeMeta } from '../../support/fakes/meta.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const TEMPLATES = [
  {
    id: '1001',
    name: 'booking',
    language: 'en',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Dear {{1}}, see you on {{2}} in {{3}}.' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Change', url: 'https://acme.example/b/{{1}}' }] },
    ],
  },
  { id: '1002', name: 'plain', language: 'en', components: [{ type: 'BODY', text: 'Good day' }] },
];
const custom = (ref: string, fallback: string) => ({ type: 'DYNAMIC', ref, fallback });
const MAPPING = {
  header: {
    type: 'header',
    parameters: [{ type: 'image', image: { link: custom('photo', 'https://acme.example/default.png') } }],
  },
  body: {
    type: 'body',
    parameters: [
      { type: 'text', text: { type: 'GLOBAL_DYNAMIC', ref: 'CONTACT_NAME', fallback: 'guest' } },
      { type: 'text', text: custom('day', 'your day') },
      { type: 'text', text: { type: 'CONSTANT', value: 'Oslo' } },
    ],
  },
  buttons: [
    { type: 'button', index: '0', sub_type: 'url', parameters: [{ type: 'text', text: custom('booking', 'new') }] },
  ],
};

describe('a WhatsApp template of a sequence', () => {
  let stack: Stack;
  let meta: FakeMeta;
  let org: TestOrg;
  let webhookUrl: string;
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
    webhookUrl = await connectMeta(org, meta);
  });

  const taken = () => meta.messages.filter((message) => message.to === to);
  const suppressions = async () => (await org.get('/suppressions?channel=whatsapp')).body.items;
  const accepted = async () => {
    const sequenceId = await send(org, to, whatsAppStep('plain'));
    const { id } = await untilSent(org, sequenceId, 'accepted');
    return { sequenceId, id, message: taken()[0] as FakeMetaMessage };
  };

  it.each([
    [
      'with what is known of the contact',
      { name: 'Ada', custom_data: { photo: 'https://acme.example/a.png', day: 'Friday', booking: 'b-7' } },
      ['https://acme.example/a.png', 'Ada', 'Friday', 'b-7'],
    ],
    [
      'with the fallbacks for what is missing or blank',
      { name: ' ', custom_data: { day: '' } },
      ['https://acme.example/default.png', 'guest', 'your day', 'new'],
    ],
  ])('is sent %s', async (_, contact, [photo, name, day, booking]) => {
    const sequenceId = await createSequence(org, [whatsAppStep('booking', MAPPING)]);
    await org.post('/contacts', { contact: { phone: to, ...contact } });
    const { id } = await untilSent(org, sequenceId, 'accepted');
    expect(taken()).toEqual([
      {
        id: expect.stringMatching(/^wamid\./),
        phoneNumberId: WHATSAPP_NUMBER,
        to,
        callbackData: id,
        template: {
          name: 'booking',
          language: { code: 'en' },
          components: [
            { type: 'header', parameters: [{ type: 'image', image: { link: photo } }] },
            { type: 'body', parameters: [name, day, 'Oslo'].map((text) => ({ type: 'text', text })) },
            { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: booking }] },
          ],
        },
      },
    ]);
  });

  it('pauses its sequence if Meta does not know the template, until an edit names a known one', async () => {
    const sequenceId = await send(org, to, whatsAppStep('unheard_of'));
    const paused = await eventually('the pause', async () => {
      const { body } = await org.get(`/sequences/${sequenceId}`);
      return body.status === 'paused' && body;
    });
    expect(paused.paused_reason).toContain('#132001');
    const [{ id }] = paused.steps;
    await org.patch(`/sequences/${sequenceId}`, { steps: [{ ...whatsAppStep('plain'), id }] });
    await org.put(`/sequences/${sequenceId}/resume`);
    await untilEnrollments(org, sequenceId, 'complete');
    expect(taken().map(({ template }) => template.name)).toEqual(['plain']);
  });

  it('to a number not on WhatsApp (131026) suppresses this number on the channel', async () => {
    meta.next({ status: 400, code: 131026, message: 'Message undeliverable' });
    const { reason } = await untilSent(org, await send(org, to, whatsAppStep('plain')), 'failed');
    expect(reason).toContain('#131026');
    expect(await suppressions()).toMatchObject([{ channel: 'whatsapp', address: to, reason: 'bounced' }]);
    const next = await untilSent(org, await send(org, to, whatsAppStep('plain')), 'suppressed');
    expect([next.reason, next.attempts, taken()]).toEqual(['bounced', 0, []]);
  });

  it('fails permanently if its parameters do not match (132000), and its enrollment continues', async () => {
    const sequenceId = await send(org, to, whatsAppStep('booking', { header: MAPPING.header }), whatsAppStep('plain'));
    await untilEnrollments(org, sequenceId, 'complete');
    expect((await untilSent(org, sequenceId, 'failed')).reason).toContain('#132000');
    expect(taken().map(({ template }) => template.name)).toEqual(['plain']);
  });

  it('waits for a contact with too many messages (131056) and shows until when, while the others are sent', async () => {
    const other = newNumber();
    meta.next({ status: 400, code: 131056, message: 'Pair rate limit hit' });
    const sequenceId = await send(org, to, whatsAppStep('plain'));
    const queued = await untilSent(org, sequenceId, 'queued');
    expect(queued.reason).toContain('#131056');
    expect(Date.parse(queued.not_before)).toBeGreaterThan(Date.now() + 30_000);
    await org.post(`/sequences/${sequenceId}/contacts`, { contacts: [{ phone_number: other }] });
    await untilSent(org, sequenceId, 'accepted');
    expect([taken().length, meta.messages.filter((message) => message.to === other).length]).toEqual([0, 1]);
  });

  it('follows Meta’s callbacks to delivered and read, and never backwards', async () => {
    const { id, message } = await accepted();
    for (const status of ['delivered', 'sent', 'read', 'delivered', 'failed'] as const)
      expect(await meta.callback(webhookUrl, message, status)).toBe(200);
    const delivery = await readDelivery(org, id);
    expect([delivery.status, delivery.provider_id]).toEqual(['read', message.id]);
    const told = delivery.callbacks.map(({ status }: { status: string }) => status);
    expect(told).toEqual(['delivered', 'sent', 'read', 'failed']);
  });

  it('fails with Meta’s reason, and suppresses the number only if Meta reports it as unreachable', async () => {
    const [first, second] = [await accepted(), await accepted()];
    const errors = [{ code: 131053, title: 'Media upload error', details: 'The image is too large' }];
    expect(await meta.callback(webhookUrl, first.message, 'failed', { errors })).toBe(200);
    const reason = '(#131053) Media upload error: The image is too large';
    expect(await readDelivery(org, first.id)).toMatchObject({ status: 'failed', reason });
    expect(await suppressions()).toEqual([]);

    const undeliverable = [{ code: 131026, title: 'Message undeliverable' }];
    const message = taken()[1] as FakeMetaMessage;
    expect(await meta.callback(webhookUrl, message, 'failed', { errors: undeliverable })).toBe(200);
    expect((await readDelivery(org, second.id)).status).toBe('failed');
    expect(await suppressions()).toMatchObject([{ address: to, reason: 'bounced' }]);
  });

  it('with a lost response stays unknown until a callback of Meta, as Meta cannot be asked', async () => {
    meta.next('reset-after');
    const sequenceId = await send(org, to, whatsAppStep('plain'));
    const { id } = await untilSent(org, sequenceId, 'unknown');
    await untilEnrollments(org, sequenceId, 'complete');
    const row = await stack.db.selectFrom('deliveries').select('look_up_at').where('id', '=', id).executeTakeFirst();
    expect([row?.look_up_at, taken().length]).toEqual([null, 1]);
    expect(await meta.callback(webhookUrl, taken()[0] as FakeMetaMessage, 'sent')).toBe(200);
    expect(await readDelivery(org, id)).toMatchObject({ status: 'sent', provider_id: taken()[0]?.id });
  });

  it('ignores a forged callback', async () => {
    const { id, message } = await accepted();
    expect(await meta.callback(webhookUrl, message, 'read', { forged: true })).toBe(403);
    expect(await meta.callback(webhookUrl.replace(org.id, stack.other.id), message, 'read')).toBe(404);
    expect(await readDelivery(org, id)).toMatchObject({ status: 'accepted', callbacks: [] });
  });

  it('ends the enrollment of a contact who replies, if the sequence asks for it', async () => {
    const steps = [whatsAppStep('plain'), whatsAppStep('plain', {}, 60)];
    const sequenceId = await createSequence(org, steps, { gates: { exit_on_reply: true } });
    await org.post('/contacts', { contact: { phone: to } });
    await untilSent(org, sequenceId, 'accepted');
    expect(await meta.receive(webhookUrl, { from: to, text: 'Grüezi 👋' })).toBe(200);
    const [enrollment] = await untilEnrollments(org, sequenceId, 'exited');
    expect(enrollment.exit_reason).toBe('exit_on_reply: the contact replied by whatsapp');
  });

  it('confirms Meta’s handshake for its callbacks only with the org’s own token', async () => {
    expect(await meta.handshake(webhookUrl, 'handshake')).toEqual({ status: 200, isConfirmed: true });
    expect(await meta.handshake(webhookUrl, 'guessed')).toEqual({ status: 403, isConfirmed: false });
    const theirs = webhookUrl.replace(org.id, stack.other.id);
    expect(await meta.handshake(theirs, 'handshake')).toEqual({ status: 404, isConfirmed: false });
  });
});
