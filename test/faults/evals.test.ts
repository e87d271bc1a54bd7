import { setTimeout as sleep } from 'node:timers/promises';
import { ARTICLES, QUESTION } from '../ai/answering-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

/** The number of cases. Every second one is wrong on purpose. */
const CASES = 200;
/** Programs that start beside other tests take their time. */
const END_LIMIT_MS = 180_000;

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, TEST_LIMIT_MS);
afterAll(() => stack.close());

it(
  'every case of an eval run gets one result, counted once, when worker, Postgres and Temporal are killed',
  async () => {
    const org = await stack.newOrg();
    await org.call('PUT', '/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles: ARTICLES }] });
    const rows = Array.from(
      { length: CASES },
      (_, nth) => `Case ${nth},"${QUESTION}",${nth % 2 ? 'asked' : 'answered'}`,
    );
    await org.call('POST', '/autopilot/evals/import', { csv: ['name,message,ends', ...rows].join('\n') });
    const { body: run } = await org.call('POST', '/autopilot/evals/runs', {});

    const atKills: number[] = [];
    for (const program of [stack.worker, stack.postgres, stack.worker, stack.temporal]) {
      await sleep(150 + Math.random() * 500);
      atKills.push((await org.call('GET', `/autopilot/evals/runs/${run.id}`)).body.passed);
      await program.kill();
      await program.start();
    }
    const shown = () => org.call('GET', `/autopilot/evals/runs/${run.id}`);
    await until('the run has ended', async () => (await shown()).body.state === 'done', END_LIMIT_MS);
    const { body: done } = await shown();
    expect(done).toMatchObject({ cases: CASES, passed: CASES / 2, failed: CASES / 2, state: 'done' });
    const states = done.results.map(({ state }: { state: string }) => state);
    expect(states).toEqual(rows.map((_, nth) => (nth % 2 ? 'failed' : 'passed')));
    expect(atKills[0]).toBeLessThan(CASES / 2);
  },
  TEST_LIMIT_MS,
);
