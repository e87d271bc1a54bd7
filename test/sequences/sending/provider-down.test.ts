import { setTimeout as sleep } from 'node:timers/promises';
import { connectTwilio, createSequence, deliveriesOf, FAKES_ALLOWED, newNumber } from '../../support/channels.ts';
import { startFakeTwilio } from '../../support/fakes/twilio.ts';
import { emailStep, smsStep } from '../../support/sequences.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

describe('an unreachable provider', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ env: FAKES_ALLOWED });
  });
  afterAll(() => stack.close());

  it('delays its own step, but no mail of the same sequence', async () => {
    const org = await stack.createOrg();
    const twilio = await startFakeTwilio();
    await connectTwilio(org, twilio);
    await twilio.close();
    const to = newNumber();
    const { body: held } = await org.post('/contacts', { contact: { phone: to, email: 'cat@down.example' } });
    const id = await createSequence(org, [smsStep('Hi'), emailStep('Hello')]);
    await org.post(`/sequences/${id}/contacts`, { contacts: [{ id: held.id }] });
    const smsTo = async () =>
      (await deliveriesOf(org, id)).find((delivery: Record<string, string>) => delivery.to === to);
    await eventually('the first try', async () => (await smsTo())?.status === 'queued');

    await org.post(`/sequences/${id}/contacts`, { contacts: [{ email: 'ann@down.example' }] });
    await eventually('the mail of who has no number', () => stack.sink.to('ann@down.example').length === 1);
    expect(['queued', 'sending']).toContain((await smsTo()).status);
    expect((await org.get(`/sequences/${id}`)).body.status).toBe('active');
    expect(stack.sink.to('cat@down.example')).toEqual([]);

    await sleep(12_000); // the provider is tried ever less often
    await org.post(`/sequences/${id}/contacts`, { contacts: [{ email: 'bob@down.example' }] });
    const enrolledAt = Date.now();
    await eventually('the next mail', () => stack.sink.to('bob@down.example').length === 1);
    expect(Date.now() - enrolledAt).toBeLessThan(6_000);
  });

  it('gets its step sent once it is back', async () => {
    const org = await stack.createOrg();
    const twilio = await startFakeTwilio();
    await connectTwilio(org, twilio);
    await twilio.close();
    const to = newNumber();
    const { body: held } = await org.post('/contacts', { contact: { phone: to } });
    const id = await createSequence(org, [smsStep('Hi'), emailStep('Hello')]);
    await org.post(`/sequences/${id}/contacts`, { contacts: [{ id: held.id }] });
    await eventually('the first try', async () => (await deliveriesOf(org, id))[0]?.status === 'queued');
    const back = await startFakeTwilio();
    await connectTwilio(org, back);
    await eventually('the SMS', () => back.messages.some(({ params }) => params.get('To') === to));
    await back.close();
  });
});
