import { holdHandoffs, releaseHandoff } from '../../src/automations/handoff-hold/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { activate, expectRunsAsDescribed, listRuns } from '../support/triggers.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const pause = (seconds: number) => ({ $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: seconds / 60 } });

async function handOff(): Promise<string> {
  const { body } = await stack.org.post('/chat/sessions', {});
  expect((await stack.org.post(`/chat/sessions/${body.id}/handoff`, {})).status).toBe(200);
  return body.id;
}
const timesOf = (id: string) =>
  stack.db
    .selectFrom('automation_runs')
    .select(['status', 'created_at', 'run_ended_at'])
    .where('automation_id', '=', id)
    .executeTakeFirstOrThrow();

it('a handoff continues after all workflow runs before it have ended, completed or failed', async () => {
  const slow = await activate(stack.org, { trigger_type: 'pre-ticket-handoff', workflow_blocks: [pause(2)] });
  const broken = await activate(stack.org, {
    trigger_type: 'pre-ticket-handoff',
    workflow_blocks: [
      {
        $kind: 'Action',
        id: 'note',
        type: 'add-note',
        name: 'N',
        input: { session_id: '00000000-0000-4000-8000-000000000000', text: 'x' },
      },
    ],
  });
  const after = await activate(stack.org, { trigger_type: 'ticket-handoff' });
  const session = await handOff();
  const [run] = await eventually('the run after it', async () => {
    const runs = await expectRunsAsDescribed(stack.db, after.id);
    return runs.length > 0 && runs;
  });
  expect(run?.trigger_output.session.id).toBe(session);
  const [before, failed, behind] = await Promise.all([slow, broken, after].map(({ id }) => timesOf(id)));
  expect([before?.status, failed?.status]).toEqual(['completed', 'failed']);
  expect(behind?.created_at.getTime()).toBeGreaterThanOrEqual(before?.run_ended_at?.getTime() ?? Number.NaN);
  const gates = await eventually('the gate to be listed', async () => {
    const found: string[] = [];
    const query = `SubjectId = '${session}' and WorkflowType = 'holdHandoff'`;
    for await (const { workflowId } of stack.temporal.workflow.list({ query })) found.push(workflowId);
    return found.length > 0 && found;
  });
  expect(gates).toEqual([expect.stringContaining(`handoff-hold/${session}/`)]);
  await eventually('the relay', async () => {
    return (await stack.db.selectFrom('outbox').select('id').limit(1).execute()).length === 0;
  });
  expect(await listRuns(stack.db, after.id)).toHaveLength(1);
});

it.each([
  ['canceled', (id: string, run: string) => ['post', `/workflows/${id}/runs/${run}/cancel`] as const],
  ['deleted with its workflow', (id: string) => ['delete', `/workflows/${id}`] as const],
])('a handoff continues at once if the workflow run before it is %s', async (_, requestOf) => {
  const org = await stack.createOrg();
  const endless = await activate(org, { trigger_type: 'pre-ticket-handoff', workflow_blocks: [pause(600)] });
  const after = await activate(org, { trigger_type: 'ticket-handoff' });
  const { body } = await org.post('/chat/sessions', {});
  await org.post(`/chat/sessions/${body.id}/handoff`, {});
  await eventually('the run before it', async () => (await listRuns(stack.db, endless.id)).length === 1);
  expect(await listRuns(stack.db, after.id)).toEqual([]);
  const [run] = await listRuns(stack.db, endless.id);
  const [method, path] = requestOf(endless.id, run?.id ?? '');
  const began = Date.now();
  expect((await org[method](path)).status).toBe(200);
  await eventually('the run after it', async () => (await listRuns(stack.db, after.id)).length === 1);
  expect(Date.now() - began).toBeLessThan(15_000);
});

it('a handoff after a hold keeps the depth of its cause, so handoffs cannot trigger each other endlessly', async () => {
  const org = await stack.createOrg();
  const { id: session } = (await org.post('/chat/sessions', {})).body;
  await org.post(`/chat/sessions/${session}/handoff`, {});
  await eventually('the relay', async () => {
    return (await stack.db.selectFrom('outbox').select('id').limit(1).execute()).length === 0;
  });
  await activate(org, { trigger_type: 'pre-ticket-handoff', workflow_blocks: [pause(600)] });
  const after = await activate(org, { trigger_type: 'ticket-handoff' });
  const told = {
    id: 1,
    org_id: org.id,
    type: 'pre-ticket-handoff',
    subject_id: session,
    payload: { isExternal: false, n: 1 },
  } as const;
  await inTransaction(stack.db, (trx) => holdHandoffs(trx, org.id, [{ ...told, depth: 7, created_at: new Date() }]));
  const { id: holdId } = await stack.db
    .selectFrom('handoff_holds')
    .select('id')
    .where('session_id', '=', session)
    .executeTakeFirstOrThrow();
  await releaseHandoff(stack.db, { orgId: org.id, sessionId: session, holdId });
  const [run] = await eventually('the run after it', async () => {
    const runs = await expectRunsAsDescribed(stack.db, after.id);
    return runs.length > 0 && runs;
  });
  expect(run?.depth).toBe(7);
});
