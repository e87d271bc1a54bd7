import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { SYNC_MIAW } from '../../src/crm/contract.ts';
import type { MiawFetchResult } from '../../src/crm/salesforce/contract.ts';
import { findTestServer } from '../../src/dev/temporal-programs.ts';
import { notFound } from '../../src/errors.ts';
import { CrmError } from '../../src/providers/crm/errors.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { failureInterceptor } from '../../worker/interceptors/failure.ts';
import { testWorkflowBundle } from '../support/stack/servers.ts';
import { installRuntime } from '../support/stack/temporal-runtime.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const QUEUE = 'miaw-tests';
/** Tolerance of a wait: real time passes between the skips. */
const SLACK_MS = 5 * SECOND;

const nothing: MiawFetchResult = { stored: 0, hasMore: false, isOver: false };
const away = (): never => {
  throw new CrmError('Salesforce answered (503): away', { transient: true, status: 503 });
};

describe('the workflow of a Salesforce conversation, in skipped time', () => {
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

  type Wake = () => Promise<void>;
  interface Script {
    /** Results of an activity's attempts, in turn; the last one repeats. */
    says: ((wake: Wake) => Promise<number> | number)[];
    reads: ((wake: Wake) => Promise<MiawFetchResult> | MiawFetchResult)[];
    during?: (wake: Wake) => Promise<void>;
  }

  /** Runs the workflow to its end. Returns the attempts in their order, each with the time since the one before it. */
  const run = async ({ says, reads, during = async () => undefined }: Script) => {
    const tries: [string, number][] = [];
    const input = { orgId: 'org', sessionId: `session-${++serial}` };
    const handle = environment.client.workflow.getHandle(SYNC_MIAW.workflowId(input));
    const wake = () => handle.signal(WAKE);
    let last = await environment.currentTimeMs();
    const tryOf = async <T>(name: string, script: ((wake: Wake) => Promise<T> | T)[]): Promise<T> => {
      const now = await environment.currentTimeMs();
      tries.push([name, now - last]);
      last = now;
      const made = tries.filter(([tried]) => tried === name).length;
      return (script[Math.min(made, script.length) - 1] as (wake: Wake) => T)(wake);
    };
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue: QUEUE,
      workflowBundle: testWorkflowBundle(),
      activities: {
        sendNextMiawMessage: () => tryOf('say', says),
        fetchMiawMessages: () => tryOf('read', reads),
      },
      interceptors: { activity: [failureInterceptor] },
    });
    await worker.runUntil(async () => {
      const started = await environment.client.workflow.signalWithStart(SYNC_MIAW.type, {
        workflowId: SYNC_MIAW.workflowId(input),
        taskQueue: QUEUE,
        args: [input],
        signal: WAKE,
      });
      await during(wake);
      await started.result();
    });
    return tries;
  };
  const expectTries = (tries: [string, number][], expected: [string, number][]) => {
    expect(tries.map(([name]) => name)).toEqual(expected.map(([name]) => name));
    for (const [n, [, wait]] of tries.entries())
      expect(Math.abs(wait - (expected[n]?.[1] ?? 0))).toBeLessThan(SLACK_MS);
  };

  it('sends message after message, then reads all entries, and ends', async () => {
    const tries = await run({
      says: [() => 2, () => 1, () => 0],
      reads: [() => ({ ...nothing, hasMore: true }), () => nothing],
    });
    expect(tries.map(([name]) => name)).toEqual(['say', 'say', 'say', 'read', 'say', 'read']);
  });

  it('retries three times, after 1, 2 and 4 s, and repeats such rounds every 15 minutes', async () => {
    const round: [string, number][] = [
      ['say', 1 * SECOND],
      ['say', 2 * SECOND],
      ['say', 4 * SECOND],
      ['read', 0],
    ];
    const tries = await run({ says: [...Array.from({ length: 8 }, () => away), () => 0], reads: [() => nothing] });
    expectTries(tries, [['say', 0], ...round, ['say', 15 * MINUTE], ...round, ['say', 15 * MINUTE], ['read', 0]]);
  });

  it('continues to send while reading fails', async () => {
    const tries = await run({ says: [() => 0], reads: [...Array.from({ length: 4 }, () => away), () => nothing] });
    expectTries(tries, [
      ['say', 0],
      ['read', 0],
      ['read', 1 * SECOND],
      ['read', 2 * SECOND],
      ['read', 4 * SECOND],
      ['say', 15 * MINUTE],
      ['read', 0],
    ]);
  });

  it('waits for the retry delay set by Salesforce', async () => {
    const busy = (): never => {
      throw new CrmError('Salesforce answered (429)', { transient: true, status: 429, retryAfterMs: 90 * SECOND });
    };
    expectTries(await run({ says: [busy, () => 0], reads: [() => nothing] }), [
      ['say', 0],
      ['say', 90 * SECOND],
      ['read', 0],
    ]);
  });

  it('starts another round when a signal arrives while it sends or reads', async () => {
    const woken =
      <T>(result: T) =>
      async (wake: Wake) => {
        await wake();
        await wake();
        return result;
      };
    const expected = ['say', 'read', 'say', 'read'];
    const whileSaying = await run({ says: [woken(0), () => 0], reads: [() => nothing] });
    expect(whileSaying.map(([name]) => name)).toEqual(expected);
    const whileReading = await run({ says: [() => 0], reads: [woken(nothing), () => nothing] });
    expect(whileReading.map(([name]) => name)).toEqual(expected);
  });

  it('continues at once when a signal arrives during its wait', async () => {
    const tries = await run({
      says: [...Array.from({ length: 4 }, () => away), () => 0],
      reads: [() => nothing],
      during: async (wake) => {
        await environment.sleep('2 minutes');
        await wake();
      },
    });
    expect(tries.map(([name]) => name)).toEqual(['say', 'say', 'say', 'say', 'read', 'say', 'read']);
    expect(tries.at(-2)?.[1]).toBeLessThan(3 * MINUTE);
  });

  it('fails if sending or reading is refused permanently', async () => {
    const refused = (): never => {
      throw notFound('session');
    };
    await expect(run({ says: [refused], reads: [() => nothing] })).rejects.toThrow();
    await expect(run({ says: [() => 1, () => 0], reads: [refused] })).rejects.toThrow();
  });
});
