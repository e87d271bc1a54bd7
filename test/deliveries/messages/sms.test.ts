import { deferReconciliation } from '../../../src/deliveries/sending/reconciliation.queries.ts';
import {
  connectTwilio,
  createSequence,
  deliveriesOf,
  enroll,
  FAKES_ALLOWED,
  newNumber,
  readDelivery,
  send,
  untilDelivery,
  untilEnrollments,
  untilSent,
} from '../../support/channels.ts';
import { errorAfter, resetBefore, tooManyRequests } from '../../support/fakes/faulty-server.ts';
import { type FakeTwilio, refusesWith, startFakeTwilio } from '../../support/fakes/twilio.ts';
import { smsStep } from '../../support/sequences.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

describe('an SMS of a sequence', () => {
  let stack: Stack;
  let twilio: FakeTwilio;
  let org: TestOrg;
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
    await connectTwilio(org, twilio);
  });

  const taken = (number = to) => twilio.messages.filter(({ params }) => params.get('To') === number);
  const texts = (number = to) => taken(number).map(({ params }) => params.get('Body'));

  const nextLookUp = async (id: string) => {
    const row = stack.db.selectFrom('deliveries').select('look_up_at').where('id', '=', id);
    return (await row.executeTakeFirstOrThrow()).look_up_at;
  };

  it('is sent once, with the contact’s own data, and recorded in the ledger', async () => {
    const sequenceId = await createSequence(org, [smsStep('Hi {{contact.name|there}}!'), smsStep('Bye')]);
    await org.post('/contacts', { contact: { phone: to, name: 'Ada' } });
    await untilEnrollments(org, sequenceId, 'complete');
    expect(texts()).toEqual(['Hi Ada!', 'Bye']);
    const deliveries = await deliveriesOf(org, sequenceId);
    const sids = taken().map(({ sid }) => sid);
    expect(deliveries.map((delivery: { provider_id: string }) => delivery.provider_id)).toEqual(sids);
    expect(await readDelivery(org, deliveries[0].id)).toMatchObject({
      channel: 'sms',
      to,
      status: 'accepted',
      provider: 'twilio',
      reason: null,
      attempts: 1,
      answers: [{ attempt: 1, outcome: 'accepted', answer: sids[0] }],
      callbacks: [],
      sent_at: expect.any(String),
    });
  });

  it('is retried after a 429 at the time named by Twilio, not sooner', async () => {
    twilio.next(tooManyRequests('2'));
    const startedAt = Date.now();
    const sequenceId = await send(org, to, smsStep('Hi'));
    const delivery = await untilSent(org, sequenceId, 'accepted');
    expect(Date.now() - startedAt).toBeGreaterThan(2_000);
    expect([texts(), delivery.attempts]).toEqual([['Hi'], 1]);
  });

  it('to a number with an opt-out (21610) suppresses this number on the channel', async () => {
    twilio.next(refusesWith(21610, 'Attempt to send to unsubscribed recipient'));
    const refused = await untilSent(org, await send(org, to, smsStep('Hi')), 'suppressed');
    expect(refused.reason).toContain('Attempt to send to unsubscribed recipient (Twilio 21610)');
    const { items } = (await org.get('/suppressions?channel=sms')).body;
    expect(items).toMatchObject([{ address: to, reason: 'unsubscribed' }]);

    const next = await send(org, to, smsStep('Hi again'));
    expect(await untilSent(org, next, 'suppressed')).toMatchObject({ reason: 'unsubscribed', attempts: 0 });
    await untilEnrollments(org, next, 'complete');
    expect(taken()).toEqual([]);
  });

  it('fails permanently for an invalid number, and the others of its batch are sent', async () => {
    const [bad, good] = [to, newNumber()];
    const sequenceId = await createSequence(org, [smsStep('Hi')]);
    twilio.next(refusesWith(21211, "Invalid 'To' Phone Number"));
    await enroll(org, sequenceId, bad);
    expect(await untilSent(org, sequenceId, 'failed')).toMatchObject({ to: bad, attempts: 1, sent_at: null });
    await enroll(org, sequenceId, good);
    await untilEnrollments(org, sequenceId, 'complete', 2);
    expect([taken(bad).length, texts(good)]).toEqual([0, ['Hi']]);
  });

  it('pauses its sequence with a reason for wrong credentials (20003), and loses no contact', async () => {
    const numbers = [to, newNumber(), newNumber()];
    const sequenceId = await createSequence(org, [smsStep('Hi')]);
    twilio.next(...numbers.map(() => refusesWith(20003, 'Authenticate', 401)));
    await enroll(org, sequenceId, ...numbers);
    const paused = await eventually('the pause', async () => {
      const { body } = await org.get(`/sequences/${sequenceId}`);
      return body.status === 'paused' && body;
    });
    expect(paused.paused_reason).toContain('Authenticate (Twilio 20003)');
    expect(numbers.flatMap(texts)).toEqual([]);

    expect((await org.put(`/sequences/${sequenceId}/resume`)).status).toBe(200);
    await untilEnrollments(org, sequenceId, 'complete', 3);
    expect(numbers.flatMap(texts)).toEqual(['Hi', 'Hi', 'Hi']);
  });

  it('with a lost response is found by reconciliation and not sent again', async () => {
    twilio.next(errorAfter(500));
    const sequenceId = await send(org, to, smsStep('Hi'));
    const unknown = await untilSent(org, sequenceId, 'unknown');
    expect(unknown).toMatchObject({ reason: 'Twilio answered 500', provider_id: null, sent_at: null });
    await untilEnrollments(org, sequenceId, 'complete');

    const found = await untilDelivery(org, unknown.id, 'accepted');
    expect(found).toMatchObject({ provider_id: taken()[0]?.sid, attempts: 1, sent_at: expect.any(String) });
    expect(found.reason).toBe('found at the provider: Twilio answered 500');
    await eventually('the end of looking', async () => {
      const { status } = await stack.temporal.workflow.getHandle(`reconciliation/${org.id}`).describe();
      return status.name === 'COMPLETED';
    });
    expect(texts()).toEqual(['Hi']);
  });

  it('without a trace at Twilio stays unknown until it is settled manually, and is never sent again automatically', async () => {
    twilio.next(resetBefore);
    const { id } = await untilSent(org, await send(org, to, smsStep('Hi')), 'unknown');
    await eventually('a look-up', async () => {
      const [row] = await stack.db.selectFrom('deliveries').select('lookups').where('id', '=', id).execute();
      return row?.lookups === 1;
    });
    expect(await readDelivery(org, id)).toMatchObject({ status: 'unknown', provider_id: null });

    const settled = await org.post(`/deliveries/${id}/resolve`, { outcome: 'failed' });
    expect([settled.status, settled.body.status]).toEqual([200, 'failed']);
    expect(settled.body.reason).toMatch(/^settled by hand; it was unknown: /);
    expect((await org.post(`/deliveries/${id}/resolve`, { outcome: 'sent' })).status).toBe(409);
    expect(taken()).toEqual([]);
  });

  it('is no longer looked for once its text is redacted, as any other could be taken for it', async () => {
    const { id: contactId } = (await org.post('/contacts', { contact: { phone: to } })).body;
    await org.post('/chat/sessions', { contact_id: contactId, channel: { type: 'sms' } });
    twilio.next(resetBefore);
    const { id } = await untilSent(org, await send(org, to, smsStep('Hi')), 'unknown');
    expect(await nextLookUp(id)).not.toBeNull();
    expect((await org.post('/redaction/message', { messageId: id })).status).toBe(200);
    await deferReconciliation(stack.db, org.id, id, 0); // as by a look-up that began before
    expect(await nextLookUp(id)).toBeNull();
    expect(await readDelivery(org, id)).toMatchObject({ status: 'unknown' });
  });

  it('an SMS that was not sent is not confused with another one to the same number with a lost response', async () => {
    twilio.next(resetBefore, errorAfter(500));
    const sequenceId = await send(org, to, smsStep('One'), smsStep('Two'));
    await untilEnrollments(org, sequenceId, 'complete');
    const [one, two] = await deliveriesOf(org, sequenceId);
    await eventually('a look-up of both', async () => {
      const rows = await stack.db.selectFrom('deliveries').select('lookups').where('org_id', '=', org.id).execute();
      return rows.every(({ lookups }) => lookups > 0);
    });
    expect(await readDelivery(org, one.id)).toMatchObject({ status: 'unknown', provider_id: null });

    expect(await twilio.callback(taken()[0] as (typeof twilio.messages)[number], 'delivered')).toBe(200);
    expect(await readDelivery(org, two.id)).toMatchObject({ status: 'delivered', provider_id: taken()[0]?.sid });
    expect(texts()).toEqual(['Two']);
  });
});
