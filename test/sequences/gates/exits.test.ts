import { sql } from 'kysely';
import { insertInboundMessage } from '../../../src/deliveries/inbound/messages.queries.ts';
import { receiveMessage } from '../../../src/deliveries/inbound/messages.service.ts';
import { createCallbackUrls } from '../../../src/orgs/integrations/callback-urls.ts';
import { twilioSignature } from '../../../src/providers/twilio/callbacks.ts';
import type { Refusal } from '../../support/fakes/mail-sink.ts';
import { emailStep, smsStep, timeIn } from '../../support/sequences.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const SECOND = 1 / 60;
const HOUR = 60;

interface Step {
  status: string;
  delivery: { status: string; reason: string | null } | null;
}

describe('leaving a sequence early', () => {
  let stack: Stack;
  let org: TestOrg;
  beforeAll(async () => {
    stack = await startStack();
  });
  beforeEach(async () => {
    org = await stack.createOrg();
  });
  afterAll(() => stack.close());

  let serial = 0;
  const save = async (contact: object = {}) => {
    serial++;
    const email = `c${serial}@leaving.example`;
    const phone = `+1212555${String(serial).padStart(4, '0')}`;
    const { body } = await org.post('/contacts', { contact: { email, phone, ...contact } });
    return { id: body.id as string, email, phone };
  };
  const create = async (input: object) => {
    const filter = { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ plan: 'pro' }] }] }] };
    const { status, body } = await org.post('/sequences', { filter, ...input });
    expect(status).toBe(201);
    return `/sequences/${body.id}`;
  };
  const enroll = async (path: string, { id }: { id: string }) => {
    const added = await org.post(`${path}/contacts`, { contacts: [{ id }] });
    expect(added.body.enrolled).toBe(1);
    const { items } = (await org.get(`${path}/enrollments`)).body;
    const enrollment = items.find(({ contact_id }: { contact_id: string }) => contact_id === id);
    return async () => (await org.get(`${path}/enrollments/${enrollment.id}`)).body;
  };
  const outline = ({ steps }: { steps: Step[] }) => steps.map(({ status, delivery }) => [status, delivery?.status]);
  const withStatus = (status: string, explain: Awaited<ReturnType<typeof enroll>>) =>
    eventually(`an enrollment that is ${status}`, async () => {
      const explained = await explain();
      return explained.status === status && explained;
    });
  const withFirstStep = (status: string, explain: Awaited<ReturnType<typeof enroll>>) =>
    eventually(`a first step that is ${status}`, async () => {
      const explained = await explain();
      return explained.steps[0].status === status && explained;
    });

  /** Posts an SMS from the number to us, like Twilio's webhook. */
  const answerBySms = async (from: string, text: string) => {
    const urls = createCallbackUrls(stack.config.signingSecrets, stack.config.PUBLIC_URL);
    const url = urls.urlOf('twilio', org.id);
    const form = new URLSearchParams({ MessageSid: `SM${++serial}`, From: from, To: '+15005550006', Body: text });
    const signature = twilioSignature(urls.secretsOf('twilio', org.id)[0], url, form);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
    expect((await fetch(url, { method: 'POST', headers, body: form.toString() })).status).toBe(200);
  };
  /** Loses the events from which sequences are told that contacts of an org have replied. */
  const dropRepliesOf = (orgId: string) =>
    sql
      .raw(`
        create or replace function drop_event() returns trigger language plpgsql as 'begin return null; end';
        create or replace trigger drop_replies before insert on outbox for each row
          when (new.org_id = '${orgId}' and new.type = 'contact-replied') execute function drop_event();
      `)
      .execute(stack.db);
  const pro = { custom_data: { plan: 'pro' } };

  describe('exit_on_reply', () => {
    const gates = { exit_on_reply: true };

    it('ends the enrollment of a contact who replies by SMS while the sequence waits for its next step', async () => {
      const [ann, bob] = [await save(pro), await save(pro)];
      const path = await create({ gates, steps: [smsStep('Hello'), emailStep('Reminder', HOUR)] });
      const [ofAnn, ofBob] = [await enroll(path, ann), await enroll(path, bob)];
      for (const explain of [ofAnn, ofBob]) await withFirstStep('done', explain);
      await answerBySms(ann.phone, 'Yes, I am coming');
      const explained = await withStatus('exited', ofAnn);
      expect(explained).toMatchObject({ exit_reason: 'exit_on_reply: the contact replied by sms', held_until: null });
      expect(explained.ended_at).not.toBeNull();
      expect(explained.steps[1]).toMatchObject({ status: 'canceled', delivery: null });
      expect((await ofBob()).status).toBe('active');
      expect((await org.get(`${path}/stats`)).body.enrollments).toMatchObject({ active: 1, exited: 1 });
    });

    it('cancels a send deferred by a gate for the contact', async () => {
      const ann = await save(pro);
      const quiet_hours = { start: timeIn('America/New_York', -60), end: timeIn('America/New_York', 60) };
      const path = await create({ gates: { ...gates, quiet_hours }, steps: [emailStep('Held')] });
      const explain = await enroll(path, ann);
      await withFirstStep('waiting', explain);
      await answerBySms(ann.phone, 'Hi');
      const { steps } = await withStatus('exited', explain);
      expect(steps[0]).toMatchObject({
        status: 'done',
        delivery: { status: 'canceled', reason: 'exit_on_reply: the contact replied by sms' },
      });
      expect(stack.sink.to(ann.email)).toEqual([]);
    });

    it('cancels a send under way that would have been tried again', async () => {
      const ann = await save(pro);
      const answer = Promise.withResolvers<Refusal>();
      stack.sink.refuse(ann.email, answer.promise);
      const explain = await enroll(await create({ gates, steps: [emailStep('Put off')] }), ann);
      await withFirstStep('sending', explain);
      await answerBySms(ann.phone, 'Hi');
      await withStatus('exited', explain);
      answer.resolve([451, '4.3.0 try later']);
      const { steps } = await withFirstStep('done', explain);
      const reason = 'exit_on_reply: the contact replied by sms';
      expect(steps[0].delivery).toMatchObject({ status: 'canceled', reason });
      expect((await org.get(`/deliveries/${steps[0].delivery.id}`)).body.gate).toBe('exit_on_reply');
    });

    it('counts a reply on any channel when a step comes due, even before its event is processed', async () => {
      const ann = await save(pro);
      const path = await create({ gates, steps: [emailStep('One'), emailStep('Two', 2 * SECOND)] });
      const explain = await enroll(path, ann);
      await withFirstStep('done', explain);
      await insertInboundMessage(stack.db, org.id, { ...replyFrom(ann.email), id: crypto.randomUUID(), isReply: true });
      const explained = await withStatus('exited', explain);
      expect(explained.exit_reason).toMatch(/^exit_on_reply: the contact replied by email/);
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      expect(stack.sink.to(ann.email).map(({ subject }) => subject)).toEqual(['One']);
    });

    it('counts a message in a session when a step comes due, even before its event is processed', async () => {
      const ann = await save(pro);
      const { id: session } = (await org.post('/chat/sessions', { contact_id: ann.id, channel: { type: 'api' } })).body;
      const path = await create({ gates, steps: [emailStep('One'), emailStep('Two', 2 * SECOND)] });
      const explain = await enroll(path, ann);
      await withFirstStep('done', explain);
      await dropRepliesOf(org.id);
      const message = { sender: 'contact', message: { type: 'text', text: 'Yes, I am coming' } };
      expect((await org.post(`/chat/sessions/${session}/send`, message)).status).toBeLessThan(300);
      const explained = await withStatus('exited', explain);
      expect(explained.exit_reason).toMatch(/^exit_on_reply: the contact replied by api/);
      expect(explained.steps[1]).toMatchObject({ delivery: { status: 'skipped' } });
      expect(stack.sink.to(ann.email).map(({ subject }) => subject)).toEqual(['One']);
    });

    it('ignores replies from before the enrollment, and those of other contacts', async () => {
      const [ann, bob] = [await save(pro), await save(pro)];
      await receiveMessage(stack.db, org.id, replyFrom(ann.email));
      const path = await create({ gates, steps: [emailStep('One'), emailStep('Two', SECOND)] });
      const explain = await enroll(path, ann);
      await receiveMessage(stack.db, org.id, replyFrom(bob.email));
      await receiveMessage(stack.db, org.id, replyFrom('nobody@leaving.example'));
      expect(outline(await withStatus('complete', explain))).toEqual([
        ['done', 'accepted'],
        ['done', 'accepted'],
      ]);
    });

    it('is off by default', async () => {
      const ann = await save(pro);
      const path = await create({ steps: [smsStep('One'), emailStep('Two', SECOND)] });
      const explain = await enroll(path, ann);
      await answerBySms(ann.phone, 'Yes');
      expect((await withStatus('complete', explain)).exit_reason).toBeNull();
      expect(stack.sink.to(ann.email)).toHaveLength(1);
    });
  });

  describe('exit_when_unmatched', () => {
    const steps = [emailStep('One'), emailStep('Two', 2 * SECOND), emailStep('Three')];
    const leave = ({ id }: { id: string }) =>
      org.patch(`/contacts/${id}`, { contact: { custom_data: { plan: 'free' } } });

    it('ends the enrollment of a contact no longer matching the filter when a step comes due, with the reason', async () => {
      const [ann, bob] = [await save(pro), await save(pro)];
      const path = await create({ gates: { exit_when_unmatched: true }, steps });
      const [ofAnn, ofBob] = [await enroll(path, ann), await enroll(path, bob)];
      await withFirstStep('done', ofAnn);
      await leave(ann);
      const explained = await withStatus('exited', ofAnn);
      const reason = 'exit_when_unmatched: the contact no longer matches the filter';
      expect(explained.exit_reason).toBe(reason);
      expect(explained.steps[1]).toMatchObject({ status: 'done', delivery: { status: 'skipped', reason } });
      expect(outline(explained)).toEqual([
        ['done', 'accepted'],
        ['done', 'skipped'],
        ['canceled', undefined],
      ]);
      expect((await org.get(`/deliveries/${explained.steps[1].delivery.id}`)).body.gate).toBe('exit_when_unmatched');
      await withStatus('complete', ofBob);
      expect(stack.sink.to(ann.email)).toHaveLength(1);
      expect(stack.sink.to(bob.email)).toHaveLength(3);
    });

    it('is off by default', async () => {
      const ann = await save(pro);
      const explain = await enroll(await create({ steps }), ann);
      await withFirstStep('done', explain);
      await leave(ann);
      await withStatus('complete', explain);
      expect(stack.sink.to(ann.email)).toHaveLength(3);
    });
  });

  const replyFrom = (from: string) => ({
    channel: 'email' as const,
    provider: 'smtp',
    providerId: `<reply-${++serial}@leaving.example>`,
    from,
    to: 'reply@acme.example',
    body: 'Hello',
    deliveryId: undefined,
  });
});
