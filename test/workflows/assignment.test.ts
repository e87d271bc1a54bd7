import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import {
  ASSIGN_WAITING_SESSIONS,
  type AssignmentInput,
  type AssignmentProgress,
} from '../../src/conversations/assignment/contract.ts';
import { findTestServer } from '../../src/dev/temporal-programs.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { testWorkflowBundle } from '../support/stack/servers.ts';
import { installRuntime } from '../support/stack/temporal-runtime.ts';

const HOUR = 60 * 60 * 1000;
const QUEUE = 'assignment-tests';
/** Tolerance of a wait: real time passes between the skips. */
const SLACK_MS = 5_000;

const nothing: AssignmentProgress = { assigned: 0, hasMore: false, opensInMs: null };

describe('the assignment workflow, in skipped time', () => {
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
  type Batch = (look: Look) => Promise<AssignmentProgress> | AssignmentProgress;

  /**
   * Runs the workflow to its end. Each batch returns the next scripted result; the last one repeats. Returns the time
   * before each batch.
   */
  const run = async (batches: Batch[], during: (look: Look) => Promise<void> = async () => undefined) => {
    const looks: number[] = [];
    const input = { orgId: `org-${++serial}` };
    const look = () => environment.client.workflow.getHandle(ASSIGN_WAITING_SESSIONS.workflowId(input)).signal(WAKE);
    const assignBatch = async ({ orgId }: AssignmentInput) => {
      expect(orgId).toBe(input.orgId);
      looks.push(await environment.currentTimeMs());
      return (batches[Math.min(looks.length, batches.length) - 1] as Batch)(look);
    };
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue: QUEUE,
      workflowBundle: testWorkflowBundle(),
      activities: { assignBatch },
    });
    const startedAt = await environment.currentTimeMs();
    await worker.runUntil(async () => {
      const started = await environment.client.workflow.signalWithStart(ASSIGN_WAITING_SESSIONS.type, {
        workflowId: ASSIGN_WAITING_SESSIONS.workflowId(input),
        taskQueue: QUEUE,
        args: [input],
        signal: WAKE,
      });
      await during(look);
      await started.result();
    });
    return looks.map((at, n) => at - (looks[n - 1] ?? startedAt));
  };
  const expectWaits = (waits: number[], expected: number[]) => {
    expect(waits).toHaveLength(expected.length);
    for (const [n, wait] of waits.entries()) expect(Math.abs(wait - (expected[n] ?? 0))).toBeLessThan(SLACK_MS);
  };

  it('assigns batch after batch while there are more, then ends', async () => {
    const full = () => ({ assigned: 50, hasMore: true, opensInMs: null });
    expectWaits(await run([full, full, () => nothing]), [0, 0, 0]);
  });

  it('sleeps until office hours begin, over a weekend and over months', async () => {
    const closedFor = (hours: number) => () => ({ ...nothing, opensInMs: hours * HOUR });
    expectWaits(await run([closedFor(63), closedFor(2000), () => nothing]), [0, 63 * HOUR, 2000 * HOUR]);
  });

  it('checks again when a signal arrives during its sleep', async () => {
    const waits = await run([() => ({ ...nothing, opensInMs: 63 * HOUR }), () => nothing], async (look) => {
      await environment.sleep(2 * HOUR);
      await look();
    });
    expectWaits(waits, [0, 2 * HOUR]);
  });

  it('checks again when a signal arrives during a batch', async () => {
    const late: Batch = async (look) => {
      await look();
      return nothing;
    };
    expectWaits(await run([late, () => nothing]), [0, 0]);
  });

  it('continues as new after many batches, without losing any', async () => {
    const one = () => ({ assigned: 1, hasMore: true, opensInMs: null });
    expect(await run([...Array.from({ length: 210 }, () => one), () => nothing])).toHaveLength(211);
  });
});
