import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { newId } from '../../src/ids.ts';
import { createEgress, type Egress } from '../../src/providers/egress/egress.ts';
import { createVapiAccount } from '../../src/providers/vapi/account.ts';
import { isVapiSignature, readVapiCallback } from '../../src/providers/vapi/callbacks.ts';
import type { VoiceCall } from '../../src/providers/vapi/port.ts';
import { createVapiSender, type VapiSettings } from '../../src/providers/vapi/sender.ts';
import {
  errorAfter,
  type Fault,
  resetAfter,
  resetBefore,
  slow,
  tooManyRequests,
  unavailable,
} from '../support/fakes/faulty-server.ts';
import { type ProviderCall, startFakeProvider } from '../support/fakes/provider.ts';
import { type FakeVapiCall, startFakeVapi, vapiRefuses } from '../support/fakes/vapi.ts';

const CALLBACK = 'https://desk.example.com/callbacks/vapi';
const egress = createEgress({ allow: ['127.0.0.0/8'] });
const hurried: Egress = { ...egress, request: (url, options) => egress.request(url, { ...options, timeoutMs: 200 }) };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});
afterAll(() => egress.close());

const AGENT = {
  id: newId(),
  name: 'Ada',
  model: null,
  voice_id: null,
  language: null,
  first_message: 'Hello?',
  handoff_phone_number: null,
  rules: [],
  instructions: [],
  tools: [],
};
const callTo = (call: Partial<VoiceCall> = {}): VoiceCall => ({
  deliveryId: newId(),
  to: '+14155550100',
  contactName: null,
  agent: AGENT,
  ...call,
});

interface StartOptions {
  fault?: (n: number) => Fault | undefined;
  settings?: Partial<VapiSettings>;
  by?: Egress;
  callbackUrl?: string;
}

async function start({ fault, settings, by = egress, callbackUrl = CALLBACK }: StartOptions = {}) {
  const vapi = await startFakeVapi(fault);
  opened.push(vapi);
  const account = { base_url: vapi.url, api_key: vapi.apiKey, phone_number_id: vapi.phoneNumberId };
  const sender = createVapiSender(by, { ...account, ...settings }, callbackUrl);
  const find = (deliveryId: string, since = new Date()) =>
    sender.findLostSend?.({ deliveryId, to: '+14155550100', body: undefined, since });
  return { vapi, sender, find, send: () => sender.send(callTo()) };
}

describe('a call through Vapi', () => {
  it('is made by an assistant built from the phone agent, and carries our id', async () => {
    const { vapi, sender } = await start({ settings: { webhook_secret: 'hook-secret' } });
    const call = callTo({
      contactName: 'Zoë',
      agent: { ...AGENT, voice_id: 'v1', language: 'de', handoff_phone_number: '+14155550111' },
    });
    expect(await sender.send(call)).toEqual({ kind: 'accepted', providerId: vapi.calls[0]?.id });
    expect(vapi.calls[0]?.params).toMatchObject({
      phoneNumberId: vapi.phoneNumberId,
      customer: { number: '+14155550100', name: 'Zoë' },
      assistant: {
        name: 'Ada',
        firstMessage: 'Hello?',
        model: {
          messages: [{ role: 'system', content: expect.stringMatching(/You are Ada.*"de".*Transfer/) }],
          tools: [{ type: 'transferCall', destinations: [] }],
        },
        voice: { provider: 'vapi', voiceId: 'v1' },
        transcriber: { provider: 'deepgram', language: 'de' },
        metadata: { delivery_id: call.deliveryId, phone_agent_id: AGENT.id },
        server: { url: CALLBACK, headers: { 'X-Vapi-Secret': 'hook-secret' } },
        serverMessages: [
          ...['status-update', 'end-of-call-report', 'transfer-update', 'transfer-destination-request', 'tool-calls'],
        ],
      },
    });
  });

  it('is told the instructions and the tools of the phone agent', async () => {
    const { vapi, sender } = await start();
    const tool = { name: 'find_order', description: 'Order', parameters: { type: 'object', properties: {} } };
    const agent = { ...AGENT, instructions: [{ title: 'Refunds', content: 'Within 30 days' }], tools: [tool] };
    await sender.send(callTo({ agent }));
    expect(vapi.calls[0]?.params.assistant.model).toMatchObject({
      messages: [
        { role: 'system', content: expect.stringMatching(/^You are Ada[\s\S]*\n\n# Refunds\nWithin 30 days$/) },
      ],
      tools: [{ type: 'function', function: tool }],
    });
  });

  it('leaves to Vapi what the phone agent does not set', async () => {
    const { vapi, sender } = await start();
    expect(await sender.send(callTo())).toMatchObject({ kind: 'accepted' });
    const { customer, assistant } = vapi.calls[0]?.params ?? {};
    expect(customer).toEqual({ number: '+14155550100' });
    expect(assistant).not.toHaveProperty('voice');
    expect(assistant).not.toHaveProperty('transcriber');
    expect(assistant).not.toHaveProperty('model.tools');
    expect(assistant?.server).toEqual({
      ...{ url: CALLBACK, timeoutSeconds: 40 },
      backoffPlan: { type: 'exponential', maxRetries: 5, baseDelaySeconds: 2 },
    });
  });

  it('is made with names of any length', async () => {
    const { vapi, sender } = await start();
    const name = `${'n'.repeat(39)}👋`;
    expect(await sender.send(callTo({ contactName: name, agent: { ...AGENT, name } }))).toMatchObject({
      kind: 'accepted',
    });
    expect(vapi.calls[0]?.params).toMatchObject({
      customer: { name: 'n'.repeat(39) },
      assistant: { name: 'n'.repeat(39) },
    });
  });

  it.each<[string, Fault, object, number]>([
    ['429 with Retry-After', tooManyRequests('7'), { kind: 'retry', scope: 'provider', retryAfterMs: 7_000 }, 0],
    ['429 without', tooManyRequests(), { kind: 'retry', scope: 'provider', retryAfterMs: undefined }, 0],
    ['503 with Retry-After', unavailable('1'), { kind: 'retry', scope: 'provider', retryAfterMs: 1_000 }, 0],
    ['503 without', unavailable(), { kind: 'unknown' }, 0],
    ['500 after the effect', errorAfter(), { kind: 'unknown' }, 1],
    ['reset after the effect', resetAfter, { kind: 'unknown' }, 1],
    ['reset before the effect', resetBefore, { kind: 'unknown' }, 0],
    ['201 without an id', { answer: { status: 201, body: [] }, when: 'after' }, { kind: 'unknown' }, 1],
  ])('is dialled at most once after a %s', async (_name, fault, expected, taken) => {
    let sends = 0;
    const { vapi, send } = await start({
      fault: (n) => {
        sends = n;
        return fault;
      },
    });
    expect(await send()).toMatchObject(expected);
    expect([sends, vapi.calls.length]).toEqual([1, taken]);
  });

  it('may be in progress if the response times out', async () => {
    const { vapi, send } = await start({ fault: () => slow(1_000), by: hurried });
    expect(await send()).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('in time') });
    expect(vapi.calls).toHaveLength(1);
  });

  it('was not made if Vapi could not be reached or must not be contacted', async () => {
    const { vapi, send } = await start();
    await vapi.close();
    expect(await send()).toMatchObject({
      kind: 'retry',
      scope: 'provider',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    const guarded = createEgress({ allow: [] });
    const { send: sendToForbidden } = await start({ by: guarded });
    expect(await sendToForbidden()).toMatchObject({ kind: 'rejected', because: 'config' });
    await guarded.close();
  });

  it.each([
    [400, 'permanent'],
    [404, 'permanent'],
    [422, 'permanent'],
    [401, 'config'],
    [402, 'config'],
    [403, 'config'],
  ])('is rejected with Vapi’s words on a %d: %s', async (status, because) => {
    const { send } = await start({ fault: () => vapiRefuses(status, ['one', 'two']) });
    expect(await send()).toEqual({ kind: 'rejected', because, reason: `Vapi answered ${status}: one; two` });
  });

  it('is rejected as Vapi itself rejects it, and never with a secret', async () => {
    const { sender } = await start();
    expect(await sender.send(callTo({ to: '0041 79' }))).toMatchObject({
      because: 'permanent',
      reason: expect.stringContaining('E.164'),
    });
    const { send } = await start({ settings: { api_key: 'the-key' } });
    expect(await send()).toMatchObject({
      because: 'config',
      reason: expect.stringMatching(/^Vapi answered 401: Invalid Key \*\*\*\./),
    });
    const { send: sendWithout } = await start({ fault: () => ({ answer: { status: 400 }, when: 'before' }) });
    expect(await sendWithout()).toMatchObject({ reason: 'Vapi answered 400' });
  });
});

describe('a number at Vapi', () => {
  it('that cannot be changed is an error without the secret of the server, and so is an unreadable one', async () => {
    const { vapi } = await start();
    const account = createVapiAccount(egress, { base_url: vapi.url, api_key: vapi.apiKey, phone_number_id: 'x' });
    const { id } = vapi.account.addNumber({});
    const server = { url: CALLBACK, secret: 'the-secret' };
    const change = () => account.changeNumber({ id, kind: 'vapi' }, { server });
    vapi.nextLookUp(vapiRefuses(400, `${vapi.apiKey} and the-secret`));
    await expect(change()).rejects.toThrow(/^Vapi answered 400: \*\*\* and \*\*\*$/);
    vapi.nextLookUp({ answer: { status: 200, body: { id } }, when: 'before' });
    await expect(change()).rejects.toMatchObject({
      transient: false,
      message: expect.stringContaining('cannot be read'),
    });
  });
});

describe('reconciling a call with a lost response', () => {
  it('finds it by our id among many others', async () => {
    const { vapi, sender, find } = await start({ fault: (n) => (n === 1 ? errorAfter() : undefined) });
    const call = callTo();
    const since = new Date();
    expect(await sender.send(call)).toMatchObject({ kind: 'unknown' });
    await sender.send(callTo());
    const [lost, other] = vapi.calls as [FakeVapiCall, FakeVapiCall];
    const later = (i: number) => ({
      ...other,
      id: newId(),
      createdAt: new Date(since.getTime() + 1_000 + i).toISOString(),
    });
    vapi.calls.push(...Array.from({ length: 250 }, (_, i) => later(i)));
    expect(await find(call.deliveryId, since)).toEqual({ kind: 'accepted', providerId: lost.id });
    expect(await find(newId(), since)).toBeUndefined();
    vapi.calls.push(...Array.from({ length: 1_000 }, (_, i) => later(1_000 + i)));
    await expect(find(call.deliveryId, since)).rejects.toMatchObject({ transient: false });
  });

  it('finds none if Vapi accepted none', async () => {
    const { sender, find } = await start({ fault: () => resetBefore });
    const call = callTo();
    await sender.send(call);
    expect(await find(call.deliveryId)).toBeUndefined();
  });

  it.each([
    ['ringing', undefined, { kind: 'accepted' }],
    ['ended', 'customer-ended-call', { kind: 'accepted' }],
    ['ended', 'customer-busy', { kind: 'rejected', because: 'permanent', reason: 'customer-busy' }],
  ])('finds its outcome: %s, %s', async (status, endedReason, expected) => {
    const { vapi, sender, find } = await start();
    const call = callTo();
    await sender.send(call);
    Object.assign(vapi.calls[0] ?? {}, { status, endedReason });
    expect(await find(call.deliveryId)).toMatchObject(expected);
  });

  it('reports when Vapi cannot be asked, and whether to retry', async () => {
    const { vapi, find } = await start();
    vapi.nextLookUp(
      tooManyRequests('3'),
      errorAfter(),
      vapiRefuses(401, 'Invalid Key'),
      { answer: { status: 200, body: [{ id: 1 }] }, when: 'before' },
      resetBefore,
    );
    await expect(find(newId())).rejects.toMatchObject({ transient: true, retryAfterMs: 3_000 });
    await expect(find(newId())).rejects.toMatchObject({ transient: true });
    await expect(find(newId())).rejects.toMatchObject({ transient: false, message: 'Vapi answered 401: Invalid Key' });
    await expect(find(newId())).rejects.toMatchObject({ transient: false });
    await expect(find(newId())).rejects.toMatchObject({ transient: true });
    expect(await find(newId())).toBeUndefined();
  });
});

describe('Vapi’s callbacks', () => {
  const deliveryId = newId();
  const callback = (
    message: object,
    call: object = { id: 'call-1', assistant: { metadata: { delivery_id: deliveryId } } },
  ) => readVapiCallback({ message: { ...message, call } }).reports;

  it('carry the secret or a signature unless forged, and find their call', async () => {
    const receiver = await startFakeProvider();
    opened.push(receiver);
    const { vapi, sender } = await start({
      settings: { webhook_secret: 'hook-secret' },
      callbackUrl: `${receiver.url}/vapi`,
    });
    await sender.send(callTo({ deliveryId }));
    const [call] = vapi.calls as [FakeVapiCall];
    expect(await vapi.callback(call, 'in-progress')).toBe(200);
    await vapi.report(call, 'customer-ended-call', { signWith: 'hook-secret' });
    await vapi.callback(call, 'ended', { endedReason: 'customer-busy' }, { isForged: true });
    await vapi.report(call, 'customer-busy', { signWith: 'another-secret' });

    const read = ({ headers, body }: ProviderCall) => ({
      isSigned: isVapiSignature('hook-secret', Buffer.from(body), headers),
      ...readVapiCallback(JSON.parse(body)),
    });
    const common = { providerId: call.id, deliveryId, reason: null, isSuppressing: false };
    expect(receiver.calls.map(read)).toMatchObject([
      { isSigned: true, reports: [{ ...common, status: 'sent' }], messages: [] },
      { isSigned: true, reports: [{ ...common, status: 'delivered' }], messages: [] },
      { isSigned: false },
      { isSigned: false },
    ]);
  });

  it('are refused without proof, or with proof for other bytes', () => {
    const body = Buffer.from('{"message":{}}');
    const signature = createHmac('sha256', 's').update(body).digest('hex');
    expect(isVapiSignature('s', body, { 'x-vapi-signature': signature })).toBe(true);
    expect(isVapiSignature('s', Buffer.from('{"message": {}}'), { 'x-vapi-signature': signature })).toBe(false);
    expect(isVapiSignature('t', body, { 'x-vapi-signature': signature })).toBe(false);
    expect(isVapiSignature('s', body, { 'x-vapi-signature': signature.slice(1) })).toBe(false);
    expect(isVapiSignature('s', body, {})).toBe(false);
    expect(isVapiSignature('s', body, { 'x-vapi-secret': '' })).toBe(false);
    expect(isVapiSignature('s', body, { 'x-vapi-secret': ['s', 's'] })).toBe(false);
  });

  it('have texts storable in any column, without NUL and half characters', () => {
    const [long, other] = [`${'x'.repeat(49_999)}\u{1f600}`, 'a\0b\ud83d'];
    const report = { type: 'end-of-call-report', endedReason: other, call: { id: 'c' } };
    const { calls } = readVapiCallback({
      message: { ...report, artifact: { transcript: long }, analysis: { summary: other } },
    });
    const shown = { transcript: 'x'.repeat(49_999), transcript_truncated: true };
    expect(calls).toMatchObject([{ call: { ...shown, summary: 'ab\ufffd', ended_reason: 'ab\ufffd' } }]);
  });

  it.each([
    'customer-ended-call',
    'customer-ended-call-during-transfer',
    'assistant-ended-call',
    'assistant-ended-call-after-message-spoken',
    'assistant-said-end-call-phrase',
    'assistant-forwarded-call',
    'exceeded-max-duration',
    'silence-timed-out',
    'call.in-progress.twilio-completed-call',
    'call.in-progress.error-transfer-failed',
    'call.forwarding.operator-busy',
  ])('report an answered call: %s', (endedReason) => {
    expect(callback({ type: 'end-of-call-report', endedReason })).toMatchObject([
      { status: 'delivered', reason: null },
    ]);
    expect(callback({ type: 'status-update', status: 'ended', endedReason })).toMatchObject([{ status: 'delivered' }]);
  });

  it.each([
    ['answered', 'customer-ended-call'],
    ['answered', 'exceeded-max-duration'],
    ['transferred', 'assistant-forwarded-call'],
    ['transferred', 'assistant-request-returned-forwarding-phone-number'],
    ['transfer_lost', 'call.in-progress.error-transfer-failed'],
    ['transfer_lost', 'call.in-progress.error-warm-transfer-max-duration'],
    ['transfer_lost', 'customer-ended-call-during-transfer'],
    ['transfer_lost', 'customer-ended-call-before-warm-transfer'],
    ['transfer_lost', 'customer-ended-call-after-warm-transfer-attempt'],
    ['transfer_lost', 'call.forwarding.operator-busy'],
    ['failed', 'customer-busy'],
  ])('report whether somebody helped: %s, %s', (outcome, endedReason) => {
    const message = { type: 'end-of-call-report', endedReason, call: { id: 'c' } };
    const { calls } = readVapiCallback({ message });
    const moments = ['phone-call-finished', ...(outcome === 'transferred' ? ['voice-call-transferred'] : [])];
    expect(calls?.map(({ moment }) => moment).sort()).toEqual(moments);
    expect(calls?.at(-1)).toMatchObject({ end: { outcome } });
  });

  it.each([[undefined], [[]], [[{ role: 'system', message: 'You are Ada' }, 7]], [[{ role: 'bot', message: ' ' }]]])(
    'give the transcript where nobody speaks in the messages %j',
    (messages) => {
      const artifact = { messages, transcript: 'AI: Hello?\nUser: Good day.\nAll is well.' };
      const message = { type: 'end-of-call-report', endedReason: 'customer-ended-call', artifact, call: { id: 'c' } };
      expect(readVapiCallback({ message }).calls).toMatchObject([
        {
          end: {
            said: [
              { by: 'ai', text: 'Hello?' },
              { by: 'contact', text: 'Good day.\nAll is well.' },
            ],
          },
        },
      ]);
    },
  );

  it.each([
    'customer-busy',
    'customer-did-not-answer',
    'voicemail',
    'manually-canceled',
    'assistant-not-found',
    'assistant-join-timed-out',
    'twilio-failed-to-connect-call',
    'call.start.error-subscription-insufficient-credits',
    'call.in-progress.error-vapifault-worker-died',
    'call.in-progress.error-providerfault-outbound-sip-480-temporarily-unavailable',
    'pipeline-error-openai-llm-failed',
    'worker-shutdown',
    'a-reason-to-come',
  ])('report an unanswered call: %s', (endedReason) => {
    expect(callback({ type: 'end-of-call-report', endedReason })).toMatchObject([
      { status: 'failed', reason: endedReason },
    ]);
    expect(callback({ type: 'status-update', status: 'ended', endedReason })).toMatchObject([{ status: 'failed' }]);
  });

  it.each([
    { type: 'status-update', status: 'queued' },
    { type: 'status-update', status: 'ringing' },
    { type: 'status-update', status: 'forwarding' },
    { type: 'status-update', status: 'ended' },
    { type: 'end-of-call-report' },
    { type: 'conversation-update', status: 'in-progress', endedReason: 'customer-busy' },
    { type: 'end-of-call-report', endedReason: 7 },
  ])('report nothing for %j', (message) => {
    expect(callback(message)).toEqual([]);
  });

  it('carry our id wherever the platform stores it, if it is valid', () => {
    const deliveryIdIn = (call: object) =>
      callback({ type: 'status-update', status: 'in-progress' }, { id: 'call-1', ...call })[0]?.deliveryId;
    const metadata = { delivery_id: deliveryId };
    for (const call of [{ metadata }, { assistant: { metadata } }, { assistantOverrides: { metadata } }]) {
      expect(deliveryIdIn(call)).toBe(deliveryId);
    }
    for (const call of [
      {},
      { metadata: null },
      { metadata: 'x' },
      { metadata: { delivery_id: 'x' } },
      { assistant: [] },
    ]) {
      expect(deliveryIdIn(call)).toBeUndefined();
    }
  });

  it('are ignored in any other format', () => {
    const content = { reports: [], messages: [] };
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(readVapiCallback(body)).toEqual(content);
      }),
    );
    const message = { type: 'end-of-call-report', endedReason: 'voicemail' };
    fc.assert(
      fc.property(fc.jsonValue(), (call) => {
        expect(readVapiCallback({ message: { ...message, call } })).toEqual(content);
      }),
    );
    for (const body of [undefined, null, { message: null }, { message: { ...message, call: { id: '' } } }]) {
      expect(readVapiCallback(body)).toEqual(content);
    }
  });
});
