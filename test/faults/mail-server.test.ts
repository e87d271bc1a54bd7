import { createSmtpSender, smtpSettingsOf } from '../../src/providers/email/smtp.ts';
import { addressesOf } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { CONTACTS, IN_FLIGHT, KILLS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, TEST_LIMIT_MS);
afterAll(() => stack.close());

it(
  'only sends in progress have an unknown outcome when the mail server is killed, and sending continues when it is back',
  async () => {
    const org = await stack.newOrg();
    const emails = addressesOf(org, CONTACTS);
    stack.sink.script({ delayMs: 60 });
    const sequence = await org.createSequence();

    const adding = org.addContacts(emails, CONTACTS / 4);
    for (let kill = 1; kill <= KILLS; kill++) {
      await org.untilMails(Math.floor((CONTACTS * kill) / (KILLS + 1)));
      await stack.sink.kill();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await stack.sink.start();
    }
    await adding;
    await org.untilComplete(sequence, CONTACTS);

    const { wrong, contacts, unknown } = await org.outcomeOf(sequence, emails);
    expect(wrong).toEqual([]);
    expect(contacts).toBe(CONTACTS);
    expect(unknown).toBeLessThanOrEqual(IN_FLIGHT * KILLS);
  },
  TEST_LIMIT_MS,
);

it(
  'a mail accepted by the mail server without a response is never sent again',
  async () => {
    const org = await stack.newOrg();
    const emails = addressesOf(org, 60);
    stack.sink.script({ resetEvery: 3, delayMs: 10 });
    const sequence = await org.createSequence();
    await org.addContacts(emails);
    await org.untilComplete(sequence, emails.length);

    const outcome = await org.outcomeOf(sequence, emails);
    expect(outcome).toEqual({ contacts: 60, mails: 60, unknown: 20, wrong: [] });
  },
  TEST_LIMIT_MS,
);

it(
  'sends wait while the mail server accepts nothing, and nobody is left out',
  async () => {
    const org = await stack.newOrg();
    const emails = addressesOf(org, 60);
    stack.sink.script({ greeting: '421 try later' });
    const sequence = await org.createSequence([{}, {}]);
    await org.addContacts(emails);
    await until('a send was put back', async () => (await org.statuses()).queued !== undefined);
    stack.sink.script({});
    await org.untilComplete(sequence, emails.length);

    expect(await org.outcomeOf(sequence, emails, 2)).toEqual({ contacts: 60, mails: 120, unknown: 0, wrong: [] });
  },
  TEST_LIMIT_MS,
);

it(
  'a refused address does not delay the others of its batch',
  async () => {
    const org = await stack.newOrg();
    const good = addressesOf(org, 100);
    const bad = ['greylisted', 'refused', 'unknown-user'].map((name) => `${name}@${org.id}.example.com`);
    stack.sink.script({
      recipients: [
        { match: 'greylisted', reply: '451 4.7.1 come back later' },
        { match: 'refused', reply: '550 5.7.1 not from you' },
        { match: 'unknown-user', reply: '550 5.1.1 nobody here' },
      ],
    });
    const sequence = await org.createSequence();
    await org.addContacts([...bad, ...good]);

    await until('all others had their mail', async () => (await org.statuses()).accepted === good.length, 20_000);
    await until('the bad ones were settled', async () => (await org.statuses()).sending === undefined, 20_000);
    expect(await org.statuses()).toEqual({ accepted: good.length, queued: 1, failed: 1, bounced: 1 });
    expect(
      org
        .mails()
        .map(({ to }) => to)
        .sort(),
    ).toEqual([...good].sort());

    await org.put(`/sequences/${sequence}/cancel`);
    await until('what waited was canceled', async () => (await org.statuses()).queued === undefined, 20_000);
  },
  TEST_LIMIT_MS,
);

it('a message given to a closed sender is reported as not sent', async () => {
  const sender = createSmtpSender(smtpSettingsOf(stack.sink.url));
  const send = () =>
    sender.send({
      messageId: '<closed@example.org>',
      from: { name: undefined, address: 'hello@example.org' },
      to: 'closed@example.com',
      subject: 'closed',
      body: 'Hello',
      unsubscribeUrl: undefined,
      envelopeFrom: 'hello@example.org',
      replyTo: undefined,
      dkim: undefined,
    });
  stack.sink.script({ delayMs: 200 });
  const waiting = Array.from({ length: sender.concurrency * 2 }, send);
  await until('sends were under way', async () => stack.sink.mails().some(({ to }) => to === 'closed@example.com'));
  sender.close();

  const outcomes = await Promise.all([...waiting, send()]);
  const sent = stack.sink.mails().filter(({ to }) => to === 'closed@example.com').length;
  expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(sent);
  expect(outcomes.filter(({ kind }) => kind === 'retry')).toHaveLength(outcomes.length - sent);
});
