import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { KILLS, MESSAGES, SESSIONS_OF_JOB, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const SESSIONS = 4;
const PAGE = 200;

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, TEST_LIMIT_MS);
afterAll(() => stack.close());

/** Sends messages in a session, each after the answer to the one before. Returns them in order. */
async function talk(org: FaultOrg, id: string): Promise<string[]> {
  const said: string[] = [];
  for (let n = 0; n < MESSAGES; n++) {
    const text = `${n} of ${id}`;
    const sender = n % 3 === 0 ? 'contact' : 'agent';
    const { status } = await org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text } });
    expect(status).toBe(201);
    said.push(text);
  }
  return said;
}

async function heard(org: FaultOrg, id: string): Promise<string[]> {
  const texts: string[] = [];
  for (let next: string | null = '0'; next !== null; ) {
    const { body } = await org.call('GET', `/chat/sessions/${id}/history?limit=${PAGE}&cursor=${next}`);
    texts.push(...body.items.map(({ event }: { event: { content: { text: string } } }) => event.content.text));
    next = body.next;
  }
  return texts;
}

it.each([
  ['the api', (faults: FaultStack) => faults.api],
  ['Postgres', (faults: FaultStack) => faults.postgres],
])(
  'every accepted message is stored once and in order when %s is killed repeatedly',
  async (_, programOf) => {
    const org = await stack.newOrg();
    const ids = await Promise.all(
      Array.from({ length: SESSIONS }, async () => (await org.post('/chat/sessions', {})).body.id as string),
    );
    let isOver = false;
    const talking = Promise.all(ids.map((id) => talk(org, id))).finally(() => {
      isOver = true;
    });
    let kills = 0;
    for (; kills < KILLS * 2 && !isOver; kills++) {
      await sleep(200 + Math.random() * 300);
      await programOf(stack).kill();
      await programOf(stack).start();
    }
    const said = await talking;
    expect(kills).toBeGreaterThanOrEqual(KILLS);
    expect(await Promise.all(ids.map((id) => heard(org, id)))).toEqual(said);
    const sessions = (await org.call('GET', '/chat/sessions')).body.items as { ticket_number: number }[];
    expect(sessions.map(({ ticket_number }) => ticket_number).sort()).toEqual([1, 2, 3, 4]);
  },
  TEST_LIMIT_MS,
);

/** Of the sessions up to the next kill, with what the last one costs: the timeout of a heartbeat, and pauses that double. */
const PART_LIMIT_MS = TEST_LIMIT_MS / (KILLS + 1);

it(
  'a job changes each session once when the worker is killed in the middle of it',
  async () => {
    const org = await stack.newOrg();
    const ids = new Set<string>();
    for (let n = 0; n < SESSIONS_OF_JOB; n++) ids.add((await org.post('/chat/sessions', {})).body.id);
    const action = { type: 'set_status', status: 'closed_resolved' };
    const { body: job } = await org.post('/chat/sessions/bulk', { query: { status: [0] }, action });
    expect(job.total).toBe(SESSIONS_OF_JOB);

    const progress = async () => (await org.call('GET', `/jobs/${job.job_id}`)).body;
    let interrupted = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const share = Math.floor((SESSIONS_OF_JOB * kill) / (KILLS + 2));
      await until(`${share} sessions`, async () => (await progress()).done >= share, PART_LIMIT_MS);
      await stack.worker.kill();
      if ((await progress()).state === 'running') interrupted++;
      await stack.worker.start();
    }
    await until('the end of the job', async () => (await progress()).state === 'done', PART_LIMIT_MS);

    expect(interrupted).toBe(KILLS);
    expect(await progress()).toMatchObject({ done: SESSIONS_OF_JOB, failed: 0 });
    const moves: number[] = [];
    for (const id of ids) {
      const { body } = await org.call('GET', `/chat/sessions/${id}/history`);
      moves.push(body.items.filter(({ event }: { event: { type: string } }) => event.type === 'status_changed').length);
    }
    expect(moves).toEqual(moves.map(() => 1));
  },
  TEST_LIMIT_MS,
);
