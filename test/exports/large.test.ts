import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { type Stack, startStack } from '../support/stack/stack.ts';

const SESSIONS = 10_000;
const MESSAGES_PER_SESSION = 100;
const TEXT = 'Where is my order? '.repeat(10);
const MAX_GROWTH_BYTES = 40 * 1024 ** 2;
const TIMEOUT_MS = 900_000;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

interface Job {
  status: string;
  rows: number;
  url: string;
}

/** Waits for a state of an export, for as long as the test may take. */
async function exportOnce(id: string, isReached: (job: Job) => boolean): Promise<Job> {
  for (;;) {
    const { body } = await stack.org.get(`/exports/${id}`);
    if (isReached(body)) return body;
    await sleep(200);
  }
}
const hasEnded = ({ status }: Job) => status !== 'running';

/** Adds a message to each session. Returns the number of them. */
async function addMessages(text: string): Promise<bigint | undefined> {
  const { numAffectedRows } = await sql`
    insert into session_events (org_id, session_id, seq, id, type, sender, content)
    select org_id, id, ${MESSAGES_PER_SESSION + 1}, gen_random_uuid(), 'message', 'contact', ${text}
    from sessions where org_id = ${stack.org.id}
  `.execute(stack.db);
  return numAffectedRows;
}

it(
  'an export of 1,000,000 messages is equal to the tables as they were when it began, in count and checksum, with flat memory',
  async () => {
    const { org, db } = stack;
    await sql`alter table session_events disable trigger user`.execute(db); // the search index takes minutes
    await sql`
      insert into sessions (org_id, id, channel, ticket_number)
      select ${org.id}::uuid, gen_random_uuid(), 'api', n from generate_series(1, ${SESSIONS}) as n
    `.execute(db);
    for (let from = 1; from <= MESSAGES_PER_SESSION; from += 10)
      await sql`
        insert into session_events (org_id, session_id, seq, id, type, sender, content)
        select org_id, id, n, gen_random_uuid(), 'message', 'contact', ${TEXT} || n || ticket_number
        from sessions cross join generate_series(${from}::integer, ${from + 9}::integer) as n where org_id = ${org.id}
      `.execute(db);
    await sql`analyze session_events, sessions`.execute(db);

    const before = liveBytes();
    const peak = { bytes: 0 };
    const timer = setInterval(() => {
      peak.bytes = Math.max(peak.bytes, liveBytes());
    }, 250);
    const { body } = await org.post('/exports', { resource: 'conversations' });
    const begun = await exportOnce(body.id, (job) => job.rows > 0 || hasEnded(job));
    expect([begun.status, await addMessages('too late')]).toEqual(['running', BigInt(SESSIONS)]);
    expect((await org.get(`/exports/${body.id}`)).body.status).toBe('running');
    const job = await exportOnce(body.id, hasEnded);
    clearInterval(timer);
    expect(job).toMatchObject({ status: 'completed', rows: SESSIONS });
    expect(peak.bytes).toBeGreaterThan(0);
    expect(peak.bytes - before).toBeLessThan(MAX_GROWTH_BYTES);

    const { body: file } = await fetch(stack.url + new URL(job.url).pathname);
    const sums = { count: 0, hash: createHash('md5') };
    for await (const line of createInterface(Readable.fromWeb(file as never)))
      for (const { id, event } of JSON.parse(line).history) {
        sums.count++;
        sums.hash.update(`${id}${event.content.text}\n`);
      }
    const table = createHash('md5');
    let after = { session_id: '00000000-0000-0000-0000-000000000000', seq: 0 };
    for (;;) {
      const { rows } = await sql<{ session_id: string; seq: number; id: string; content: string }>`
        select session_id, seq, id, content from session_events
        where org_id = ${org.id} and (session_id, seq) > (${after.session_id}::uuid, ${after.seq}::integer)
          and seq <= ${MESSAGES_PER_SESSION}
        order by session_id, seq limit 10000
      `.execute(db);
      for (const { id, content } of rows) table.update(`${id}${content}\n`);
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last;
    }
    expect(sums.count).toBe(SESSIONS * MESSAGES_PER_SESSION);
    expect(sums.hash.digest('hex')).toBe(table.digest('hex'));
  },
  TIMEOUT_MS,
);

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Returns what is in use once the garbage is collected: how much of it lies around depends on the limits of the process. */
function liveBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
