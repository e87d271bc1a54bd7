import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { KILLS, MESSAGES, TEST_LIMIT_MS } from './support/sizes.ts';

const PROBLEM = 'The lamp that I bought in May is broken.';

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, TEST_LIMIT_MS);
afterAll(() => stack.close());

it(
  'every resolved session has its summary, and no open one, when the api and Postgres are killed repeatedly',
  async () => {
    const org = await stack.newOrg();
    const kills = KILLS * 4;
    let done = 0;
    const resolve = async () => {
      for (; done < MESSAGES; done++) {
        const { id } = (await org.post('/chat/sessions', {})).body;
        const message = { type: 'text', text: PROBLEM };
        expect((await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message })).status).toBe(201);
        const change = { status: 'closed_resolved', generate_summary_and_sentiment_on_resolve: true };
        await org.call('PATCH', `/chat/sessions/${id}`, change).catch(() => undefined); // it may have arrived
      }
    };
    const kill = async () => {
      for (let nth = 1; nth <= kills; nth++) {
        while (done < (nth * MESSAGES) / (kills + 1)) await sleep(Math.random() * 10);
        const program = nth % 2 === 0 ? stack.postgres : stack.api;
        await program.kill();
        await program.start();
      }
    };
    await Promise.all([resolve(), kill()]);

    const sessions = await stack.db
      .selectFrom('sessions')
      .select(['status', 'summary', 'summary_by'])
      .where('org_id', '=', org.id)
      .execute();
    const resolved = { status: 'closed_resolved', summary: `Customer: ${PROBLEM}`, summary_by: 'extractive-1' };
    const open = { status: 'open', summary: null, summary_by: null };
    expect(sessions).toEqual(sessions.map(({ status }) => (status === 'open' ? open : resolved)));
    expect(sessions.filter(({ status }) => status !== 'open').length).toBeGreaterThan(0);
  },
  TEST_LIMIT_MS,
);
