import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import {
  RECONCILE_SENDS,
  type ReconcileSendsInput,
  type ReconciliationProgress,
} from '../../src/deliveries/contract.ts';
import { findTestServer } from '../../src/dev/temporal-programs.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { testWorkflowBundle } from '../support/stack/servers.ts';
import { installRuntime } from '../support/stack/temporal-runtime.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const QUEUE = 'look-up-tests';
/** Tolerance of a wait: real time passes between the skips. */
const SLACK_MS = 5 * SECOND;

const nothing: ReconciliationProgress = { found: 0, nextInMs: null };

describe('the reconciliation workflow, in skipped time', () => {
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

  type Look = () => Promise<void>;
  interface Script {
    /** Results of the rounds, in turn; the last one repeats. `look` signals the workflow to start another round. */
    rounds: ((look: Look) => Promise<ReconciliationProgress> | ReconciliationProgress)[];
    /** Runs during the workflow. */
    during?: (look: Look) => Promise<void>;
  }

  /** Runs the workflow. `waits` are the times before each round: since the start, then since the round before. */
  const run = async ({ rounds, during = async () => undefined }: Script) => {
    const asked: number[] = [];
    const orgs = new Set<string>();
    const input = { orgId: `org-${++serial}` };
    const handle = () => environment.client.workflow.getHandle(RECONCILE_SENDS.workflowId(input));
    const look = () => handle().signal(WAKE);
    const reconcileBatch = async ({ orgId }: ReconcileSendsInput) => {
      orgs.add(orgId);
      asked.push(await environment.currentTimeMs());
      const round = rounds[Math.min(asked.length, rounds.length) - 1] as Script['rounds'][number];
      return round(look);
    };
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue: QUEUE,
      workflowBundle: testWorkflowBundle(),
      activities: { reconcileBatch },
    });
    const startedAt = await environment.currentTimeMs();
    const result = await worker.runUntil(async () => {
      const started = await environment.client.workflow.signalWithStart(RECONCILE_SENDS.type, {
        workflowId: RECONCILE_SENDS.workflowId(input),
        taskQueue: QUEUE,
        args: [input],
        signal: WAKE,
      });
      await during(look);
      return started.result();
    });
    expect([...orgs]).toEqual([input.orgId]);
    return { result, rounds: asked.length, waits: asked.map((at, i) => at - (asked[i - 1] ?? startedAt)) };
  };
  const expectWaits = (waits: number[], expected: number[]) => {
    expect(waits).toHaveLength(expected.length);
    for (const [i, wait] of waits.entries()) expect(Math.abs(wait - (expected[i] ?? 0))).toBeLessThan(SLACK_MS);
  };

  it('gives providers 5 s to list accepted messages, asks once, and ends if all sends are reconciled', async () => {
    const { result, waits } = await run({ rounds: [() => ({ found: 3, nextInMs: null })] });
    expect(result).toEqual({ found: 3 });
    expectWaits(waits, [5 * SECOND]);
  });

  it('asks again after each delay set by the ledger, and counts the sends found', async () => {
    const { result, waits } = await run({
      rounds: [
        () => ({ found: 1, nextInMs: 10 * SECOND }),
        () => ({ found: 0, nextInMs: 216 * MINUTE }),
        () => ({ found: 2, nextInMs: null }),
      ],
    });
    expect(result).toEqual({ found: 3 });
    expectWaits(waits, [5 * SECOND, 10 * SECOND, 216 * MINUTE]);
  });

  it('asks early about a new lost answer during the wait for an old one', async () => {
    const { waits } = await run({
      rounds: [() => ({ found: 0, nextInMs: 36 * MINUTE }), () => nothing],
      during: async (look) => {
        await environment.sleep(2 * MINUTE);
        await look();
      },
    });
    expectWaits(waits, [5 * SECOND, 2 * MINUTE]); // the signal comes after two minutes, then 5 s pass for the providers
  });

  it('asks again if another answer is lost while it asks', async () => {
    const { waits } = await run({
      rounds: [
        async (look) => {
          await look();
          return nothing;
        },
        () => nothing,
      ],
    });
    expectWaits(waits, [5 * SECOND, 5 * SECOND]);
  });

  it('continues as new after many rounds, without losing any', async () => {
    const more = { found: 1, nextInMs: SECOND };
    const { rounds } = await run({ rounds: [...Array.from({ length: 210 }, () => () => more), () => nothing] });
    expect(rounds).toBe(211);
  });
});
