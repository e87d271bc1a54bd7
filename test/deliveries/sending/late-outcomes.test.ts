import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import {
  claimRequested,
  findWaitingSends,
  settleInterruptedRequested,
} from '../../../src/deliveries/sending/message-requests.queries.ts';
import { settleDeliveries } from '../../../src/deliveries/sending/outcomes.queries.ts';
import { settlementOf } from '../../../src/deliveries/sending/outcomes.rules.ts';
import type { SendOutcome } from '../../../src/providers/sending.ts';
import { attemptsOf, type PreparedAttempt } from '../../support/batches.ts';
import { createSequence } from '../../support/channels.ts';
import { emailStep } from '../../support/sequences.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

const ACCEPTED: SendOutcome = { kind: 'accepted', providerId: '<late@acme.example>' };
const OTHER_ANSWERS: [string, SendOutcome][] = [
  ['an acceptance', ACCEPTED],
  ['a refusal for good', { kind: 'rejected', because: 'suppress', reason: '550 5.1.1 no such user' }],
  ['a refusal for now', { kind: 'retry', scope: 'recipient', reason: '451 later' }],
  ['a provider that takes nothing', { kind: 'retry', scope: 'provider', reason: '421 busy' }],
  ['no answer', { kind: 'unknown', reason: 'the line broke' }],
];

describe('the late outcome of an interrupted attempt', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const transactional = { email_is_transactional: true };
  /**
   * Creates a sequence of transactional e-mail to one contact, with an interrupted attempt `first`: its e-mail waits to
   * be sent again.
   */
  const interrupted = async () => {
    const sequenceId = await createSequence(api.org, [emailStep('Receipt', 0, transactional), emailStep('Next', 60)]);
    await api.org.post(`/sequences/${sequenceId}/contacts`, { contacts: [{ email: `${sequenceId}@late.example` }] });
    const attempts = attemptsOf(api, sequenceId);
    const [first, second] = [randomUUID(), randomUUID()];
    const ids = await attempts.begin((await attempts.take(first)) as PreparedAttempt);
    const taken = (await attempts.take(second)) as PreparedAttempt;
    const [delivery] = await attempts.readDeliveries();
    expect([ids, delivery?.status, delivery?.may_have_gone]).toEqual([[delivery?.id], 'queued', true]);
    return { ...attempts, sequenceId, first, second, ids, taken };
  };
  const requestedRule = {
    missingSenderReason: null,
    isAddressBlocked: sql<boolean>`false`,
    isContactBlocked: sql<boolean>`false`,
    isCopyBlocked: sql<boolean>`false`,
  };
  const begin = (deliveryId: string, lease: string) =>
    claimRequested(api.db, api.org.id, [deliveryId], { ...requestedRule, lease });
  /**
   * Creates an agent's reply by e-mail, with an interrupted attempt: it waits to be sent again. Returns the ids of its
   * session, contact and delivery, which is the message's.
   */
  const interruptedReply = async () => {
    const { db, org } = api;
    const email = `${randomUUID()}@late.example`;
    const { id: contactId } = (await org.post('/contacts', { contact: { email } })).body;
    await org.post('/email', {
      from_email: 'hello@acme.example',
      recipients: [{ to_email: email, email_subject: 'Hi', email_body: 'Hi' }],
    });
    const session = { contact_id: contactId, channel: { type: 'email' } };
    const sessionId: string = (await org.post('/chat/sessions', session)).body.id;
    const message = { type: 'text', text: 'My reply' };
    expect((await org.post(`/chat/sessions/${sessionId}/send`, { sender: 'agent', message })).status).toBe(201);
    const deliveryId: string = (await org.get(`/chat/sessions/${sessionId}/history`)).body.items[0].id;
    expect(await begin(deliveryId, randomUUID())).toHaveLength(1);
    await settleInterruptedRequested(db, org.id, { deliveryId }, randomUUID());
    expect((await findWaitingSends(db, org.id, { deliveryId }, 10)).ids).toEqual([deliveryId]);
    return { contactId, sessionId, deliveryId };
  };
  const deliveryOf = async (id: string) => (await api.org.get(`/deliveries/${id}`)).body;
  const suppressed = async () => (await api.org.get('/suppressions')).body.items;

  it.each(OTHER_ANSWERS)('changes nothing of the attempt that replaced it: %s', async (_, outcome) => {
    const { begin, settle, readDeliveries, readEnrollments, taken, first, second, ids } = await interrupted();
    expect(await begin(taken)).toEqual(ids);
    const before = [await readDeliveries(), await readEnrollments()];
    expect(before[0]).toMatchObject([{ status: 'sending', lease: second, attempts: 2 }]);
    await settle(first, ids, outcome);
    expect([await readDeliveries(), await readEnrollments()]).toEqual(before);
    expect(await suppressed()).toEqual([]);

    await settle(second, ids, { kind: 'accepted', providerId: '<second@acme.example>' });
    const [delivery] = await readDeliveries();
    expect(delivery).toMatchObject({ status: 'accepted', provider_id: '<second@acme.example>', may_have_gone: false });
    expect(delivery?.answers).toHaveLength(1);
    expect((await readEnrollments())[0]?.last_step_id).toBe(delivery?.step_id);
  });

  it('accepts an e-mail waiting to be sent again, so it is not sent again', async () => {
    const { take, begin, settle, readDeliveries, readEnrollments, first, ids } = await interrupted();
    await settle(first, ids, ACCEPTED);
    const [delivery] = await readDeliveries();
    expect(delivery).toMatchObject({ status: 'accepted', provider_id: '<late@acme.example>', attempts: 1 });
    expect(delivery?.sent_at).not.toBeNull();

    expect(await begin((await take(randomUUID())) as PreparedAttempt)).toEqual([]);
    expect(await readDeliveries()).toEqual([delivery]);
    expect((await readEnrollments())[0]?.last_step_id).toBe(delivery?.step_id);
  });

  it.each(OTHER_ANSWERS.slice(1))('leaves an e-mail waiting to be sent again unchanged: %s', async (_, outcome) => {
    const { begin, settle, readDeliveries, taken, first, ids } = await interrupted();
    const before = await readDeliveries();
    await settle(first, ids, outcome);
    expect(await readDeliveries()).toEqual(before);
    expect(await begin(taken)).toEqual(ids);
  });

  it('accepts a requested e-mail waiting to be sent again too', async () => {
    const { db, org } = api;
    const request = {
      from_email: 'hello@acme.example',
      recipients: [{ to_email: 'ann@late.example', ...transactional }],
      fallback_email_subject: 'Hi',
      fallback_email_body: 'Hi',
    };
    const { body } = await org.post('/email', request);
    const found = await db.selectFrom('deliveries').selectAll().where('to', '=', 'ann@late.example').execute();
    const deliveryId = found[0]?.id as string;
    expect([found.length, body]).toEqual([1, expect.anything()]);
    const [first, second] = [randomUUID(), randomUUID()];
    expect(await begin(deliveryId, first)).toHaveLength(1);
    await settleInterruptedRequested(db, org.id, { deliveryId }, second);
    expect((await findWaitingSends(db, org.id, { deliveryId }, 10)).ids).toEqual([deliveryId]);

    const settlement = settlementOf('email', ACCEPTED, 1);
    await settleDeliveries(db, org.id, { provider: 'smtp', lease: first }, [[deliveryId, settlement]]);
    expect((await findWaitingSends(db, org.id, { deliveryId }, 10)).ids).toEqual([]);
    expect(await begin(deliveryId, second)).toEqual([]);
    expect((await org.get(`/deliveries/${deliveryId}`)).body).toMatchObject({ status: 'accepted', attempts: 1 });
  });

  describe('if it never arrives,', () => {
    it('leaves a transactional e-mail unknown, not canceled, when its sequence is canceled', async () => {
      const { take, readDeliveries, sequenceId } = await interrupted();
      expect((await api.org.put(`/sequences/${sequenceId}/cancel`)).status).toBe(200);
      expect(await take(randomUUID())).toBeUndefined();
      expect(await readDeliveries()).toMatchObject([{ status: 'unknown', attempts: 1 }]);
    });

    it('leaves a transactional e-mail unknown, not canceled, when its run is canceled or its step removed', async () => {
      const ofRun = await interrupted();
      const [enrollment] = await ofRun.readEnrollments();
      expect((await api.org.put(`/sequences/${enrollment?.run_id}/cancel`)).status).toBe(200);
      const ofStep = await interrupted();
      const { steps } = (await api.org.get(`/sequences/${ofStep.sequenceId}`)).body;
      expect((await api.org.patch(`/sequences/${ofStep.sequenceId}`, { steps: [steps[1]] })).status).toBe(200);
      for (const { take, readDeliveries } of [ofRun, ofStep]) {
        await take(randomUUID());
        expect(await readDeliveries()).toMatchObject([{ status: 'unknown' }]);
      }
    });

    it('leaves a transactional e-mail unknown, not failed, when it is given up', async () => {
      const { begin, settle, readDeliveries, taken, second, ids } = await interrupted();
      await begin(taken);
      await settle(second, ids, { kind: 'retry', scope: 'recipient', reason: '451 later' }, 8);
      const reason = 'given up after 8 attempts: 451 later';
      expect(await readDeliveries()).toMatchObject([{ status: 'unknown', reason }]);
      const lost = settlementOf('email', { kind: 'unknown', reason: 'Timeout' }, 8, { isTransactional: true });
      expect(lost).toMatchObject({ status: 'unknown', reason: 'given up after 8 attempts: Timeout', delayMs: null });
    });

    it('leaves a transactional e-mail unknown when its contact was deleted before the worker stopped', async () => {
      const { begin, take, readDeliveries, readEnrollments, taken } = await interrupted();
      await begin(taken);
      const [enrollment] = await readEnrollments();
      expect((await api.org.delete(`/contacts/${enrollment?.contact_id}`)).status).toBe(200);
      await take(randomUUID());
      expect(await readDeliveries()).toMatchObject([{ status: 'unknown', attempts: 2, lease: null }]);
    });

    it('leaves a reply unknown, not canceled, when it is redacted or its contact is deleted', async () => {
      const [redacted, ofDeleted] = [await interruptedReply(), await interruptedReply()];
      const redaction = { messageId: redacted.deliveryId, reason: 'Asked for it' };
      expect((await api.org.post('/redaction/message', redaction)).status).toBe(200);
      expect((await api.org.delete(`/contacts/${ofDeleted.contactId}`)).status).toBe(200);
      for (const { deliveryId } of [redacted, ofDeleted]) {
        const unknown = { status: 'unknown', reason: 'the worker stopped while it was being sent', attempts: 1 };
        expect(await deliveryOf(deliveryId)).toMatchObject(unknown);
        expect(await begin(deliveryId, randomUUID())).toEqual([]);
      }
    });
  });

  it.each([
    ['a refusal for now', 'canceled', 'the contact was deleted'],
    ['nothing, as its worker stopped', 'unknown', 'the worker stopped while it was being sent'],
  ])('is not followed by another attempt if the contact was deleted meanwhile: %s', async (outcome, status, reason) => {
    const { db, org } = api;
    const { contactId, deliveryId } = await interruptedReply();
    await db.updateTable('deliveries').set({ may_have_gone: false }).where('id', '=', deliveryId).execute();
    const lease = randomUUID();
    expect(await begin(deliveryId, lease)).toHaveLength(1);
    expect((await org.delete(`/contacts/${contactId}`)).status).toBe(200);
    expect(await deliveryOf(deliveryId)).toMatchObject({ status: 'sending', contact_id: null });

    if (outcome === 'a refusal for now') {
      const settlement = settlementOf('email', { kind: 'retry', scope: 'recipient', reason: '451 later' }, 1);
      await settleDeliveries(db, org.id, { provider: 'smtp', lease }, [[deliveryId, settlement]]);
    } else await settleInterruptedRequested(db, org.id, { deliveryId }, randomUUID());
    expect(await deliveryOf(deliveryId)).toMatchObject({ status: 'queued' });
    expect(await begin(deliveryId, randomUUID())).toEqual([]);
    expect(await deliveryOf(deliveryId)).toMatchObject({ status, reason });
  });
});
