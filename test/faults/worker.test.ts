import { addressesOf } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { CONTACTS, KILLS, MAIL_PACES, TEST_LIMIT_MS } from './support/sizes.ts';
import { startTemporalProxy } from './support/temporal-proxy.ts';

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, TEST_LIMIT_MS);
afterAll(() => stack.close());

it.each(MAIL_PACES)(
  'everyone is mailed at most once when the worker is killed repeatedly while mails take %d ms, and unknown outcomes are reported',
  async (delayMs, inFlight) => {
    const org = await stack.newOrg();
    const emails = addressesOf(org, CONTACTS);
    stack.sink.script({ delayMs });
    const sequences = [await org.createSequence(), await org.createSequence()];

    const adding = org.addContacts(emails, CONTACTS / 4);
    for (let kill = 1; kill <= KILLS; kill++) {
      await org.untilMails(Math.floor((2 * CONTACTS * kill) / (KILLS + 1)));
      await stack.worker.kill();
      await stack.worker.start();
    }
    await adding;

    let unknown = 0;
    for (const sequence of sequences) {
      await org.untilComplete(sequence, CONTACTS);
      const outcome = await org.outcomeOf(sequence, emails);
      expect(outcome).toMatchObject({ contacts: CONTACTS, wrong: [] });
      unknown += outcome.unknown;
    }
    expect(unknown).toBeLessThanOrEqual(inFlight * KILLS);
  },
  TEST_LIMIT_MS,
);

it(
  'the worker stops cleanly in the middle of a batch: outcomes of started sends are known, and the rest waits',
  async () => {
    const org = await stack.newOrg();
    const emails = addressesOf(org, CONTACTS);
    stack.sink.script({ delayMs: 6_000 }); // two in a row would exceed the limit
    const sequence = await org.createSequence();
    await org.addContacts(emails, 1_000);
    await org.untilMails(10);

    const { end, tookMs } = await stack.worker.terminate();

    expect(end).toBe('exit code 0');
    expect(tookMs).toBeLessThan(10_000);
    const { sending, unknown, accepted } = await org.statuses();
    expect({ sending, unknown }).toEqual({});
    expect(accepted).toBe(org.mails().length);
    expect(accepted).toBeLessThan(CONTACTS);

    stack.sink.script({});
    await stack.worker.start();
    await org.untilComplete(sequence, CONTACTS);
    expect(await org.outcomeOf(sequence, emails)).toEqual({
      contacts: CONTACTS,
      mails: CONTACTS,
      unknown: 0,
      wrong: [],
    });
  },
  TEST_LIMIT_MS,
);

it(
  'two concurrent workers send nothing twice',
  async () => {
    const second = await stack.addWorker();
    const org = await stack.newOrg();
    const emails = addressesOf(org, CONTACTS);
    stack.sink.script({ delayMs: 10 });
    const sequences = [await org.createSequence(), await org.createSequence([{}, {}])];

    await org.addContacts(emails, CONTACTS / 2);
    for (const [index, sequence] of sequences.entries()) {
      await org.untilComplete(sequence, CONTACTS);
      const mails = CONTACTS * (index + 1);
      const outcome = await org.outcomeOf(sequence, emails, index + 1);
      expect(outcome).toEqual({ contacts: CONTACTS, mails, unknown: 0, wrong: [] });
    }
    await second.terminate();
  },
  TEST_LIMIT_MS,
);

it(
  'a worker that Temporal refuses one of its queues at first works afterwards',
  async () => {
    let described = 0;
    const proxy = await startTemporalProxy(
      stack.temporalAddress,
      (method) => method === 'DescribeNamespace' && ++described <= 2,
    );
    try {
      const another = await stack.addWorker({ TEMPORAL_ADDRESS: proxy.address }); // waits until it is working
      expect(described).toBeGreaterThan(2);
      await another.kill();
    } finally {
      proxy.close();
    }
  },
  TEST_LIMIT_MS,
);
