import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { addressesOf, type FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { CONTACTS, IDEMPOTENT_REQUESTS, KILLS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, TEST_LIMIT_MS);
afterAll(() => stack.close());

it(
  'every accepted contact is mailed exactly once when the api is killed repeatedly',
  async () => {
    const org = await stack.newOrg();
    const emails = addressesOf(org, CONTACTS);
    stack.sink.script({ delayMs: 20 });
    const sequence = await org.createSequence();

    const adding = org.addContacts(emails, CONTACTS / 4);
    for (let kill = 1; kill <= KILLS; kill++) {
      await org.untilMails(Math.floor((CONTACTS * kill) / (KILLS + 1)));
      await stack.api.kill();
      await stack.api.start();
    }
    await adding;
    await org.untilComplete(sequence, CONTACTS);

    const outcome = await org.outcomeOf(sequence, emails);
    expect(outcome).toEqual({ contacts: CONTACTS, mails: CONTACTS, unknown: 0, wrong: [] });
  },
  TEST_LIMIT_MS,
);

it(
  'a request with an Idempotency-Key makes one delivery, even if repeated and whenever the api is killed',
  async () => {
    const org = await stack.newOrg();
    stack.sink.script({});
    const addresses = addressesOf(org, IDEMPOTENT_REQUESTS, 'once');
    const sending = sendOneByOne(org, addresses);
    let isOver = false;
    const all = sending.finally(() => {
      isOver = true;
    });
    for (let kill = 0; kill < KILLS * 2 && !isOver; kill++) {
      await sleep(Math.random() * 400);
      await stack.api.kill();
      await stack.api.start();
    }
    const ids = await all;

    await until('all went out', async () => (await org.statuses()).accepted === addresses.length);
    const { rows } = await sql<{ id: string; to: string }>`
      select id, "to" from deliveries where org_id = ${org.id}::uuid`.execute(stack.db);
    expect(rows.map(({ to }) => to).sort()).toEqual([...addresses].sort());
    expect(rows.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(
      org
        .mails()
        .map(({ to }) => to)
        .sort(),
    ).toEqual([...addresses].sort());
  },
  TEST_LIMIT_MS,
);

it(
  'the api stops cleanly under load: every stored contact was answered',
  async () => {
    const org = await stack.newOrg();
    stack.sink.script({});
    const answered: string[] = [];
    const refused = new Set<number>();
    let isOver = false;
    const load = Array.from({ length: 12 }, async (_, client) => {
      for (let n = 0; !isOver; n++) {
        const email = `load-${client}-${n}@${org.id}.example.com`;
        const answer = await org.call('POST', '/contacts', { contact: { email } }).catch(() => undefined);
        if (answer?.status === 201) answered.push(email);
        else if (answer !== undefined) refused.add(answer.status);
        else await sleep(20);
      }
    });
    await until('the load is on', async () => answered.length > 100);

    const { end, tookMs } = await stack.api.terminate();
    isOver = true;
    await Promise.all(load);

    expect(end).toBe('exit code 0');
    expect(tookMs).toBeLessThan(10_000);
    const { rows } = await sql<{ email: string }>`
      select email from contacts where org_id = ${org.id}::uuid`.execute(stack.db);
    expect(rows.map(({ email }) => email).sort()).toEqual(answered.sort());
    expect([...refused].filter((status) => status !== 503)).toEqual([]);
    await stack.api.start();
  },
  TEST_LIMIT_MS,
);

/**
 * Sends each request several times at once, under one key, until it is answered. Resolves to the ids in the answers.
 */
async function sendOneByOne(org: FaultOrg, addresses: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const to_email of addresses) {
    const key = randomUUID();
    const body = {
      from_email: 'hello@example.org',
      recipients: [{ to_email }],
      fallback_email_subject: 'once',
      fallback_email_body: 'Hello',
    };
    const answers = await Promise.all([1, 2].map(() => org.post('/email', body, key)));
    const [first, second] = answers.map((answer) => answer.body.data[0].id);
    expect(second).toBe(first);
    ids.push(first);
  }
  return ids;
}
