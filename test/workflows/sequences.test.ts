import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { findTestServer } from '../../src/dev/temporal-programs.ts';
import { RUN_SEQUENCE, type SequenceProgress, type SequenceRef } from '../../src/sequences/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { testWorkflowBundle } from '../support/stack/servers.ts';
import { installRuntime } from '../support/stack/temporal-runtime.ts';

const DAY = 24 * 60 * 60 * 1000;
const QUEUE = 'workflow-tests';

const progress = (more: Partial<SequenceProgress>): SequenceProgress => ({
  state: 'active',
  name: 'Welcome',
  lastStep: null,
  batch: { sent: 0, failed: 0, skipped: 0, unknown: 0 },
  hasMore: false,
  nextDueInMs: null,
  ...more,
});
const sent = (count: number) => ({ sent: count, failed: 0, skipped: 0, unknown: 0 });
const ended = progress({ state: 'ended' });

describe('the sequence workflow, in skipped time', () => {
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

  /** Runs the workflow. Each batch returns the next scripted result; the last one repeats. */
  const run = async (
    script: SequenceProgress[],
    during: (wake: () => Promise<void>) => Promise<void> = async () => undefined,
  ) => {
    const looks: number[] = [];
    const sendDueSteps = async (_: SequenceRef) => {
      looks.push(await environment.currentTimeMs());
      return script[Math.min(looks.length, script.length) - 1] as SequenceProgress;
    };
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue: QUEUE,
      workflowBundle: testWorkflowBundle(),
      activities: { sendDueSteps },
    });
    const input = { orgId: 'org', sequenceId: String(++serial) };
    const totals = await worker.runUntil(async () => {
      const handle = await environment.client.workflow.start(RUN_SEQUENCE.type, {
        workflowId: RUN_SEQUENCE.workflowId(input),
        taskQueue: QUEUE,
        args: [input],
      });
      await during(async () => {
        await handle.signal(WAKE);
      });
      return handle.result();
    });
    return { looks, totals, days: looks.map((at) => Math.round((at - (looks[0] as number)) / DAY)) };
  };

  it('sleeps for months until the day of the next due step', async () => {
    const { days, totals } = await run([
      progress({ batch: sent(3), nextDueInMs: 90 * DAY }),
      progress({ batch: sent(2), nextDueInMs: 365 * DAY }),
      ended,
    ]);
    expect(days).toEqual([0, 90, 455]);
    expect(totals).toEqual(sent(5));
  });

  it('sends the next batch at once while more steps are due', async () => {
    const full = progress({ batch: sent(500), hasMore: true, nextDueInMs: 0 });
    const { days, totals } = await run([full, full, full, ended]);
    expect(days).toEqual([0, 0, 0, 0]);
    expect(totals).toEqual(sent(1500));
  });

  it('checks for due steps when a signal arrives during its sleep', async () => {
    const { days } = await run(
      [progress({ nextDueInMs: 1000 * DAY }), progress({ nextDueInMs: DAY }), ended],
      async (wake) => {
        await environment.sleep('10 days');
        await wake();
      },
    );
    expect(days).toEqual([0, 10, 11]);
  });

  it('waits only for a signal if no step is scheduled or the sequence is paused', async () => {
    const { days } = await run([progress({}), progress({ state: 'paused' }), ended], async (wake) => {
      await environment.sleep('30 days');
      await wake();
      await environment.sleep('30 days');
      await wake();
    });
    expect(days).toEqual([0, 30, 60]);
  });

  it('keeps its totals when it continues as new', async () => {
    const one = progress({ batch: sent(1), hasMore: true, nextDueInMs: 0 });
    const { looks, totals } = await run([...Array.from({ length: 450 }, () => one), ended]);
    expect(looks).toHaveLength(451);
    expect(totals).toEqual(sent(450));
  });
});
