import { sql } from 'kysely';
import { pauseSending, resumeSending } from '../../../src/deliveries/pause/service.ts';
import {
  callStep,
  connectVapi,
  createSequence,
  enroll,
  FAKES_ALLOWED,
  newNumber,
  readDelivery,
  send,
  untilDelivery,
  untilEnrollments,
  untilSent,
} from '../../support/channels.ts';
import { errorAfter, resetAfter, resetBefore, slow, tooManyRequests } from '../../support/fakes/faulty-server.ts';
import { type FakeVapi, type FakeVapiCall, startFakeVapi, vapiRefuses } from '../../support/fakes/vapi.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

describe('a call', () => {
  let stack: Stack;
  let vapi: FakeVapi;
  let org: TestOrg;
  let agentId: string;
  let to: string;
  beforeAll(async () => {
    vapi = await startFakeVapi();
    stack = await startStack({ env: FAKES_ALLOWED });
  });
  afterAll(async () => {
    await stack.close();
    await vapi.close();
  });
  beforeEach(async () => {
    org = await stack.createOrg();
    to = newNumber();
    await connectVapi(org, vapi);
    agentId = await newAgent();
  });

  const newAgent = async (more: object = {}) =>
    (await org.post('/phone', { name: 'Reminders', type: 'outbound', first_message: 'Good day!', ...more })).body.id;
  const dialled = () => vapi.calls.filter(({ params }) => params.customer.number === to);
  const call = (more: object = {}) =>
    org.post('/phone/outbound-call', { phoneAgentId: agentId, contact: { phoneNumber: to }, ...more });
  const accepted = async () => {
    const { call_id: id } = (await call()).body;
    await untilDelivery(org, id, 'accepted');
    return { id, made: dialled()[0] as FakeVapiCall };
  };

  describe('by POST /phone/outbound-call', () => {
    it('is made by the agent in a session of the contact, and its status is reported', async () => {
      const { status, body } = await call();
      expect([status, body]).toEqual([
        200,
        { call_id: expect.any(String), session_id: expect.any(String), status: 'queued' },
      ]);
      const delivery = await untilDelivery(org, body.call_id, 'accepted');
      const [made, ...others] = dialled();
      expect(others).toEqual([]);
      expect(delivery).toMatchObject({ channel: 'voice', provider: 'vapi', provider_id: made?.id, to, attempts: 1 });
      expect(made?.params.assistant).toMatchObject({
        name: 'Reminders',
        firstMessage: 'Good day!',
        metadata: { delivery_id: body.call_id, phone_agent_id: agentId },
      });
      const sessions = await stack.db.selectFrom('sessions').selectAll().where('org_id', '=', org.id).execute();
      expect(sessions).toMatchObject([{ id: body.session_id, channel: 'phone_voice', contact_id: expect.any(String) }]);
      const messages = await stack.db
        .selectFrom('session_events')
        .selectAll()
        .where('org_id', '=', org.id)
        .where('type', '=', 'message')
        .execute();
      expect(messages).toMatchObject([{ session_id: body.session_id, content: `Call by Reminders to ${to}` }]);
    });

    it('is made once under one Idempotency-Key', async () => {
      const options = { headers: { 'idempotency-key': 'call-1' } };
      const body = { phoneAgentId: agentId, contact: { phoneNumber: to } };
      const answers = await Promise.all([1, 2, 3].map(() => org.post('/phone/outbound-call', body, options)));
      const good = answers.filter(({ status }) => status === 200);
      expect(good.length).toBeGreaterThan(0);
      const { call_id: id } = good[0]?.body ?? {};
      await untilDelivery(org, id, 'accepted');
      expect((await org.post('/phone/outbound-call', body, options)).body.call_id).toBe(id);
      expect(dialled()).toHaveLength(1);
    });

    it.each([
      ['an agent that is not there', { phoneAgentId: UNKNOWN_ID }, 404],
      ['an agent whose id is no id', { phoneAgentId: 'Reminders' }, 404],
      ['a contact that is not there', { contact: { id: UNKNOWN_ID } }, 404],
      ['a number without its country', { contact: { phoneNumber: '020 7946 0958' } }, 400],
      ['nobody', { contact: {} }, 400],
      ['no agent', { phoneAgentId: undefined }, 400],
    ])('is refused for %s and leaves nothing behind', async (_, more, expected) => {
      expect((await call(more)).status).toBe(expected);
      expect((await org.get('/deliveries')).body.items).toEqual([]);
      expect(await stack.db.selectFrom('sessions').selectAll().where('org_id', '=', org.id).execute()).toEqual([]);
    });

    it('is refused for an agent or contact of another org, and for a contact without a number', async () => {
      const theirs = (await stack.other.post('/phone', { name: 'Theirs', type: 'outbound' })).body.id;
      expect((await call({ phoneAgentId: theirs })).status).toBe(404);
      const { id } = (await stack.other.post('/contacts', { contact: { phone: to } })).body;
      expect((await call({ contact: { id } })).status).toBe(404);
      const without = (await org.post('/contacts', { contact: { email: 'ann@example.com' } })).body.id;
      const refused = await call({ contact: { id: without } });
      expect([refused.status, refused.body.message]).toEqual([400, 'contact: has no phone number to call']);
      expect(dialled()).toEqual([]);
    });

    it('fails at once for a wrong account, as its caller is waiting, and can be requested again', async () => {
      vapi.next(vapiRefuses(401, 'Invalid Key'));
      const failed = await untilDelivery(org, (await call()).body.call_id, 'failed');
      expect([failed.reason, dialled()]).toEqual([expect.stringContaining('Invalid Key'), []]);
      await untilDelivery(org, (await call()).body.call_id, 'accepted');
    });

    it('waits after a rate limit as long as Vapi asks', async () => {
      vapi.next(tooManyRequests('1'));
      const startedAt = Date.now();
      const { attempts } = await untilDelivery(org, (await call()).body.call_id, 'accepted');
      expect([Date.now() - startedAt > 1_000, attempts, dialled().length]).toEqual([true, 1, 1]);
    });
  });

  it('fails with the reason after an hour if the provider stays unreachable', async () => {
    const gone = await startFakeVapi();
    await connectVapi(org, gone);
    await gone.close();
    const { call_id: id } = (await call()).body;
    const { reason } = await eventually('a try', async () => {
      const delivery = await readDelivery(org, id);
      return delivery.status === 'queued' && delivery.reason !== null && delivery;
    });
    await sql`update deliveries set created_at = created_at - interval '2 hours' where id = ${id}`.execute(stack.db);
    const failed = await untilDelivery(org, id, 'failed');
    expect(failed).toMatchObject({ reason: `given up after an hour: ${reason}`, sent_at: null, provider_id: null });
    expect(reason).toMatch(/ECONNREFUSED|refused/i);
    expect(dialled()).toEqual([]);
  });

  it('has another hour after a pause of all sending', async () => {
    await pauseSending(stack.db, undefined);
    await resumeSending(stack.db);
    vapi.next(tooManyRequests('1'), tooManyRequests('1'));
    const { call_id: id } = (await call()).body;
    await eventually('a try', async () => (await readDelivery(org, id)).reason !== null);
    await sql`update deliveries set created_at = created_at - interval '2 hours' where id = ${id}`.execute(stack.db);
    await untilDelivery(org, id, 'accepted');
    await sql`delete from sending_pause`.execute(stack.db);
  });

  describe('of a sequence', () => {
    it('is made once to each contact, and the sequence continues', async () => {
      const numbers = [to, newNumber(), newNumber()];
      const sequenceId = await createSequence(org, [callStep(agentId)]);
      await enroll(org, sequenceId, ...numbers);
      await untilEnrollments(org, sequenceId, 'complete', 3);
      const called = vapi.calls.map(({ params }) => params.customer.number);
      expect(called.filter((number) => numbers.includes(number)).sort()).toEqual(numbers.sort());
    });

    it('fails with the reason if its agent was deleted, and the sequence continues', async () => {
      const sequenceId = await createSequence(org, [callStep(agentId)]);
      expect((await org.delete(`/phone/${agentId}`)).status).toBe(200);
      await enroll(org, sequenceId, to);
      await untilEnrollments(org, sequenceId, 'complete');
      const failed = await untilSent(org, sequenceId, 'failed');
      expect([failed.reason, dialled()]).toEqual([`there is no phone agent ${agentId}`, []]);
    });

    it('with a lost response is not dialled again and found by reconciliation', async () => {
      vapi.next(resetAfter);
      const sequenceId = await send(org, to, callStep(agentId));
      const { id } = await untilSent(org, sequenceId, 'unknown');
      await untilEnrollments(org, sequenceId, 'complete');
      const found = await untilDelivery(org, id, 'accepted');
      expect(found).toMatchObject({ provider_id: dialled()[0]?.id, attempts: 1 });
      expect(found.reason).toContain('found at the provider');
      expect(dialled()).toHaveLength(1);
    });

    it('is distinguished by reconciliation from another call to the same number', async () => {
      vapi.next(resetBefore, errorAfter(500));
      const sequenceId = await send(org, to, callStep(agentId), callStep(agentId));
      await untilEnrollments(org, sequenceId, 'complete');
      const { id, provider_id } = await untilSent(org, sequenceId, 'accepted');
      expect([dialled().length, dialled()[0]?.id]).toEqual([1, provider_id]);
      expect(dialled()[0]?.params.assistant.metadata?.delivery_id).toBe(id);
      expect(await untilSent(org, sequenceId, 'unknown')).toMatchObject({ provider_id: null });
    });

    it('a call of a sequence that ended before its reconciliation gets its final outcome', async () => {
      vapi.next(errorAfter(502));
      const sequenceId = await send(org, to, callStep(agentId));
      const { id } = await untilSent(org, sequenceId, 'unknown');
      const made = await eventually('the call at Vapi', () => dialled()[0]);
      Object.assign(made, { status: 'ended', endedReason: 'customer-busy' });
      expect(await untilDelivery(org, id, 'failed')).toMatchObject({
        provider_id: made.id,
        reason: 'customer-busy; found at the provider: Vapi answered 502',
      });
    });
  });

  describe('with callbacks of Vapi', () => {
    it('is delivered once it was answered, and stays so', async () => {
      const { id, made } = await accepted();
      expect(await vapi.callback(made, 'ringing')).toBe(200);
      expect((await readDelivery(org, id)).status).toBe('accepted');
      expect(await vapi.callback(made, 'in-progress')).toBe(200);
      expect((await readDelivery(org, id)).status).toBe('sent');
      expect(await vapi.report(made, 'customer-ended-call')).toBe(200);
      expect(await vapi.callback(made, 'in-progress')).toBe(200);
      expect(await vapi.report(made, 'customer-did-not-answer')).toBe(200);
      const delivery = await readDelivery(org, id);
      expect([delivery.status, delivery.callbacks.length]).toEqual(['delivered', 3]);
    });

    it('fails if it was not answered, and stays so', async () => {
      const { id, made } = await accepted();
      expect(await vapi.report(made, 'customer-did-not-answer')).toBe(200);
      expect(await vapi.callback(made, 'in-progress')).toBe(200);
      expect(await readDelivery(org, id)).toMatchObject({ status: 'failed', reason: 'customer-did-not-answer' });
      expect((await org.get('/suppressions')).body.items).toEqual([]);
    });

    it('accepts a callback before Vapi’s own response', async () => {
      vapi.next(slow(1_000));
      const { call_id: id } = (await call()).body;
      const made = await eventually('the call at Vapi', () => dialled()[0]);
      expect(await vapi.callback(made, 'in-progress')).toBe(200);
      await untilDelivery(org, id, 'sent');
      const answered = await eventually('the answer', async () => {
        const delivery = await readDelivery(org, id);
        return delivery.answers.length === 1 && delivery;
      });
      expect(answered).toMatchObject({ status: 'sent', provider_id: made.id, attempts: 1 });
    });

    it('ignores forged callbacks', async () => {
      const { id, made } = await accepted();
      expect(await vapi.report(made, 'customer-ended-call', { isForged: true })).toBe(403);
      expect(await vapi.report(made, 'customer-ended-call', { signWith: 'guessed' })).toBe(403);
      expect(await readDelivery(org, id)).toMatchObject({ status: 'accepted', callbacks: [] });
    });
  });
});
