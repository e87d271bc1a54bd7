import { setTimeout as sleep } from 'node:timers/promises';
import { addressesOf } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { CONTACTS, IN_FLIGHT, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

/** Long enough for any remaining mail to be sent. */
const QUIET_MS = 1_500;

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, TEST_LIMIT_MS);
afterAll(() => stack.close());

it(
  'a paused sequence stops within a batch, loses nobody, and continues when resumed, even if the worker is killed in between',
  async () => {
    const org = await stack.newOrg();
    const [before, during] = [addressesOf(org, CONTACTS, 'before'), addressesOf(org, 50, 'during')];
    stack.sink.script({ delayMs: 100 });
    const sequence = await org.createSequence([{}, {}]);
    await org.addContacts(before, 1_000);
    await org.untilMails(30);

    expect((await org.put(`/sequences/${sequence}/pause`)).status).toBe(200);
    const atPause = org.mails().length;
    await org.addContacts(during);
    await sleep(QUIET_MS);
    const whilePaused = org.mails().length;
    expect(whilePaused).toBeLessThanOrEqual(atPause + 2 * IN_FLIGHT);
    expect(await org.statuses()).toEqual({ accepted: whilePaused });
    await stack.worker.kill();
    await stack.worker.start();
    expect(org.mails()).toHaveLength(whilePaused);

    stack.sink.script({ delayMs: 10 });
    expect((await org.put(`/sequences/${sequence}/resume`)).status).toBe(200);
    const contacts = before.length + during.length;
    await org.untilComplete(sequence, contacts);
    const outcome = await org.outcomeOf(sequence, [...before, ...during], 2);
    expect(outcome).toEqual({ contacts, mails: contacts * 2, unknown: 0, wrong: [] });
  },
  TEST_LIMIT_MS,
);

it(
  'a sequence canceled while sending is ended: no sends wait, no mails go out, no contacts enter',
  async () => {
    const org = await stack.newOrg();
    const emails = [...addressesOf(org, 30, 'greylisted'), ...addressesOf(org, CONTACTS)];
    stack.sink.script({ delayMs: 100, recipients: [{ match: 'greylisted', reply: '451 4.7.1 come back later' }] });
    const sequence = await org.createSequence();
    await org.addContacts(emails, 1_000);
    await until('all were enrolled', async () => (await org.outbox()) === 0);
    await org.untilMails(30);

    expect((await org.put(`/sequences/${sequence}/cancel`)).status).toBe(200);
    const atCancel = org.mails().length;
    await until(
      'nothing waited',
      async () => {
        const { queued = 0, sending = 0 } = await org.statuses();
        return queued + sending + (await org.outbox()) === 0;
      },
      15_000,
    );
    stack.sink.script({});
    await org.addContacts(addressesOf(org, 20, 'late'));
    await sleep(QUIET_MS);

    const mails = org.mails().length;
    expect(mails).toBeLessThanOrEqual(atCancel + 2 * IN_FLIGHT);
    const { accepted, canceled, ...others } = await org.statuses();
    expect(accepted).toBe(mails);
    expect(canceled).toBeGreaterThan(0);
    expect(others).toEqual({});
    for (const course of ['resume', 'pause']) {
      expect((await org.call('PUT', `/sequences/${sequence}/${course}`)).status).toBe(409);
    }
    const { body } = await org.call('GET', `/sequences/${sequence}/stats`);
    expect(body.enrollments).toEqual({ active: 0, complete: mails, canceled: emails.length - mails, exited: 0 });
  },
  TEST_LIMIT_MS,
);
