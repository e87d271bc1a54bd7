import {
  connectTwilio,
  FAKES_ALLOWED,
  newNumber,
  readDelivery,
  send,
  untilDelivery,
  untilEnrollments,
  untilSent,
} from '../support/channels.ts';
import { resetAfter, slow } from '../support/fakes/faulty-server.ts';
import { type FakeTwilio, startFakeTwilio, type TwilioMessage } from '../support/fakes/twilio.ts';
import { smsStep } from '../support/sequences.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

describe('a status callback of Twilio', () => {
  let stack: Stack;
  let twilio: FakeTwilio;
  let org: TestOrg;
  let webhookUrl: string;
  let to: string;
  beforeAll(async () => {
    twilio = await startFakeTwilio();
    stack = await startStack({ env: FAKES_ALLOWED });
  });
  afterAll(async () => {
    await stack.close();
    await twilio.close();
  });
  beforeEach(async () => {
    org = await stack.createOrg();
    to = newNumber();
    webhookUrl = await connectTwilio(org, twilio);
  });

  const untilTaken = () =>
    eventually('the message at Twilio', () => twilio.messages.find(({ params }) => params.get('To') === to));
  const accepted = async () => {
    const sequenceId = await send(org, to, smsStep('Hi'));
    const { id } = await untilSent(org, sequenceId, 'accepted');
    return { sequenceId, id, message: (await untilTaken()) as TwilioMessage };
  };
  const statusesOf = ({ callbacks }: { callbacks: { status: string }[] }) => callbacks.map(({ status }) => status);

  it.each([
    [['sent', 'delivered'], 'delivered'],
    [['delivered', 'sent', 'delivered'], 'delivered'],
    [['delivered', 'undelivered', 'read', 'sent'], 'read'],
    [['sent', 'undelivered', 'delivered'], 'failed'],
    [['queued', 'sending'], 'accepted'],
  ])('moves its delivery only forward: %j result in %s', async (statuses, expected) => {
    const { id, message } = await accepted();
    for (const status of statuses) expect(await twilio.callback(message, status)).toBe(200);
    const delivery = await readDelivery(org, id);
    expect([delivery.status, delivery.provider_id, delivery.attempts]).toEqual([expected, message.sid, 1]);
    const told = statuses
      .filter((status) => !['queued', 'sending'].includes(status))
      .map((status) => (status === 'undelivered' ? 'failed' : status));
    expect(statusesOf(delivery)).toEqual([...new Set(told)]);
  });

  it('records why a message was not delivered', async () => {
    const { id, message } = await accepted();
    await twilio.callback(message, 'undelivered', { ErrorCode: '30003', ErrorMessage: 'Unreachable handset' });
    expect(await readDelivery(org, id)).toMatchObject({
      status: 'failed',
      reason: 'Unreachable handset (Twilio 30003)',
      callbacks: [{ provider: 'twilio', status: 'failed', reason: 'Unreachable handset (Twilio 30003)' }],
    });
    expect((await org.get('/suppressions')).body.items).toEqual([]);
  });

  it('about an opt-out (21610) suppresses the number on the channel', async () => {
    const { message } = await accepted();
    await twilio.callback(message, 'undelivered', { ErrorCode: '21610' });
    const { items } = (await org.get('/suppressions?channel=sms')).body;
    expect(items).toMatchObject([{ address: to, reason: 'unsubscribed' }]);
  });

  it('about an opt-out suppresses the other numbers of a contact that was merged', async () => {
    const { message } = await accepted();
    const other = newNumber();
    const { body: contact } = await org.post('/contacts', { contact: { phone: other } });
    const [absorbed] = (await org.get(`/contacts?phone_number=${encodeURIComponent(to)}`)).body.items;
    expect((await org.post(`/contacts/${contact.id}/merge`, { from_id: absorbed.id })).status).toBe(200);
    await twilio.callback(message, 'undelivered', { ErrorCode: '21610' });
    const { items } = (await org.get('/suppressions')).body;
    const told = items.map(({ channel, address, reason }: Record<string, string>) => [channel, address, reason]);
    expect(told.sort()).toEqual([to, other].sort().map((address) => ['sms', address, 'unsubscribed']));
  });

  it('may precede Twilio’s own response, which then adds only the id', async () => {
    twilio.next(slow(1_500));
    const sequenceId = await send(org, to, smsStep('Hi'));
    const message = await untilTaken();
    expect(await twilio.callback(message, 'delivered')).toBe(200);
    const early = await untilSent(org, sequenceId, 'delivered');
    expect(early).toMatchObject({ provider: 'twilio', provider_id: message.sid, answers: [], attempts: 1 });

    await untilEnrollments(org, sequenceId, 'complete');
    const late = await readDelivery(org, early.id);
    expect([late.status, late.sent_at, late.attempts]).toEqual(['delivered', early.sent_at, 1]);
    expect(late.answers).toMatchObject([{ attempt: 1, outcome: 'accepted', answer: message.sid }]);
  });

  it('settles a delivery with a lost response and ends its reconciliation', async () => {
    twilio.next(resetAfter);
    const sequenceId = await send(org, to, smsStep('Hi'));
    const { id } = await untilSent(org, sequenceId, 'unknown');
    const message = await untilTaken();
    expect(await twilio.callback(message, 'sent')).toBe(200);
    expect(await readDelivery(org, id)).toMatchObject({ status: 'sent', provider_id: message.sid, reason: null });
    const row = await stack.db.selectFrom('deliveries').select('look_up_at').where('id', '=', id).executeTakeFirst();
    expect(row?.look_up_at).toBeNull();
  });

  it('a forged callback is a 403 and changes nothing', async () => {
    const { id, message } = await accepted();
    const before = await readDelivery(org, id);
    expect(await twilio.callback(message, 'delivered', {}, { isForged: true })).toBe(403);
    const unsigned = await fetch(String(message.params.get('StatusCallback')), {
      method: 'POST',
      body: new URLSearchParams({ MessageSid: message.sid, MessageStatus: 'delivered' }),
    });
    expect(unsigned.status).toBe(403);
    expect(await readDelivery(org, id)).toEqual(before);
  });

  it('to a URL of another org is a 404 and changes nothing', async () => {
    const { id, message } = await accepted();
    const theirs = await connectTwilio(stack.other, twilio);
    const [token, theirToken] = [webhookUrl, theirs].map((url) => url.split('/').at(-1));
    for (const url of [
      webhookUrl.replace(org.id, stack.other.id),
      webhookUrl.replace('/twilio/', '/meta/'),
      `${webhookUrl.slice(0, -1)}${webhookUrl.endsWith('A') ? 'B' : 'A'}`,
      webhookUrl.replace(String(token), String(theirToken)),
      `${stack.url}/callbacks/twilio/${org.id}/x`,
    ]) {
      expect(await twilio.callback(redirected(message, `${url}?delivery=${id}`), 'delivered')).toBe(404);
    }
    expect((await readDelivery(org, id)).status).toBe('accepted');
  });

  it('a callback of one org changes no delivery of another, even with a valid signature', async () => {
    const { id, message } = await accepted();
    const theirs = await connectTwilio(stack.other, twilio);
    expect(await twilio.callback(redirected(message, `${theirs}?delivery=${id}`), 'delivered')).toBe(200);
    expect(await twilio.callback(redirected(message, theirs), 'delivered')).toBe(200);
    expect(await readDelivery(org, id)).toMatchObject({ status: 'accepted', callbacks: [] });
  });

  it('finds its delivery by the sid if the URL does not name it', async () => {
    const { id, message } = await accepted();
    expect(await twilio.callback(redirected(message, webhookUrl), 'delivered')).toBe(200);
    await untilDelivery(org, id, 'delivered');
  });
});

/** Returns the message as if it had requested its callbacks at another URL. */
function redirected(message: TwilioMessage, url: string): TwilioMessage {
  const params = new URLSearchParams(message.params);
  params.set('StatusCallback', url);
  return { ...message, params };
}
