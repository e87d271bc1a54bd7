import { setTimeout as sleep } from 'node:timers/promises';
import { addressesOf } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { CONTACTS, IS_LONG, TEMPORAL_DOWN_MS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const DELAY_MS = 6_000;

/** Tests with a high load on the machine, as all servers are restarted. */
const inLongTier = IS_LONG ? it : it.skip;

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, TEST_LIMIT_MS);
afterAll(() => stack.close());

it.each(IS_LONG ? (['postgres', 'temporal'] as const) : (['postgres'] as const))(
  'everyone is mailed exactly once when %s is killed: the worker knows the outcome of its sends',
  async (server) => {
    const org = await stack.newOrg();
    const emails = addressesOf(org, CONTACTS);
    stack.sink.script({ delayMs: 60 });
    const sequence = await org.createSequence([{}, {}]);

    const adding = org.addContacts(emails, CONTACTS / 4);
    for (const share of [0.3, 1.2]) {
      await org.untilMails(CONTACTS * share);
      await stack[server].kill();
      await sleep(500);
      await stack[server].start();
    }
    await adding;
    await org.untilComplete(sequence, CONTACTS);

    const mails = CONTACTS * 2;
    expect(await org.outcomeOf(sequence, emails, 2)).toEqual({ contacts: CONTACTS, mails, unknown: 0, wrong: [] });
  },
  TEST_LIMIT_MS,
);

it(
  'requests are accepted while Temporal is down, and carried out afterwards',
  async () => {
    const org = await stack.newOrg();
    const [before, during] = [addressesOf(org, 20, 'before'), addressesOf(org, 100, 'during')];
    stack.sink.script({});
    const running = await org.createSequence();
    await org.addContacts(before);
    await org.untilComplete(running, before.length);

    await stack.temporal.kill();
    const begin = performance.now();
    const created = await org.call('POST', '/sequences', {
      filter: { or: [{ and: [{ type: 'contacts_email_in', email_in: ['nobody@example.com'] }] }] },
      steps: [{ delay_in_minutes: 0, action: emailAction('made while it was down') }],
    });
    const email = await org.call('POST', '/email', {
      from_email: 'hello@example.org',
      recipients: [{ to_email: `single@${org.id}.example.com` }],
      fallback_email_subject: 'single',
      fallback_email_body: 'Hello',
    });
    const answers = [];
    for (const address of during) {
      answers.push(await org.call('POST', '/contacts', { contact: { email: address } }));
      await sleep(TEMPORAL_DOWN_MS / during.length / 2);
    }
    const added = await org.call('POST', `/sequences/${created.body.id}/contacts`, {
      contacts: [{ email: during[0] }],
    });
    await sleep(Math.max(0, TEMPORAL_DOWN_MS - (performance.now() - begin)));
    expect([created.status, email.status, added.status]).toEqual([201, 201, 201]);
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
    expect(org.mails()).toHaveLength(before.length);
    await stack.temporal.start();

    await org.untilComplete(running, before.length + during.length);
    const contacts = before.length + during.length;
    const outcome = await org.outcomeOf(running, [...before, ...during]);
    expect(outcome).toEqual({ contacts, mails: contacts, unknown: 0, wrong: [] });
    await until('the single e-mail was sent', async () => (await org.statuses()).accepted === contacts + 1);
    expect(org.mails().filter(({ subject }) => subject === 'single')).toHaveLength(1);
  },
  TEST_LIMIT_MS,
);

inLongTier(
  'the delay of a step is kept when all servers are restarted',
  async () => {
    const org = await stack.newOrg();
    const emails = addressesOf(org, 20);
    stack.sink.script({});
    const sequence = await org.createSequence([{}, { delayInMinutes: DELAY_MS / 60_000 }]);
    await org.addContacts(emails);
    await org.untilMails(emails.length);
    const firstAt = performance.now();

    await Promise.all([stack.api.terminate(), stack.worker.kill()]);
    await Promise.all([stack.temporal.kill(), stack.postgres.kill(), stack.sink.kill()]);
    await Promise.all([stack.postgres.start(), stack.temporal.start(), stack.sink.start()]);
    await Promise.all([stack.worker.start(), stack.api.start()]);

    await until('a second mail came', async () => org.mails().length > emails.length);
    expect(performance.now() - firstAt).toBeGreaterThan(DELAY_MS - 1_000);
    await org.untilComplete(sequence, emails.length);
    const mails = emails.length * 2;
    expect(await org.outcomeOf(sequence, emails, 2)).toMatchObject({ mails, wrong: [] });
  },
  TEST_LIMIT_MS,
);

const emailAction = (subject: string) => ({
  type: 'send_emails',
  data: {
    from_email: 'hello@example.org',
    email_sender_name: 'Faults',
    email_subject: subject,
    email_body: 'Hello',
    email_is_transactional: false,
  },
});
