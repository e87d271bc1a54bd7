import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { toRoundFailure } from '../../activities/failures.ts';
import {
  CLOSE_TICKET_LATER,
  HAND_OFF_SESSION,
  REOPEN_TICKET_LATER,
  SYNC_CRM_THREAD,
  SYNC_CRM_TICKET,
} from '../../src/crm/contract.ts';
import { findTestServer } from '../../src/dev/temporal-programs.ts';
import { notFound } from '../../src/errors.ts';
import { CrmError } from '../../src/providers/crm/errors.ts';
import type { WorkflowContract } from '../../src/temporal/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { failureInterceptor } from '../../worker/interceptors/failure.ts';
import { testWorkflowBundle } from '../support/stack/servers.ts';
import { installRuntime } from '../support/stack/temporal-runtime.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const QUEUE = 'crm-workflow-tests';
/** Tolerance of a wait: real time passes between the skips. */
const SLACK_MS = 5 * SECOND;

type Wake = () => Promise<void>;
/** Results of an activity's attempts, in turn; the last one repeats. */
type Script = ((wake: Wake, given: { part?: string }) => unknown)[];
type Attempt = [name: string, waitMs: number];

const nothing = { hasMore: false, waitMs: 0, unsent: 0 };
const unsent = { ...nothing, unsent: 1 };
const away = (): never => {
  throw new CrmError('HubSpot answered (503): away', { transient: true, status: 503 });
};
const refused = (): never => {
  throw notFound('session');
};
const times = (count: number, script: Script[number]): Script => Array.from({ length: count }, () => script);
const woken =
  (result: unknown): Script[number] =>
  async (wake) => {
    await wake();
    return result;
  };
/** The retries of a round, after its first attempt. */
const retries = (name: string): Attempt[] => [1, 2, 4].map((seconds) => [name, seconds * SECOND]);
const namesOf = (tries: Attempt[]) => tries.map(([name]) => name);

/** Histories of thousands of events run only in the long tier. */
const inLongTier = process.env.TEST_TIER === 'long' ? it : it.skip;

describe('CRM workflows, in skipped time', () => {
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

  /**
   * Runs a workflow to its end. Returns the attempts of activities, each with the time since the one before it, and the
   * number of events of its first run.
   */
  const run = async <Input extends object>(
    contract: WorkflowContract<Input>,
    inputOf: (id: string) => Input,
    scripts: Record<string, Script>,
    during: (wake: Wake) => Promise<void> = async () => undefined,
  ) => {
    const tries: Attempt[] = [];
    const input = inputOf(String(++serial));
    const handle = environment.client.workflow.getHandle(contract.workflowId(input));
    const wake = () => handle.signal(WAKE);
    let last = await environment.currentTimeMs();
    const tryOf = (name: string, script: Script) => async (given: { part?: string }) => {
      const now = await environment.currentTimeMs();
      tries.push([given.part === undefined ? name : `${name} ${given.part}`, now - last]);
      last = now;
      const made = tries.filter(([tried]) => tried.startsWith(name)).length;
      return script[Math.min(made, script.length) - 1]?.(wake, given);
    };
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue: QUEUE,
      workflowBundle: testWorkflowBundle(),
      activities: Object.fromEntries(Object.entries(scripts).map(([name, script]) => [name, tryOf(name, script)])),
      interceptors: { activity: [failureInterceptor] },
    });
    const { result, runId } = await worker.runUntil(async () => {
      const started = await environment.client.workflow.signalWithStart(contract.type, {
        workflowId: contract.workflowId(input),
        taskQueue: QUEUE,
        args: [input],
        signal: WAKE,
      });
      await during(wake);
      return { result: await started.result(), runId: started.signaledRunId };
    });
    const { events } = await environment.client.workflow.getHandle(contract.workflowId(input), runId).fetchHistory();
    return { tries, result, events: events?.length ?? 0 };
  };
  const follow = (
    scripts: Record<'syncThread' | 'postNextThreadMessage', Script>,
    during?: (wake: Wake) => Promise<void>,
  ) => run(SYNC_CRM_THREAD, (threadId) => ({ orgId: 'org', threadId }), scripts, during);
  const followTicket = (syncTicket: Script, during?: (wake: Wake) => Promise<void>) =>
    run(SYNC_CRM_TICKET, (ticketId) => ({ orgId: 'org', ticketId }), { syncTicket }, during);
  /** Hands off a session. Its summary, the first activity of each, is left out of the attempts. */
  const bring = async (scripts: Record<string, Script>, during?: (wake: Wake) => Promise<void>) => {
    const { tries, ...ended } = await run(
      HAND_OFF_SESSION,
      (sessionId) => ({ orgId: 'org', sessionId, n: 1 }),
      { summarizeSession: [() => 'none'], parkHandoffPart: [() => undefined], ...scripts },
      during,
    );
    return { ...ended, tries: tries.filter(([name]) => name !== 'summarizeSession') };
  };
  const close = (closeTicket: Script, during?: (wake: Wake) => Promise<void>) =>
    run(CLOSE_TICKET_LATER, (sessionId) => ({ orgId: 'org', sessionId, n: 1 }), { closeTicket }, during);

  const reopen = (reopenTicket: Script, during?: (wake: Wake) => Promise<void>) =>
    run(REOPEN_TICKET_LATER, (sessionId) => ({ orgId: 'org', sessionId }), { reopenTicket }, during);

  const expectTries = (tries: Attempt[], expected: Attempt[]) => {
    expect(namesOf(tries)).toEqual(namesOf(expected));
    for (const [n, [, wait]] of tries.entries())
      expect(Math.abs(wait - (expected[n]?.[1] ?? 0))).toBeLessThan(SLACK_MS);
  };

  describe('syncCrmThread', () => {
    it('reads all events, posts message after message, and ends', async () => {
      const { tries } = await follow({
        syncThread: [() => ({ ...nothing, hasMore: true }), () => unsent],
        postNextThreadMessage: [() => 1, () => 0],
      });
      expect(namesOf(tries)).toEqual(['syncThread', 'syncThread', 'postNextThreadMessage', 'postNextThreadMessage']);
    });

    it('keeps its history short in the common cases', async () => {
      expect((await follow({ syncThread: [() => nothing], postNextThreadMessage: [] })).events).toBe(12);
      expect((await follow({ syncThread: [() => unsent], postNextThreadMessage: [() => 0] })).events).toBe(18);
    });

    it('retries three times, after 1, 2 and 4 s, and repeats such rounds every 15 minutes, for ten hours', async () => {
      const rounds = 40;
      const { tries, events } = await follow({
        syncThread: [...times(4 * rounds, away), () => nothing],
        postNextThreadMessage: [() => 0],
      });
      const reads = tries.filter(([name]) => name === 'syncThread');
      expect(reads).toHaveLength(4 * rounds + 1);
      expectTries(tries.slice(0, 9), [
        ['syncThread', 0],
        ...retries('syncThread'),
        ['postNextThreadMessage', 0],
        ['syncThread', 15 * MINUTE],
        ...retries('syncThread'),
      ]);
      const took = tries.reduce((sum, [, wait]) => sum + wait, 0);
      expect(took / HOUR).toBeCloseTo(10 + (7 * rounds) / 3600, 0);
      expect(events).toBeLessThan(1_000);
    });

    it('posts while reading fails, and reads while posting fails', async () => {
      const deaf = await follow({
        syncThread: [...times(4, away), () => nothing],
        postNextThreadMessage: [() => 1, () => 0],
      });
      expectTries(deaf.tries, [
        ['syncThread', 0],
        ...retries('syncThread'),
        ['postNextThreadMessage', 0],
        ['postNextThreadMessage', 0],
        ['syncThread', 15 * MINUTE],
      ]);
      const dumb = await follow({ syncThread: [() => unsent], postNextThreadMessage: [...times(4, away), () => 0] });
      expectTries(dumb.tries, [
        ['syncThread', 0],
        ['postNextThreadMessage', 0],
        ...retries('postNextThreadMessage'),
        ['syncThread', 15 * MINUTE],
        ['postNextThreadMessage', 0],
      ]);
    });

    it('waits for the retry delay set by HubSpot', async () => {
      const busy = (): never => {
        throw new CrmError('HubSpot answered (429)', { transient: true, status: 429, retryAfterMs: 90 * SECOND });
      };
      const { tries } = await follow({ syncThread: [busy, () => nothing], postNextThreadMessage: [] });
      expectTries(tries, [
        ['syncThread', 0],
        ['syncThread', 90 * SECOND],
      ]);
    });

    it('reads once more when a signal arrives while it reads, posts, waits for an e-mail, or fails', async () => {
      const reading = await follow({ syncThread: [woken(nothing), () => nothing], postNextThreadMessage: [] });
      expect(namesOf(reading.tries)).toEqual(['syncThread', 'syncThread']);
      const saying = await follow({ syncThread: [() => unsent, () => nothing], postNextThreadMessage: [woken(0)] });
      expect(namesOf(saying.tries)).toEqual(['syncThread', 'postNextThreadMessage', 'syncThread']);
      const waiting = await follow(
        { syncThread: [() => ({ ...nothing, waitMs: 5_000 }), () => nothing], postNextThreadMessage: [] },
        (wake) => wake(),
      );
      expect(waiting.tries.length).toBeGreaterThanOrEqual(2);
      const failing = await follow({
        syncThread: [...times(3, away), (wake) => wake().then(away), () => nothing],
        postNextThreadMessage: [() => 0],
      });
      expect(namesOf(failing.tries)).toEqual([
        ...namesOf(times(4, away).map(() => ['syncThread', 0])),
        'postNextThreadMessage',
        'syncThread',
      ]);
      expect(failing.tries.at(-1)?.[1]).toBeLessThan(SLACK_MS);
    });

    it('misses no event queued while it ends', async () => {
      const input = { orgId: 'org', threadId: `ending-${++serial}` };
      let [queued, settled] = [0, 0];
      const worker = await Worker.create({
        connection: environment.nativeConnection,
        taskQueue: QUEUE,
        workflowBundle: testWorkflowBundle(),
        activities: {
          syncThread: () => {
            settled = queued;
            return nothing;
          },
        },
      });
      await worker.runUntil(async () => {
        for (let n = 0; n < 200; n++) {
          queued++;
          await environment.client.workflow.signalWithStart(SYNC_CRM_THREAD.type, {
            workflowId: SYNC_CRM_THREAD.workflowId(input),
            taskQueue: QUEUE,
            args: [input],
            signal: WAKE,
          });
          if (n % 10 === 9) await environment.client.workflow.getHandle(SYNC_CRM_THREAD.workflowId(input)).result();
        }
      });
      expect(settled).toBe(queued);
    });

    it('continues at once when a signal arrives during its wait', async () => {
      const { tries } = await follow(
        { syncThread: [...times(4, away), () => nothing], postNextThreadMessage: [() => 0] },
        async (wake) => {
          await environment.sleep('2 minutes');
          await wake();
        },
      );
      expect(namesOf(tries).slice(4)).toEqual(['postNextThreadMessage', 'syncThread']);
      expect(tries.at(-1)?.[1]).toBeLessThan(3 * MINUTE);
    });

    inLongTier('continues as new after many events or messages, without losing any', async () => {
      const crowded = await follow({
        syncThread: [...times(720, () => ({ ...nothing, hasMore: true })), () => nothing],
        postNextThreadMessage: [],
      });
      expect(crowded.tries).toHaveLength(721);
      expect(crowded.events).toBeLessThan(4_200);
      const talkative = await follow({
        syncThread: [() => unsent, () => unsent, () => nothing],
        postNextThreadMessage: [...times(720, () => 1), () => 0],
      });
      expect(talkative.tries.filter(([name]) => name === 'postNextThreadMessage')).toHaveLength(721);
      expect(talkative.events).toBeLessThan(4_200);
    });

    it('fails if reading is refused permanently', async () => {
      await expect(follow({ syncThread: [refused], postNextThreadMessage: [() => 0] })).rejects.toThrow();
    });
  });

  describe('syncCrmTicket', () => {
    it('reads all events, reads again after a signal, and keeps its history short', async () => {
      const { tries } = await followTicket([() => ({ hasMore: true, waitMs: 0 }), woken(nothing), () => nothing]);
      expect(tries).toHaveLength(3);
      expect((await followTicket([() => nothing])).events).toBe(12);
    });

    it('repeats rounds of four attempts every 15 minutes, or at once after a signal', async () => {
      const { tries } = await followTicket([...times(4 * 40, away), () => nothing]);
      expect(tries).toHaveLength(161);
      expectTries(tries.slice(0, 5), [['syncTicket', 0], ...retries('syncTicket'), ['syncTicket', 15 * MINUTE]]);
      const early = await followTicket([...times(4, away), () => nothing], async (wake) => {
        await environment.sleep('2 minutes');
        await wake();
      });
      expect(early.tries.at(-1)?.[1]).toBeLessThan(3 * MINUTE);
    });

    inLongTier(
      'continues as new during an outage of weeks',
      async () => {
        const { tries, events } = await followTicket([...times(4 * 340, away), () => nothing]);
        expect(tries.length).toBeGreaterThan(4 * 340);
        expect(events).toBeLessThan(4_200);
      },
      120_000,
    );
  });

  describe('handOffSession', () => {
    const plan = (...pending: string[]) => ({ pending, refused: [] });
    const done = () => 'done';

    it('creates part after part, and keeps its history short', async () => {
      const { tries, events } = await bring({
        planHandoff: [() => plan('contact', 'ticket', 'comment')],
        createHandoffPart: [done],
      });
      expect(namesOf(tries)).toEqual([
        'planHandoff',
        'createHandoffPart contact',
        'createHandoffPart ticket',
        'createHandoffPart comment',
      ]);
      expect(events).toBe(36);
    });

    it('parks a ticket while the CRM is unavailable, and retries it every 15 minutes, for ten hours', async () => {
      const { tries } = await bring({
        planHandoff: [() => plan('ticket', 'comment')],
        createHandoffPart: [...times(4 * 40, away), done],
      });
      expectTries(tries.slice(0, 7), [
        ['planHandoff', 0],
        ['createHandoffPart ticket', 0],
        ...retries('createHandoffPart ticket'),
        ['parkHandoffPart ticket', 0],
        ['createHandoffPart ticket', 15 * MINUTE],
      ]);
      expect(tries.filter(([name]) => name === 'createHandoffPart ticket')).toHaveLength(161);
      expect(tries.filter(([name]) => name === 'parkHandoffPart ticket')).toHaveLength(40);
      expect(tries.at(-1)?.[0]).toBe('createHandoffPart comment');
    });

    it('retries a refused part if the request arrives while a later part is created', async () => {
      let isTicketRefused = true;
      const { tries } = await bring({
        planHandoff: [() => plan('ticket', 'comment'), () => plan('ticket')],
        createHandoffPart: [
          () => 'failed',
          async (wake) => {
            isTicketRefused = false;
            await wake();
            return 'done';
          },
          () => (isTicketRefused ? 'failed' : 'done'),
        ],
      });
      expect(namesOf(tries)).toEqual([
        'planHandoff',
        'createHandoffPart ticket',
        'createHandoffPart comment',
        'planHandoff',
        'createHandoffPart ticket',
      ]);
    });

    it('fails if a part is refused', async () => {
      const failing = {
        planHandoff: [() => plan('contact', 'ticket', 'comment')],
        createHandoffPart: [done, () => 'failed', done],
      };
      await expect(bring(failing)).rejects.toThrow();
    });
  });

  describe('closeTicketLater', () => {
    it('closes the ticket after 15 s, and keeps its history short', async () => {
      const { tries, result, events } = await close([() => 'closed']);
      expect(result).toBe('closed');
      expectTries(tries, [['closeTicket', 15 * SECOND]]);
      expect(events).toBe(17);
    });

    it('repeats rounds of four attempts every 15 minutes', async () => {
      const { tries } = await close([...times(8, away), () => 'reopened']);
      expectTries(tries, [
        ['closeTicket', 15 * SECOND],
        ...retries('closeTicket'),
        ['closeTicket', 15 * MINUTE],
        ...retries('closeTicket'),
        ['closeTicket', 15 * MINUTE],
      ]);
    });
  });

  it('waits as long as the CRM asks for instead of a round', async () => {
    const askedToWait = (): never => {
      const pause = { transient: true, status: 429, retryAfterMs: HOUR };
      throw toRoundFailure(new CrmError('HubSpot answered 429', pause));
    };
    const { tries } = await close([askedToWait, () => 'closed']);
    expectTries(tries, [
      ['closeTicket', 15 * SECOND],
      ['closeTicket', HOUR],
    ]);
  });

  describe('reopenTicketLater', () => {
    it('reopens the ticket after 15 s, and keeps its history short', async () => {
      const { tries, result, events } = await reopen([() => 'open']);
      expect(result).toBe('open');
      expectTries(tries, [['reopenTicket', 15 * SECOND]]);
      expect(events).toBe(17);
    });

    it('looks again if the session was reopened once more meanwhile', async () => {
      const { tries } = await reopen([woken('closed'), () => 'open']);
      expectTries(tries, [
        ['reopenTicket', 15 * SECOND],
        ['reopenTicket', 15 * SECOND],
      ]);
    });
  });
});
