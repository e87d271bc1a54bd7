import fc from 'fast-check';
import type { Json, Step } from '../../src/automations/blocks/schema.ts';
import { until } from '../faults/support/until.ts';
import { definitions, UUID } from '../support/definitions.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';
import { expectedRun } from './run-oracle.ts';

const IS_LONG = process.env.TEST_TIER === 'long';
const RUNS = IS_LONG ? 1_000 : 40;
const MAX_DURATION_MS = IS_LONG ? 1_800_000 : 120_000;
/** Shortens waits of days to fit into a test. */
const SPEED_UP = 100_000;

const HOSTILE_TRIGGER: { [key: string]: Json } = {
  items: [
    { name: '{{trigger.output}}' },
    '__proto__',
    { hasOwnProperty: 'x', toString: null },
    null,
    '{{{{s1.output}}}}',
    'x'.repeat(10_000),
  ],
  anything: '{{s1.output.anything}}',
};

let stack: Stack;
let sink: FakeProvider;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  sink = await startFakeProvider();
});
afterAll(async () => {
  await sink.close();
  await stack.close();
});

/** Returns the same steps with short waits, calls to loopback addresses, and a session for their notes. */
function withShortWaits(steps: unknown, sessionId: string): Step[] {
  return JSON.parse(JSON.stringify(steps), (key, value) => {
    if (key === 'minutes' || key === 'timeout_minutes') return Math.max(value, 1) / SPEED_UP;
    if (key === 'session_id' && value === UUID) return sessionId;
    return value === 'https://example.com/hook' ? `${sink.url}/hook` : value;
  });
}

const ENDED = new Set(['completed', 'failed']);
const statuses = async () =>
  (await stack.db.selectFrom('automation_runs').select('status').execute()).map(({ status }) => status);

async function recordOf(runId: string) {
  const [run, steps] = await Promise.all([
    stack.db
      .selectFrom('automation_runs')
      .select(['status', 'error'])
      .where('id', '=', runId)
      .executeTakeFirstOrThrow(),
    stack.db.selectFrom('automation_steps').select(['path', 'status', 'output']).where('run_id', '=', runId).execute(),
  ]);
  return { ...run, steps };
}

it(
  'every valid definition runs to the end given by its steps, without a failed workflow task',
  async () => {
    const seed = Date.now();
    const wanted = fc.sample(definitions(), { numRuns: RUNS, seed });
    const session = await stack.org.post('/chat/sessions', {});
    const ids = new Map<string, Step[]>();
    for (const { workflow_blocks, ...definition } of wanted) {
      const steps = withShortWaits(workflow_blocks, session.body.id);
      const made = await stack.org.post('/workflows', { name: 'Random', ...definition, workflow_blocks: steps });
      expect([seed, steps, made.status, made.body.message]).toEqual([seed, steps, 201, undefined]);
      const id = made.body.workflow_id;
      await stack.org.post(`/workflows/${id}/activate`, {});
      const { status, body } = await stack.org.post(`/workflows/${id}/trigger`, { input: HOSTILE_TRIGGER });
      expect(status).toBe(200);
      ids.set(body.run_id, steps);
    }
    await until('all runs ended', async () => (await statuses()).every((status) => ENDED.has(status)), MAX_DURATION_MS);
    let workflows = 0;
    const ends = new Set<string>();
    for (const [runId, steps] of ids) {
      const run = await recordOf(runId);
      const { status, error } = run;
      const ended = {
        status,
        failedStep: error?.split(':')[0],
        steps: Object.fromEntries(run.steps.map((step) => [step.path, step.status])),
      };
      expect({ seed, definition: steps, error, ...ended }).toEqual({
        seed,
        definition: steps,
        error,
        ...expectedRun(steps, run.steps, session.body.id),
      });
      ends.add(status);
      const handle = stack.temporal.workflow.getHandle(`workflow-run/${runId}`);
      const history = await handle.fetchHistory().catch(() => undefined);
      if (history === undefined) continue; // a short run that completes without a wait has none
      const failures = (history.events ?? []).flatMap(
        ({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? [],
      );
      expect({ seed, steps, failures }).toEqual({ seed, steps, failures: [] });
      workflows++;
    }
    expect(workflows).toBeGreaterThan(RUNS / 10);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(await statuses()).toHaveLength(RUNS);
    expect([...ends].sort()).toEqual(['completed', 'failed']);
  },
  MAX_DURATION_MS * 2,
);
