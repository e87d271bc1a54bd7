import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { CRAWL, type CrawlInput, type CrawlProgress, type CrawlResult } from '../../src/crawl/contract.ts';
import { findTestServer } from '../../src/dev/temporal-programs.ts';
import { RENDERING, WAKE } from '../../src/temporal/contract.ts';
import { testWorkflowBundle } from '../support/stack/servers.ts';
import { installRuntime } from '../support/stack/temporal-runtime.ts';

const inLongTier = process.env.TEST_TIER === 'long' ? it : it.skip;
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const QUEUE = 'crawl-tests';

const going: CrawlProgress = {
  state: 'running',
  site: 'http://a.example/',
  done: 50,
  queued: 50,
  trouble: null,
  waitMs: 0,
  toRender: 0,
};
const drained: CrawlProgress = { ...going, state: 'drained', queued: 0 };
const done: CrawlResult = { status: 'completed', pages: 50, changed: 50, removed: 0 };

describe('the crawl workflow, in skipped time', () => {
  let environment: TestWorkflowEnvironment;
  let serial = 0;
  beforeAll(async () => {
    installRuntime();
    const path = await findTestServer();
    environment = await TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path } },
    });
  });
  afterAll(() => environment.teardown());

  interface Script {
    /** Result of each batch, in turn; the last one repeats. */
    batches: CrawlProgress[];
    /** Result of each batch in a browser. Without it, no worker serves their queue. */
    rendered?: CrawlProgress;
    finishes?: (CrawlResult | 'requeued')[];
    during?: (wake: () => Promise<void>) => Promise<void>;
  }

  /** Runs the workflow to its end. Returns its activity calls, each with the time since the call before. */
  const run = async ({ batches, rendered, finishes = [done], during = async () => undefined }: Script) => {
    const calls: [string, number][] = [];
    let last = await environment.currentTimeMs();
    const note = async (name: string) => {
      const now = await environment.currentTimeMs();
      calls.push([name, now - last]);
      last = now;
    };
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue: QUEUE,
      workflowBundle: testWorkflowBundle(),
      activities: {
        seedCrawl: () => note('seed'),
        crawlBatch: async ({ batch }: { batch: number }) => {
          await note(`batch ${batch}`);
          return batches[Math.min(batch, batches.length) - 1];
        },
        renderBatch: async ({ batch }: { batch: number }) => {
          await note(`render ${batch} here`);
          return drained;
        },
        finishCrawl: async () => {
          await note('finish');
          return finishes.length > 1 ? finishes.shift() : finishes[0];
        },
      },
    });
    const browser =
      rendered &&
      (await Worker.create({
        connection: environment.nativeConnection,
        taskQueue: RENDERING,
        activities: {
          renderBatch: async ({ batch }: { batch: number }) => {
            await note(`render ${batch}`);
            return rendered;
          },
        },
      }));
    const rendering = browser?.run();
    const input: CrawlInput = { orgId: 'org', datasourceId: 'datasource', jobId: `job-${++serial}` };
    const result = await worker.runUntil(async () => {
      const handle = await environment.client.workflow.start(CRAWL.type, {
        workflowId: CRAWL.workflowId(input),
        taskQueue: QUEUE,
        args: [input],
      });
      await during(() => handle.signal(WAKE));
      return handle.result();
    });
    browser?.shutdown();
    await rendering;
    return { calls, names: calls.map(([name]) => name), result };
  };

  it('seeds the queue, fetches batch after batch until the queue is empty, and finishes', async () => {
    const { names, result } = await run({ batches: [going, going, drained] });
    expect(names).toEqual(['seed', 'batch 1', 'batch 2', 'batch 3', 'finish']);
    expect(result).toEqual(done);
  });

  it('waits for the delay requested by a host', async () => {
    const { calls } = await run({ batches: [{ ...going, waitMs: HOUR, trouble: 'a.example: 429' }, drained] });
    const [, , [name, waited] = ['', 0]] = calls;
    expect(name).toBe('batch 2');
    expect(Math.abs(waited - HOUR)).toBeLessThan(2 * SECOND);
  });

  it('continues at once when a signal arrives during its wait', async () => {
    const { calls } = await run({
      batches: [{ ...going, waitMs: HOUR }, drained],
      during: async (wake) => {
        await environment.sleep('1 minute');
        await wake();
      },
    });
    expect(calls.find(([name]) => name === 'batch 2')?.[1]).toBeLessThan(0.5 * HOUR);
  });

  it('waits without a time limit while its datasource is paused', async () => {
    const { calls } = await run({
      batches: [{ ...going, state: 'paused' }, drained],
      during: async (wake) => {
        await environment.sleep('100 days');
        await wake();
      },
    });
    expect(calls.find(([name]) => name === 'batch 2')?.[1]).toBeGreaterThan(90 * 24 * HOUR);
  });

  it('continues if its queue was filled again while it finished', async () => {
    const { names } = await run({ batches: [drained], finishes: ['requeued', done] });
    expect(names).toEqual(['seed', 'batch 1', 'finish', 'batch 2', 'finish']);
  });

  it('renders pages where browsers are, between two batches', async () => {
    const { names } = await run({ batches: [{ ...going, toRender: 3 }, drained], rendered: going });
    expect(names).toEqual(['seed', 'batch 1', 'render 1', 'batch 2', 'finish']);
  });

  // The server skips no time while an activity waits for a worker.
  inLongTier(
    'leaves pages to the worker of crawls if no worker with a browser takes them within 15 minutes',
    async () => {
      const { calls } = await run({
        batches: [{ ...going, toRender: 3 }],
        during: () => environment.sleep('16 minutes'),
      });
      expect(calls.map(([name]) => name)).toEqual(['seed', 'batch 1', 'render 1 here', 'finish']);
      expect(calls[2]?.[1]).toBeGreaterThan(14 * 60 * SECOND);
    },
  );

  it('ends without finishing if the crawl was cancelled', async () => {
    const { names, result } = await run({ batches: [going, { ...going, state: 'ended' }] });
    expect(names).toEqual(['seed', 'batch 1', 'batch 2']);
    expect(result).toMatchObject({ status: 'ended' });
  });

  it('continues as new every 100 batches, and seeds only once', async () => {
    const { names } = await run({ batches: [...Array.from({ length: 249 }, () => going), drained] });
    expect(names).toEqual(['seed', ...Array.from({ length: 250 }, (_, index) => `batch ${index + 1}`), 'finish']);
    const handle = environment.client.workflow.getHandle(
      CRAWL.workflowId({ orgId: '', datasourceId: 'datasource', jobId: `job-${serial}` }),
    );
    const { events = [] } = await handle.fetchHistory();
    expect(events?.length).toBeLessThan(700);
  });
});
