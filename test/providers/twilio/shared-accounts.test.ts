import { newId } from '../../../src/ids.ts';
import { createEgress } from '../../../src/providers/egress/egress.ts';
import { createTwilioSender, type TwilioSettings } from '../../../src/providers/twilio/sender.ts';
import { type FakeTwilio, refusesWith, startFakeTwilio } from '../../support/fakes/twilio.ts';

const TO = '+14155550100';
const [OURS, THEIRS] = ['+15005550006', '+15005550007'];
const egress = createEgress({ allow: ['127.0.0.0/8'] });

describe('a Twilio account shared with other programs', () => {
  let twilio: FakeTwilio;
  const opened: FakeTwilio[] = [];
  beforeEach(async () => {
    twilio = await startFakeTwilio();
    opened.push(twilio);
  });
  afterAll(async () => {
    await Promise.all(opened.map((server) => server.close()));
    await egress.close();
  });

  const senderOf = (settings: Partial<TwilioSettings>) => {
    const account = { base_url: twilio.url, account_sid: twilio.accountSid, auth_token: twilio.authToken };
    return createTwilioSender(egress, { ...account, ...settings }, 'https://desk.example.com/callbacks/twilio');
  };
  const message = () => ({ deliveryId: newId(), to: TO, body: 'Hello' });
  const find = (settings: Partial<TwilioSettings>, own: { from?: string } = {}) =>
    senderOf(settings).findLostSend?.({ ...message(), ...own, since: new Date(Date.now() - 5_000) });

  it('is retried after a minute if the queue of the number is full (21611)', async () => {
    twilio.next(refusesWith(21611, 'This From number has exceeded the maximum number of queued messages', 429));
    expect(await senderOf({ from: OURS }).send(message())).toMatchObject({ kind: 'retry', scope: 'provider' });
    twilio.next(refusesWith(21611, 'This From number has exceeded the maximum number of queued messages', 400));
    expect(await senderOf({ from: OURS }).send(message())).toEqual({
      kind: 'retry',
      scope: 'provider',
      reason: 'This From number has exceeded the maximum number of queued messages (Twilio 21611)',
      retryAfterMs: 60_000,
    });
    expect(twilio.messages).toEqual([]);
  });

  it.each<[string, Partial<TwilioSettings>, Partial<TwilioSettings>]>([
    ['number', { from: OURS }, { from: THEIRS }],
    ['messaging service', { messaging_service_sid: 'MG1' }, { messaging_service_sid: 'MG2' }],
    ['messaging service, by our number', { messaging_service_sid: 'MG1' }, { from: OURS }],
    ['number, by a messaging service', { from: OURS }, { messaging_service_sid: 'MG2' }],
  ])('does not confuse our messages with those from another %s', async (_, ours, theirs) => {
    await senderOf(theirs).send(message());
    expect(await find(ours)).toBeUndefined();
    const sent = await senderOf(ours).send(message());
    expect(sent).toMatchObject({ kind: 'accepted' });
    expect(await find(ours)).toEqual(sent);
  });

  it('sends a message with a number of its own from that number, and finds it by that number', async () => {
    const [own, service] = [{ from: THEIRS }, { messaging_service_sid: 'MG1' }];
    const sent = await senderOf(service).send({ ...message(), ...own });
    expect([...(twilio.messages[0]?.params.entries() ?? [])]).toContainEqual(['From', THEIRS]);
    expect(twilio.messages[0]?.params.has('MessagingServiceSid')).toBe(false);
    expect(await find(service)).toBeUndefined();
    expect(await find(service, own)).toEqual(sent);
  });

  it.each([21212, 21606, 21659, 21660])(
    'sends from the connection’s sender if Twilio refuses a message’s own number with %i',
    async (code) => {
      twilio.next(refusesWith(code, 'Refused'));
      expect(await senderOf({ from: OURS }).send({ ...message(), from: THEIRS })).toMatchObject({ kind: 'accepted' });
      expect(twilio.messages.map(({ params }) => params.get('From'))).toEqual([OURS]);
    },
  );
});
