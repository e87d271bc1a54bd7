import {
  connectTwilio,
  createSequence,
  deliveriesOf,
  enroll,
  FAKES_ALLOWED,
  newNumber,
  send,
  untilEnrollments,
  untilSent,
} from '../../support/channels.ts';
import { type FakeTwilio, startFakeTwilio } from '../../support/fakes/twilio.ts';
import { smsStep } from '../../support/sequences.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';

const SECONDS = 1 / 60;

describe('an inbound SMS', () => {
  let stack: Stack;
  let twilio: FakeTwilio;
  let org: TestOrg;
  let webhookUrl: string;
  let number: string;
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
    number = newNumber();
    webhookUrl = await connectTwilio(org, twilio);
  });

  const receive = (body: string, sid?: string, url = webhookUrl) =>
    twilio.receive({ from: number, to: '+15005550006', body, ...(sid && { sid }) }, url);
  const texts = () =>
    twilio.messages.filter(({ params }) => params.get('To') === number).map(({ params }) => params.get('Body'));
  const suppressions = async () =>
    (await org.get('/suppressions?channel=sms')).body.items.map(
      ({ address, reason }: { address: string; reason: string }) => `${address} ${reason}`,
    );
  const inbound = () =>
    stack.db
      .selectFrom('inbound_messages')
      .select(['channel', 'provider', 'from', 'to', 'body', 'contact_id'])
      .where('org_id', '=', org.id)
      .execute();
  /** Creates a sequence of two steps that ends on a reply, and sends its first step. */
  const begun = async () => {
    const steps = [smsStep('One'), smsStep('Two', 2 * SECONDS)];
    const sequenceId = await createSequence(org, steps, { gates: { exit_on_reply: true } });
    await enroll(org, sequenceId, number);
    await untilSent(org, sequenceId, 'accepted');
    return sequenceId;
  };

  it('with STOP suppresses the number on the channel until a START', async () => {
    await untilSent(org, await send(org, number, smsStep('Hi')), 'accepted');
    expect(await receive(' Stop. ')).toBe(200);
    expect(await suppressions()).toEqual([`${number} unsubscribed`]);
    const held = await untilSent(org, await send(org, number, smsStep('Held back')), 'suppressed');
    expect([held.reason, held.attempts]).toEqual(['unsubscribed', 0]);

    expect(await receive('START')).toBe(200);
    expect(await suppressions()).toEqual([]);
    await untilSent(org, await send(org, number, smsStep('Back')), 'accepted');
    expect(texts()).toEqual(['Hi', 'Back']);
  });

  it('is received once: a repeated START does not undo a later STOP', async () => {
    await receive('START', 'SM00000000000000000000000000000001');
    await receive('STOP', 'SM00000000000000000000000000000002');
    await receive('START', 'SM00000000000000000000000000000001');
    expect(await suppressions()).toEqual([`${number} unsubscribed`]);
    expect(await inbound()).toHaveLength(2);
  });

  it('with START removes only the opt-out of its sender', async () => {
    await org.post('/suppressions', { channel: 'sms', address: number });
    await receive('STOP');
    await receive('START');
    expect(await suppressions()).toEqual([`${number} manual`]);
  });

  it('from an unknown number is stored, with its opt-out', async () => {
    await receive('stop');
    expect(await suppressions()).toEqual([`${number} unsubscribed`]);
    expect(await inbound()).toMatchObject([{ from: number, to: '+15005550006', body: 'stop', contact_id: null }]);
  });

  it.each([
    ['STOP', 'Baja', ['unsubscribed']],
    ['HELP', 'STOP', []],
  ])('counts as Twilio’s OptOutType %s, whatever the word', async (optOutType, body, expected) => {
    const sms = { from: number, to: '+15005550006', body, optOutType };
    expect(await twilio.receive(sms, webhookUrl)).toBe(200);
    const found = await suppressions();
    expect(found).toEqual(expected.map(() => `${number} unsubscribed`));
  });

  it('with OptOutType START lifts an opt-out by another word', async () => {
    await receive('STOP');
    await twilio.receive({ from: number, to: '+15005550006', body: 'Empezar', optOutType: 'START' }, webhookUrl);
    expect(await suppressions()).toEqual([]);
  });

  it('an SMS that is forged, or of another org’s account, is a 403 and changes nothing', async () => {
    const stranger = await startFakeTwilio();
    const status = await stranger.receive({ from: number, to: '+15005550006', body: 'STOP' }, webhookUrl);
    expect([status, await suppressions(), await inbound()]).toEqual([403, [], []]);
    await stranger.close();
  });

  it('as a reply ends the enrollment of its contact: the other steps are not sent', async () => {
    const sequenceId = await begun();
    expect(await receive('What is this about?')).toBe(200);
    const [enrollment] = await untilEnrollments(org, sequenceId, 'exited');
    expect(enrollment.exit_reason).toBe('exit_on_reply: the contact replied by sms');
    expect(await inbound()).toMatchObject([{ body: 'What is this about?', contact_id: enrollment.contact_id }]);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(texts()).toEqual(['One']);

    const { body } = await org.get(`/sequences/${sequenceId}/enrollments/${enrollment.id}`);
    expect(body.steps.map(({ status }: { status: string }) => status)).toEqual(['done', 'canceled']);
  });

  it('does not end an enrollment unless the sequence ends on replies', async () => {
    const sequenceId = await createSequence(org, [smsStep('One'), smsStep('Two', 2 * SECONDS)]);
    await enroll(org, sequenceId, number);
    await untilSent(org, sequenceId, 'accepted');
    await receive('What is this about?');
    await untilEnrollments(org, sequenceId, 'complete');
    expect(texts()).toEqual(['One', 'Two']);
  });

  it('ends no enrollment that began after it', async () => {
    await receive('Hello?');
    const sequenceId = await begun();
    await untilEnrollments(org, sequenceId, 'complete');
    expect(texts()).toEqual(['One', 'Two']);
  });

  it('with STOP is no reply: the sequence continues and records why each step was not sent', async () => {
    const sequenceId = await begun();
    await receive('STOP');
    await untilEnrollments(org, sequenceId, 'complete');
    const deliveries = await deliveriesOf(org, sequenceId);
    expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(['accepted', 'suppressed']);
    expect(texts()).toEqual(['One']);
  });
});
