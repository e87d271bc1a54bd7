import { forEachConcurrently } from '../../src/concurrency/limited.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { KILLS, RUNS_OF_JOB, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const STARTS_AT_ONCE = 10;

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, TEST_LIMIT_MS);
afterAll(() => stack.close());

it(
  'a job over a filter retries each failed run once when the worker is killed in the middle of it',
  async () => {
    const org = await stack.newOrg();
    const lost = {
      $kind: 'Action',
      id: 'lost',
      type: 'add-note',
      name: 'Lost',
      input: { session_id: NOWHERE, text: 'x' },
    };
    const definition = { name: 'Fails', trigger_type: 'manual-trigger', workflow_blocks: [lost] };
    const { workflow_id: id } = (await org.post('/workflows', definition)).body;
    await org.post(`/workflows/${id}/activate`, {});
    const count = async (status: string): Promise<number> =>
      (await org.call('GET', `/runs/stats?workflow_id=${id}`)).body.total[status];
    await forEachConcurrently(
      Array.from({ length: RUNS_OF_JOB }, (_, n) => n),
      STARTS_AT_ONCE,
      async () => {
        expect((await org.post(`/workflows/${id}/trigger`, {})).status).toBe(200);
      },
    );
    await until('all runs to fail', async () => (await count('failed')) === RUNS_OF_JOB);

    const query = { workflow_id: id, status: 'failed' };
    const { body: job } = await org.post('/runs/bulk', { query, action: { type: 'retry', reason: 'once' } });
    expect(job.total).toBe(RUNS_OF_JOB);
    const progress = async () => (await org.call('GET', `/jobs/${job.job_id}`)).body;
    let interrupted = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const share = Math.floor((RUNS_OF_JOB * kill) / (KILLS + 2));
      await until(`${share} runs`, async () => (await progress()).done >= share);
      await stack.worker.kill();
      if ((await progress()).state === 'running') interrupted++;
      await stack.worker.start();
    }
    await until('the end of the job', async () => (await progress()).state === 'done');
    await until('all runs to fail again', async () => (await count('failed')) === RUNS_OF_JOB);

    expect(interrupted).toBe(KILLS);
    expect(await progress()).toMatchObject({ done: RUNS_OF_JOB, failed: 0 });
    const retries = await stack.db
      .selectFrom('automation_retries')
      .select(({ fn }) => ['run_id', fn.countAll<number>().as('count')])
      .where('reason', '=', 'once')
      .groupBy('run_id')
      .execute();
    expect(retries).toHaveLength(RUNS_OF_JOB);
    expect(retries.filter(({ count: times }) => Number(times) !== 1)).toEqual([]);
  },
  TEST_LIMIT_MS,
);
