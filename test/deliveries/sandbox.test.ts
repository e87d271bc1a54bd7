import { createCallbackUrls } from '../../src/orgs/integrations/callback-urls.ts';
import { metaSignature } from '../../src/providers/meta/callbacks.ts';
import { slackSignature } from '../../src/providers/slack/callbacks.ts';
import { twilioSignature } from '../../src/providers/twilio/callbacks.ts';
import {
  callStep,
  createSequence,
  deliveriesOf,
  enroll,
  newNumber,
  untilDelivery,
  untilEnrollments,
  untilSent,
  WHATSAPP_NUMBER,
  whatsAppStep,
} from '../support/channels.ts';
import { smsStep } from '../support/sequences.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

interface Kept {
  id: string;
  channel: string;
  to: string;
  payload: Record<string, unknown>;
}

describe('the sandbox of an org without connections', () => {
  let stack: Stack;
  let org: TestOrg;
  let agentId: string;
  let to: string;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());
  beforeEach(async () => {
    org = await stack.createOrg();
    to = newNumber();
    agentId = (await org.post('/phone', { name: 'Reminders', type: 'outbound', first_message: 'Good day!' })).body.id;
  });

  const outbox = async (who: Pick<TestOrg, 'get'> = org): Promise<Kept[]> =>
    (await who.get('/sandbox/outbox')).body.items;
  const told = ({ callbacks }: { callbacks: { status: string }[] }) => callbacks.map(({ status }) => status);
  /** Sends an SMS, a WhatsApp template and a call to one number, in this order. */
  const sendAll = async (number = to) => {
    const body = { type: 'body', parameters: [{ type: 'text', text: { type: 'CONSTANT', value: 'Friday' } }] };
    const steps = [smsStep('Hi'), whatsAppStep('visit', { body }), callStep(agentId)];
    const sequenceId = await createSequence(org, steps);
    await enroll(org, sequenceId, number);
    await untilEnrollments(org, sequenceId, 'complete');
    return (await deliveriesOf(org, sequenceId)) as { id: string; channel: string; provider: string }[];
  };

  it('stores the exact request for each provider, marked as simulated', async () => {
    const deliveries = await sendAll();
    const kept = await outbox();
    expect(kept.map(({ id }) => id)).toEqual(deliveries.map(({ id }) => id).toReversed());
    const [call, template, sms] = kept;
    expect(sms).toEqual({
      id: expect.any(String),
      channel: 'sms',
      to,
      payload: {
        To: to,
        From: '+15005550006',
        Body: 'Hi',
        StatusCallback: expect.stringMatching(
          `^${stack.url}/callbacks/twilio/${org.id}/[\\w-]+\\?delivery=${deliveries[0]?.id}$`,
        ),
      },
      simulated: true,
      created_at: expect.any(String),
    });
    expect(template).toMatchObject({
      channel: 'whatsapp',
      to,
      simulated: true,
      payload: {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to,
        type: 'template',
        template: {
          name: 'visit',
          language: { code: 'en' },
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'Friday' }] }],
        },
        biz_opaque_callback_data: deliveries[1]?.id,
      },
    });
    expect(call).toMatchObject({
      channel: 'voice',
      to,
      simulated: true,
      payload: {
        customer: { number: to },
        assistant: {
          name: 'Reminders',
          firstMessage: 'Good day!',
          metadata: { delivery_id: deliveries[2]?.id, phone_agent_id: agentId },
          server: { url: expect.stringContaining(`${stack.url}/callbacks/vapi/${org.id}/`) },
        },
      },
    });
    expect(deliveries.map(({ provider }) => provider)).toEqual(['sandbox', 'sandbox', 'sandbox']);
  });

  it('reports every send through the real callback route, to its final status', async () => {
    const [sms, template, call] = await sendAll();
    const ends = [
      await untilDelivery(org, sms?.id ?? '', 'delivered'),
      await untilDelivery(org, template?.id ?? '', 'read'),
      await untilDelivery(org, call?.id ?? '', 'delivered'),
    ];
    expect(ends.map(told)).toEqual([
      ['sent', 'delivered'],
      ['sent', 'delivered', 'read'],
      ['sent', 'delivered'],
    ]);
    for (const { callbacks } of ends)
      expect(['twilio', 'meta', 'vapi']).toContainEqual((callbacks as { provider: string }[])[0]?.provider);
  });

  it.each([
    ['+15005550001', 'failed', 'failed', 'failed', []],
    ['+15005550004', 'suppressed', 'failed', 'failed', ['sms unsubscribed', 'whatsapp bounced']],
    ['+15005550009', 'failed', 'failed', 'failed', []],
  ])('fails at %s like the real providers: %s, %s, %s', async (number, sms, whatsapp, voice, suppressed) => {
    const deliveries = await sendAll(number);
    const expected = { sms, whatsapp, voice } as Record<string, string>;
    for (const { id, channel } of deliveries) {
      const { reason } = await untilDelivery(org, id, String(expected[channel]));
      expect([channel, reason]).toEqual([channel, expect.any(String)]);
    }
    const { items } = (await org.get('/suppressions')).body;
    expect(items.map((one: { channel: string; reason: string }) => `${one.channel} ${one.reason}`).sort()).toEqual(
      suppressed,
    );
  });

  it('accepts single templates, calls and tests of steps too', async () => {
    const template = await org.post('/whatsapp/send-template', {
      template_id: 'any_name',
      phone_number_id: WHATSAPP_NUMBER,
      variables: ['Ada'],
      contact: { phone_number: to },
    });
    expect([template.status, template.body.whatsapp_message_id]).toEqual([200, expect.stringMatching(/^wamid\./)]);
    const call = await org.post('/phone/outbound-call', { phoneAgentId: agentId, contact: { phoneNumber: to } });
    expect(call.status).toBe(200);
    const sequenceId = await createSequence(org, [smsStep('Hi {{contact.name|there}}'), smsStep('Bye')]);
    const test = await org.post(`/sequences/${sequenceId}/test`, { to });
    expect([test.status, test.body.data.length]).toEqual([201, 2]);

    const kept = await eventually('all in the outbox', async () => {
      const items = await outbox();
      return items.length === 4 && items;
    });
    expect(new Set(kept.map(({ id }) => id))).toEqual(
      new Set([template.body.opencx_message_id, call.body.call_id, ...test.body.data.map((one: Kept) => one.id)]),
    );
    const texts = kept.filter(({ channel }) => channel === 'sms').map(({ payload }) => payload.Body);
    expect(texts.sort()).toEqual(['Bye', 'Hi there']);
    await untilDelivery(org, template.body.opencx_message_id, 'read');
  });

  it('shows each org only its own sends, with any key, and requires a key', async () => {
    const sequenceId = await createSequence(org, [smsStep('Hi')]);
    await enroll(org, sequenceId, to);
    await untilSent(org, sequenceId, 'delivered');
    expect((await outbox()).map((one) => one.to)).toEqual([to]);
    expect(await outbox(stack.other)).toEqual([]);
    expect((await outbox(await org.withScopes('tags:read'))).length).toBe(1);
    expect((await stack.client().get('/sandbox/outbox')).status).toBe(401);
  });

  it.each([
    ['messenger', 'sent', { recipient: { id: '7' }, message: { text: 'Hi' } }],
    ['instagram', 'accepted', { recipient: { id: '7' }, message: { text: 'Hi' } }],
    ['slack', 'accepted', { channel: 'C1', thread_ts: '1700000000.000100', text: 'Hi' }],
  ])('replaces %s, where a signed message begins a session that is answered', async (channel, status, payload) => {
    const urls = createCallbackUrls(stack.config.signingSecrets, stack.config.PUBLIC_URL);
    const provider = channel === 'slack' ? 'slack' : 'meta';
    const secret = urls.secretsOf(provider, org.id)[0];
    const timestamp = String(Math.floor(Date.now() / 1000));
    const messaging = [{ sender: { id: '7' }, timestamp: Date.now(), message: { mid: 'm_1', text: 'Hello?' } }];
    const event = { type: 'message', channel: 'C1', user: 'U1', ts: '1700000000.000100', text: 'Hello?' };
    const body = JSON.stringify(
      channel === 'slack'
        ? { type: 'event_callback', event }
        : { object: channel === 'messenger' ? 'page' : 'instagram', entry: [{ id: '1', messaging }] },
    );
    const headers = {
      'content-type': 'application/json',
      'x-hub-signature-256': metaSignature(secret, Buffer.from(body)),
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': slackSignature(secret, timestamp, Buffer.from(body)),
    };
    expect((await fetch(urls.urlOf(provider, org.id), { method: 'POST', headers, body })).status).toBe(200);
    const [{ id }] = (await org.get('/chat/sessions')).body.items;
    await org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message: { type: 'text', text: 'Hi' } });
    const [kept] = await eventually('the message', async () => (await outbox()).length > 0 && outbox());
    expect(kept).toMatchObject({ channel, payload });
    await untilDelivery(org, kept?.id ?? '', status);
  });

  it('is replaced as soon as a provider is connected, and its signatures are no longer accepted', async () => {
    const sequenceId = await createSequence(org, [smsStep('Hi')]);
    const urls = createCallbackUrls(stack.config.signingSecrets, stack.config.PUBLIC_URL);
    const url = urls.urlOf('twilio', org.id);
    const callback = async () => {
      const form = new URLSearchParams({ MessageSid: 'SM1', MessageStatus: 'sent' });
      const signature = twilioSignature(urls.secretsOf('twilio', org.id)[0], url, form);
      const headers = { 'x-twilio-signature': signature };
      return (await fetch(url, { method: 'POST', headers, body: form })).status;
    };
    expect(await callback()).toBe(200);
    await org.put('/integrations/sms', {
      provider: 'twilio',
      settings: { account_sid: 'AC1', auth_token: 'secret', from: '+15005550006', base_url: 'http://127.0.0.1:9' },
    });
    await enroll(org, sequenceId, to);
    await eventually('the pause', async () => (await org.get(`/sequences/${sequenceId}`)).body.status === 'paused');
    expect([await outbox(), await callback()]).toEqual([[], 403]);
  });
});
