import { differingRows } from '../support/stack/org-rows.ts';
import { startStack } from '../support/stack/stack.ts';
import { assignSessions } from './assignment.ts';
import { MAIL_DOMAIN, receiveMails } from './mails.ts';
import { runBacklog, runFew } from './runs.ts';
import type { Traces } from './scenario.ts';
import { holdConversations } from './turns.ts';
import { sendEvents } from './webhooks.ts';

const SCENARIOS = { holdConversations, runBacklog, runFew, sendEvents, assignSessions, receiveMails };
const RECEIVING = { HOST: '127.0.0.1', INBOUND_DOMAIN: MAIL_DOMAIN, INBOUND_SMTP_PORT: '0', DEVELOPMENT: 'true' };
type Name = keyof typeof SCENARIOS;
type Attempt = Record<Name, PromiseSettledResult<Traces>>;

let fast: Attempt;
let slow: Attempt;
beforeAll(async () => {
  fast = await runAll('on');
  slow = await runAll('off');
}, 240_000);

/** Runs all scenarios, each in a separate org, in one stack with fast paths or without. */
async function runAll(FAST_PATHS: 'on' | 'off'): Promise<Attempt> {
  const stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8', FAST_PATHS, ...RECEIVING } });
  try {
    const names = Object.keys(SCENARIOS) as Name[];
    const backlog = runBacklog(stack);
    // Versions of workflows have numbers by the order of their creation, so one scenario at a time creates some.
    const start = (name: Name) => (name === 'runFew' ? backlog.then(() => runFew(stack)) : SCENARIOS[name](stack));
    const results = await Promise.allSettled(names.map((name) => (name === 'runBacklog' ? backlog : start(name))));
    return Object.fromEntries(names.map((name, place) => [name, results[place]])) as Attempt;
  } finally {
    await stack.close();
  }
}

function tracesIn(attempt: Attempt, name: Name): Traces {
  const result = attempt[name];
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

describe('the same rows, history, webhooks and answers are left', () => {
  it.each<[string, Name, unknown, unknown]>([
    [
      'by turns of the AI with a workflow and without',
      'holdConversations',
      { areAllByWorkflow: false },
      { areAllByWorkflow: true },
    ],
    ['by runs in a batch and alone', 'runBacklog', { batched: 110, isInline: false }, { batched: 0, isInline: false }],
    [
      'by runs without a workflow and with one',
      'runFew',
      { batched: 0, isInline: true },
      { batched: 0, isInline: false },
    ],
    [
      'by webhooks that are handed over and those that are read',
      'sendEvents',
      { areMostRead: false },
      { areMostRead: true },
    ],
    [
      'by e-mails that are processed at once and by workflows',
      'receiveMails',
      { areAllByWorkflow: false },
      { areAllByWorkflow: true },
    ],
    ['by assignments after a commit and by the workflow', 'assignSessions', undefined, undefined],
  ])('%s', (_, name, fastPath, slowPath) => {
    const [left, right] = [tracesIn(fast, name), tracesIn(slow, name)];
    expect(left.path).toEqual(fastPath);
    expect(right.path).toEqual(slowPath);
    expect(right.answers).toEqual(left.answers);
    expect(differingRows(left.rows, right.rows)).toEqual({});
  });
});
