import { createHmac } from 'node:crypto';
import { ProviderError } from '../../../src/errors.ts';
import { newId } from '../../../src/ids.ts';
import { createEgress, type Egress } from '../../../src/providers/egress/egress.ts';
import { isTwilioCallback, isTwilioSignature, readTwilioCallback } from '../../../src/providers/twilio/callbacks.ts';
import { createTwilioSender, type TwilioSettings } from '../../../src/providers/twilio/sender.ts';
import {
  errorAfter,
  type Fault,
  resetAfter,
  resetBefore,
  slow,
  tooManyRequests,
  unavailable,
} from '../../support/fakes/faulty-server.ts';
import { type FakeProvider, type ProviderCall, startFakeProvider } from '../../support/fakes/provider.ts';
import { type FakeTwilio, refusesWith, startFakeTwilio } from '../../support/fakes/twilio.ts';

const TO = '+14155550100';
const CALLBACK = 'https://desk.example.com/callbacks/twilio';
const egress = createEgress({ allow: ['127.0.0.0/8'] });
const hurried: Egress = { ...egress, request: (url, options) => egress.request(url, { ...options, timeoutMs: 200 }) };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});
afterAll(() => egress.close());

interface StartOptions {
  fault?: (n: number) => Fault | undefined;
  settings?: Partial<TwilioSettings>;
  by?: Egress;
  callbackUrl?: string;
}

async function start({ fault, settings, by = egress, callbackUrl = CALLBACK }: StartOptions = {}) {
  const twilio = await startFakeTwilio(fault);
  opened.push(twilio);
  const account = { account_sid: twilio.accountSid, auth_token: twilio.authToken };
  const sender = createTwilioSender(
    by,
    { base_url: twilio.url, ...account, from: '+15005550006', ...settings },
    callbackUrl,
  );
  const send = (body = 'Hello', to = TO) => sender.send({ deliveryId: newId(), to, body });
  const find = (body: string | undefined = 'Hello', since = new Date(), to = TO) =>
    sender.findLostSend?.({ deliveryId: newId(), to, body, since });
  return { twilio, sender, send, find };
}

describe('an SMS through Twilio', () => {
  it('is accepted with its sid, and carries our id in its StatusCallback', async () => {
    const { twilio, sender } = await start();
    const deliveryId = newId();
    const body = 'Grüezi & “hello” 100 % + 👋\nsecond line';
    const outcome = await sender.send({ deliveryId, to: TO, body });
    expect(outcome).toEqual({ kind: 'accepted', providerId: twilio.messages[0]?.sid });
    expect(Object.fromEntries(twilio.messages[0]?.params ?? [])).toEqual({
      To: TO,
      From: '+15005550006',
      Body: body,
      StatusCallback: `${CALLBACK}?delivery=${deliveryId}`,
    });
  });

  it('uses the messaging service if there is one, which chooses the number', async () => {
    const { twilio, send } = await start({ settings: { messaging_service_sid: 'MG1' } });
    expect(await send()).toMatchObject({ kind: 'accepted' });
    expect(twilio.messages[0]?.params.get('MessagingServiceSid')).toBe('MG1');
    expect(twilio.messages[0]?.params.has('From')).toBe(false);
  });

  it.each<[string, Fault, object]>([
    ['429 with Retry-After', tooManyRequests('7'), { retryAfterMs: 7_000 }],
    ['429 without', tooManyRequests(), { retryAfterMs: undefined }],
    ['503 with Retry-After', unavailable('30'), { retryAfterMs: 30_000 }],
    ['503 with a date that has passed', unavailable('Wed, 21 Oct 2015 07:28:00 GMT'), { retryAfterMs: 0 }],
    ['429 with a delay of years', tooManyRequests('999999999'), { retryAfterMs: 3_600_000 }],
  ])('was not sent and may be retried after a %s', async (_name, fault, expected) => {
    const { twilio, send } = await start({ fault: () => fault });
    expect(await send()).toMatchObject({ kind: 'retry', scope: 'provider', ...expected });
    expect(twilio.messages).toEqual([]);
  });

  it('waits until the date in Retry-After', async () => {
    const { send } = await start({ fault: () => tooManyRequests(new Date(Date.now() + 60_000).toUTCString()) });
    const outcome = await send();
    const delayMs = outcome.kind === 'retry' ? outcome.retryAfterMs : undefined;
    expect(delayMs).toBeGreaterThan(57_000);
    expect(delayMs).toBeLessThanOrEqual(60_000);
  });

  it.each<[string, Fault, number]>([
    ['500 after the effect', errorAfter(500), 1],
    ['502 after the effect', errorAfter(502), 1],
    ['503 without Retry-After', unavailable(), 0],
    ['503 with a Retry-After that says nothing', unavailable('5 minutes'), 0],
    ['connection reset after the effect', resetAfter, 1],
    ['connection reset before the effect', resetBefore, 0],
    ['201 without a sid', { answer: { status: 201, body: {} }, when: 'after' }, 1],
    ['201 with a sid that cannot be stored', { answer: { status: 201, body: { sid: 'SM\0' } }, when: 'after' }, 1],
    ['408', { answer: { status: 408 }, when: 'before' }, 0],
  ])('may have been sent after a %s, and is tried only once', async (_name, fault, taken) => {
    let sends = 0;
    const { twilio, send } = await start({
      fault: (n) => {
        sends = n;
        return fault;
      },
    });
    expect(await send()).toMatchObject({ kind: 'unknown', reason: expect.any(String) });
    expect([sends, twilio.messages.length]).toEqual([1, taken]);
  });

  it('may have been sent if the response times out', async () => {
    const { twilio, send } = await start({ fault: () => slow(1_000), by: hurried });
    expect(await send()).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('did not answer in time') });
    expect(twilio.messages).toHaveLength(1);
  });

  it('was not sent if Twilio could not be reached', async () => {
    const { twilio, send } = await start();
    await twilio.close();
    expect(await send()).toMatchObject({
      kind: 'retry',
      scope: 'provider',
      reason: expect.stringContaining('ECONNREFUSED'),
    });

    const nameless = createEgress({ allow: [], lookup: () => Promise.reject(new Error('SERVFAIL')) });
    const { send: sendToNoOne } = await start({ by: nameless, settings: { base_url: 'http://twilio.example' } });
    expect(await sendToNoOne()).toMatchObject({ kind: 'retry', reason: expect.stringContaining('twilio.example') });
    await nameless.close();
  });

  it('is a configuration problem if the address must not be contacted', async () => {
    const guarded = createEgress({ allow: [] });
    const { send } = await start({ by: guarded });
    expect(await send()).toMatchObject({
      kind: 'rejected',
      because: 'config',
      reason: expect.stringContaining('EGRESS_ALLOW'),
    });
    await guarded.close();
  });

  it.each<[number, number, string]>([
    [21211, 400, 'permanent'],
    [21614, 400, 'permanent'],
    [21617, 400, 'permanent'],
    [21610, 400, 'suppress'],
    [20003, 401, 'config'],
    [20404, 404, 'config'],
    [21606, 400, 'config'],
    [21608, 400, 'config'],
  ])('is rejected with Twilio’s words and code %d (%d): %s', async (code, status, because) => {
    const { send } = await start({ fault: () => refusesWith(code, 'Because.', status) });
    expect(await send()).toEqual({ kind: 'rejected', because, reason: `Because. (Twilio ${code})` });
  });

  it('is rejected as Twilio itself rejects it', async () => {
    const { send } = await start();
    expect(await send('Hello', '0041 79')).toMatchObject({
      because: 'permanent',
      reason: expect.stringContaining('21211'),
    });
    expect(await send('x'.repeat(1_601))).toMatchObject({
      because: 'permanent',
      reason: expect.stringContaining('21617'),
    });
    const { send: sendFromNobody } = await start({ settings: { from: undefined } });
    expect(await sendFromNobody()).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('21603') });
    const { send: sendWithWrongToken } = await start({ settings: { auth_token: 'wrong' } });
    expect(await sendWithWrongToken()).toMatchObject({ because: 'config', reason: 'Authenticate (Twilio 20003)' });
  });

  it.each([
    [401, 'config'],
    [418, 'permanent'],
  ])('is rejected by the status if there is no explanation: %d', async (status, because) => {
    const { send } = await start({ fault: () => ({ answer: { status, body: 'no' }, when: 'before' }) });
    expect(await send()).toEqual({ kind: 'rejected', because, reason: `Twilio answered ${status}` });
  });

  it('is rejected with a short reason without secrets, whatever Twilio reports', async () => {
    const settings = { account_sid: 'AC1', auth_token: 'the-token' };
    const credentials = Buffer.from('AC1:the-token').toString('base64');
    const { send } = await start({
      settings,
      fault: () => refusesWith(20003, `the-token \0 ${credentials} ${'x'.repeat(2_000)}`, 401),
    });
    const outcome = await send();
    expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.stringMatching(/^\*\*\* {2}\*\*\* x+$/) });
    expect(outcome.kind === 'rejected' && outcome.reason).toHaveLength(500);
  });
});

describe('reconciling an SMS with a lost response', () => {
  it('finds it by its number, text and time, even while it is queued', async () => {
    const { twilio, send, find } = await start({ fault: (n) => (n === 2 ? errorAfter() : undefined) });
    await send('Another text');
    const since = new Date();
    expect(await send()).toMatchObject({ kind: 'unknown' });
    await send('Hello', '+14155550199');
    expect(await find('Hello', since)).toEqual({ kind: 'accepted', providerId: twilio.messages[1]?.sid });
  });

  it('finds it among almost a thousand others', async () => {
    const { twilio, send, find } = await start();
    const since = new Date();
    await send();
    const [first] = twilio.messages;
    await send('Other');
    const [, other] = twilio.messages;
    twilio.messages.push(...Array(998).fill(other));
    expect(await find('Hello', since)).toEqual({ kind: 'accepted', providerId: first?.sid });
    twilio.messages.push(...Array(1).fill(other));
    await expect(find('Hello', since)).rejects.toMatchObject({ transient: false });
  });

  it('finds none if Twilio accepted none', async () => {
    const { send, find } = await start({ fault: () => resetBefore });
    await send();
    expect(await find()).toBeUndefined();
  });

  it('ignores older messages', async () => {
    const { twilio, send, find } = await start();
    await send();
    (twilio.messages[0] as FakeTwilio['messages'][0]).createdAt = new Date(Date.now() - 3_000);
    expect(await find()).toBeUndefined();
  });

  it('does not choose among several matches', async () => {
    const { send, find } = await start();
    const since = new Date();
    await send();
    await send();
    await expect(find('Hello', since)).rejects.toThrow(ProviderError);
    await expect(find('Hello', since)).rejects.toMatchObject({
      transient: false,
      message: expect.stringContaining('several'),
    });
  });

  it.each([
    ['failed', 30007, 'permanent'],
    ['undelivered', 30005, 'permanent'],
    ['failed', 21610, 'suppress'],
  ])('finds its outcome: %s (%d)', async (status, errorCode, because) => {
    const { twilio, send, find } = await start();
    const since = new Date();
    await send();
    Object.assign(twilio.messages[0] ?? {}, { status, errorCode });
    expect(await find('Hello', since)).toMatchObject({
      kind: 'rejected',
      because,
      reason: expect.stringContaining(`(Twilio ${errorCode})`),
    });
  });

  it('reports when Twilio cannot be asked, and whether to retry', async () => {
    const { twilio, find } = await start();
    twilio.nextLookUp(
      tooManyRequests('3'),
      errorAfter(500),
      refusesWith(20003, 'Authenticate', 401),
      { answer: { status: 200, body: { messages: [{}] } }, when: 'before' },
      resetBefore,
    );
    await expect(find()).rejects.toMatchObject({ transient: true, retryAfterMs: 3_000 });
    await expect(find()).rejects.toMatchObject({ transient: true });
    await expect(find()).rejects.toMatchObject({
      transient: false,
      message: 'Twilio did not list messages: Authenticate (Twilio 20003)',
    });
    await expect(find()).rejects.toMatchObject({ transient: false });
    await expect(find()).rejects.toMatchObject({ transient: true });
    expect(await find()).toBeUndefined();
  });

  it('resolves all doubt left by random faults: no outcome is wrong', async () => {
    const faults = [
      undefined,
      tooManyRequests(),
      unavailable('1'),
      unavailable(),
      errorAfter(),
      resetAfter,
      resetBefore,
      slow(5),
    ];
    const { twilio, send, find } = await start({ fault: (n) => faults[(n * n * 7 + n) % faults.length] });
    const since = new Date();
    await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const outcome = await send(`Message ${i}`);
        const sid = twilio.messages.find(({ params }) => params.get('Body') === `Message ${i}`)?.sid;
        const settled = outcome.kind === 'unknown' ? await find(`Message ${i}`, since) : outcome;
        if (sid === undefined) expect(['retry', undefined]).toContain(settled?.kind);
        else expect(settled).toEqual({ kind: 'accepted', providerId: sid });
      }),
    );
    expect(new Set(twilio.messages.map(({ params }) => params.get('Body'))).size).toBe(twilio.messages.length);
  });
});

describe('Twilio’s signature', () => {
  // The example of Twilio's security documentation.
  const URL_SIGNED = 'https://mycompany.com/myapp.php?foo=1&bar=2';
  const PARAMS: [string, string][] = [
    ['Digits', '1234'],
    ['To', '+18005551212'],
    ['From', '+12349013030'],
    ['Caller', '+12349013030'],
    ['CallSid', 'CA1234567890ABCDE'],
  ];
  const SIGNATURE = '0/KCTR6DLpKmkAf8muzZqo1nDgQ=';
  const isSigned = (url: string, params: Iterable<[string, string]>, signature: string | undefined) =>
    isTwilioSignature('12345', url, params, signature);
  const changes = (text: string) =>
    [...text].map((character, i) => text.slice(0, i) + (character === 'x' ? 'y' : 'x') + text.slice(i + 1));

  it('matches Twilio’s published example', () => {
    expect(isSigned(URL_SIGNED, PARAMS, SIGNATURE)).toBe(true);
    expect(isSigned(URL_SIGNED, new URLSearchParams(PARAMS), SIGNATURE)).toBe(true);
  });

  it('is refused if any byte differs', () => {
    for (const url of changes(URL_SIGNED)) expect(isSigned(url, PARAMS, SIGNATURE)).toBe(false);
    for (const signature of changes(SIGNATURE)) expect(isSigned(URL_SIGNED, PARAMS, signature)).toBe(false);
    PARAMS.forEach(([name, value], i) => {
      for (const changed of changes(name))
        expect(isSigned(URL_SIGNED, PARAMS.with(i, [changed, value]), SIGNATURE)).toBe(false);
      for (const changed of changes(value))
        expect(isSigned(URL_SIGNED, PARAMS.with(i, [name, changed]), SIGNATURE)).toBe(false);
    });
  });

  it('is refused with a field more or less, another token, or no signature', () => {
    expect(isSigned(URL_SIGNED, PARAMS.slice(1), SIGNATURE)).toBe(false);
    expect(isSigned(URL_SIGNED, [...PARAMS, ['Extra', '1']], SIGNATURE)).toBe(false);
    expect(isTwilioSignature('12346', URL_SIGNED, PARAMS, SIGNATURE)).toBe(false);
    for (const none of [undefined, '', '0', `${SIGNATURE}=`]) expect(isSigned(URL_SIGNED, PARAMS, none)).toBe(false);
  });

  it('covers several values of a name in order, without duplicates, as in Twilio’s own libraries', () => {
    // The vectors of the libraries' tests.
    const params: [string, string][] = [
      ['Sid', 'CA123'],
      ['SidAccount', 'AC123'],
      ['Digits', '5678'],
      ['Digits', '1234'],
      ['Digits', '1234'],
    ];
    expect(isSigned(URL_SIGNED, params, 'IK+Dwps556ElfBT0I3Rgjkr1wJU=')).toBe(true);
    expect(isSigned(URL_SIGNED, params.toReversed(), 'IK+Dwps556ElfBT0I3Rgjkr1wJU=')).toBe(true);
    const others = PARAMS.map(([name, value]): [string, string] => [
      name,
      value.replace('+12349013030', '+14158675309'),
    ]);
    expect(isSigned(URL_SIGNED, others, 'RSOYDt4T1cUTdK1PDd93/VVr8B8=')).toBe(true);
  });

  it('is accepted with the standard port and without', () => {
    const sign = (url: string) => createHmac('sha1', '12345').update(`${url}A1`).digest('base64');
    for (const [url, other] of [
      ['https://a.example/x', 'https://a.example:443/x'],
      ['http://a.example/x?y=:1', 'http://a.example:80/x?y=:1'],
      ['https://a.example/x', 'https://a.example:8443/x'],
    ] as const) {
      expect(isSigned(other, [['A', '1']], sign(url))).toBe(true);
      expect(isSigned(url, [['A', '1']], sign(other))).toBe(!other.includes('8443'));
    }
    expect(isSigned(URL_SIGNED.replace('https', 'http'), PARAMS, SIGNATURE)).toBe(false);
  });
});

describe('Twilio’s callbacks', () => {
  const deliveryId = newId();
  const query = (id = deliveryId) => new URLSearchParams({ delivery: id });
  const fields = (fields: Record<string, string>) => new URLSearchParams({ MessageSid: 'SM1', ...fields });

  it.each([
    ['a report', 'MessageSid=SM1&MessageStatus=sent', true],
    ['a report of a status that changes nothing', 'SmsSid=SM1&SmsStatus=queued', true],
    ['a message', 'MessageSid=SM1&From=%2B1&To=%2B2&Body=', true],
    ['a message with files', 'MessageSid=SM1&From=%2B1&To=%2B2&NumMedia=1', true],
    ['one field that has swallowed all others', 'BodyHiFrom%2B1MessageSidSM1To=%2B2', false],
    ['a message whose text has swallowed its sender', 'Body=HiFrom%2B1&MessageSid=SM1&To=%2B2', false],
    ['a report whose id has swallowed its status', 'MessageSid=SM1MessageStatussent', false],
    ['nothing', '', false],
  ])('are complete or refused, as a signature does not tell names from values: %s', (_, body, isComplete) => {
    expect(isTwilioCallback(new URLSearchParams(body))).toBe(isComplete);
  });

  it('are verified unless forged, and find their message in any order', async () => {
    const receiver: FakeProvider = await startFakeProvider();
    opened.push(receiver);
    const callbackUrl = `${receiver.url}/callbacks`;
    const { twilio, sender } = await start({ callbackUrl });
    await sender.send({ deliveryId, to: TO, body: 'Hello' });
    const message = twilio.messages[0] as FakeTwilio['messages'][0];
    expect(await twilio.callback(message, 'delivered')).toBe(200);
    await twilio.callback(message, 'sent');
    await twilio.callback(message, 'undelivered', { ErrorCode: '30005' }, { isForged: true });
    await twilio.receive({ from: TO, to: '+15005550006', body: 'Stop & go + “now”' }, callbackUrl);

    const read = ({ path, body, headers }: ProviderCall) => {
      const [signature, params] = [headers['x-twilio-signature'] as string, new URLSearchParams(body)];
      const isSigned = isTwilioSignature(twilio.authToken, receiver.url + path, params, signature);
      return { isSigned, ...readTwilioCallback(new URL(path, receiver.url).searchParams, params) };
    };
    const common = { providerId: message.sid, deliveryId };
    expect(receiver.calls.map(read)).toMatchObject([
      {
        isSigned: true,
        reports: [{ ...common, status: 'delivered', reason: null, isSuppressing: false }],
        messages: [],
      },
      { isSigned: true, reports: [{ ...common, status: 'sent' }] },
      { isSigned: false },
      { isSigned: true, reports: [], messages: [{ from: TO, to: '+15005550006', text: 'Stop & go + “now”' }] },
    ]);
  });

  it.each([
    ['sent', 'sent'],
    ['delivered', 'delivered'],
    ['read', 'read'],
    ['undelivered', 'failed'],
    ['failed', 'failed'],
  ])('report that a message was %s', (given, status) => {
    expect(readTwilioCallback(query(), fields({ MessageStatus: given })).reports).toMatchObject([
      { providerId: 'SM1', deliveryId, status },
    ]);
  });

  it.each(['accepted', 'queued', 'sending', 'scheduled', 'canceled', '', '__proto__'])(
    'report nothing for the status “%s”',
    (given) => {
      expect(readTwilioCallback(query(), fields({ MessageStatus: given }))).toEqual({ reports: [], messages: [] });
    },
  );

  it.each([
    [{ ErrorCode: '30005' }, 'undelivered (Twilio 30005)', false],
    [{ ErrorCode: '30006', ErrorMessage: 'Landline' }, 'Landline (Twilio 30006)', false],
    [{ ErrorCode: '21610' }, 'undelivered (Twilio 21610)', true],
    [{}, 'undelivered (Twilio gave no code)', false],
  ])('report why a message failed: %j', (extra, reason, isSuppressing) => {
    const { reports } = readTwilioCallback(query(), fields({ MessageStatus: 'undelivered', ...extra }));
    expect(reports).toMatchObject([{ status: 'failed', reason, isSuppressing }]);
  });

  it('carry our id only if it is valid', () => {
    const deliveryIdIn = (search: URLSearchParams) =>
      readTwilioCallback(search, fields({ MessageStatus: 'sent' })).reports[0]?.deliveryId;
    expect(deliveryIdIn(query("1' OR '1'='1"))).toBeUndefined();
    expect(deliveryIdIn(new URLSearchParams())).toBeUndefined();
  });

  it('contain a contact’s message if there is no status, and only then', () => {
    const inbound = { From: TO, To: '+15005550006', Body: 'Hi\0' };
    const messagesIn = (extra: Record<string, string>) => readTwilioCallback(query(), fields(extra)).messages;
    expect(messagesIn({ ...inbound, SmsStatus: 'received' })).toEqual([
      { providerId: 'SM1', from: TO, to: '+15005550006', text: 'Hi' },
    ]);
    expect(messagesIn(inbound)).toHaveLength(1);
    expect(messagesIn({ ...inbound, MessageStatus: 'sent' })).toEqual([]);
    expect(messagesIn({ ...inbound, SmsStatus: 'sent' })).toEqual([]);
    expect(messagesIn({ From: TO, To: '+15005550006' })).toEqual([]);
  });

  it('are ignored without a message’s sid', () => {
    for (const sid of ['', ' ', 'x'.repeat(65), 'SM\0']) {
      const body = new URLSearchParams({ MessageSid: sid, MessageStatus: 'sent' });
      expect(readTwilioCallback(query(), body)).toEqual({ reports: [], messages: [] });
    }
    expect(readTwilioCallback(new URLSearchParams(), new URLSearchParams())).toEqual({ reports: [], messages: [] });
  });
});
