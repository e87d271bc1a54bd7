import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCallLimit } from '../../../src/automations/runs/pacing/call-limit.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate } from '../../support/triggers.ts';

/** More than the tasks of workflows that one worker does at once. */
const HANGING_RUNS = 30;
/** A call that hangs takes longer by far. */
const QUICK_MS = 20_000;

let stack: Stack;
let shop: { url: string; hanging: () => number; odd: () => number; close: () => Promise<void> };
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8', FAST_PATHS: 'off' } });
  shop = await startShop();
});
afterAll(async () => {
  await shop.close();
  await stack.close();
});

/** Another system that never answers at /hang, at /odd with a name that Postgres rejects, and at once elsewhere. */
async function startShop() {
  let hanging = 0;
  let odd = 0;
  const server = createServer((request, response) => {
    if (request.url === '/hang') hanging++;
    else if (request.url === '/odd') response.writeHead(200).end(`{"a\\u0000b":${++odd}}`);
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hanging: () => hanging,
    odd: () => odd,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const call = (path: string) => ({
  $kind: 'Action',
  id: 'call',
  type: 'send-webhook',
  name: 'Call',
  input: { url: `${shop.url}/${path}`, method: 'POST' },
  retry: { attempts: 1 },
});
const again = (path: string) => ({ ...call(path), id: 'again' });
const manual = (org: TestOrg, workflow_blocks: object[]) =>
  activate(org, { trigger_type: 'manual-trigger', workflow_blocks });
const trigger = async (org: TestOrg, id: string): Promise<string> =>
  (await org.post(`/workflows/${id}/trigger`, { input: {} })).body.run_id;
const completed = (org: TestOrg, id: string, runId: string) =>
  eventually('the end of a run', async () => {
    const run = (await org.get(`/workflows/${id}/runs/${runId}`)).body;
    return run.status === 'completed' && run;
  });

it('does its first steps in one task of its workflow, which begins where it was started', async () => {
  const { id } = await manual(stack.org, [call('quick'), again('quick')]);
  // While a machine is very busy, a run may begin elsewhere or need a second task.
  await eventually('a run in one task', async () => {
    const runId = await trigger(stack.org, id);
    await completed(stack.org, id, runId);
    const handle = stack.temporal.workflow.getHandle(`workflow-run/${runId}`);
    await handle.result();
    const { events } = await handle.fetchHistory();
    const tasks = events?.filter((event) => event.workflowTaskCompletedEventAttributes).length;
    const activities = events?.filter((event) => event.activityTaskScheduledEventAttributes).length;
    const isEager = events?.[0]?.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted;
    return isEager === true && tasks === 1 && activities === 0;
  });
});

it('a call whose answer has a name that Postgres rejects is made once, and its answer is the output', async () => {
  const { id } = await manual(stack.org, [call('odd')]);
  const { steps } = await completed(stack.org, id, await trigger(stack.org, id));
  expect(steps).toMatchObject([{ status: 'completed', attempts: 1, output: { status: 200, body: { ab: 1 } } }]);
  expect(shop.odd()).toBe(1);
});

it('calls that hang leave the runs of other orgs quick', async () => {
  const hang = await manual(stack.org, [call('hang')]);
  const quick = await manual(stack.other, [call('quick'), again('quick')]);
  for (let n = 0; n < HANGING_RUNS; n++) await trigger(stack.org, hang.id);
  await eventually('all calls', async () => shop.hanging() === HANGING_RUNS);
  const begun = performance.now();
  await completed(stack.other, quick.id, await trigger(stack.other, quick.id));
  expect(performance.now() - begun).toBeLessThan(QUICK_MS);
});

it('limits the calls of all orgs together and of each', () => {
  const limit = createCallLimit({ atOnce: 3, perOrg: 2 });
  const [first, second] = [limit.reserve('a'), limit.reserve('a')];
  expect(limit.reserve('a')).toBeUndefined();
  const third = limit.reserve('b');
  expect([second, third]).toEqual([expect.any(Function), expect.any(Function)]);
  expect(limit.reserve('c')).toBeUndefined();
  first?.();
  expect(limit.reserve('c')).toBeDefined();
  expect(limit.reserve('a')).toBeUndefined();
});
