import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { settleRun } from '../../../src/ai/calls/workflow-runs.service.ts';
import { wakeTurns } from '../../../src/ai/turns/requests.service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { startFaultyServer } from '../../support/fakes/faulty-server.ts';
import { type FakeModel, quoting, startFakeModel } from '../../support/fakes/model.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate, expectRunsAsDescribed } from '../../support/triggers.ts';
import { messagesOf, newAnsweringOrg, QUESTION } from '../answering-org.ts';

let stack: Stack;
let model: FakeModel;
let shop: Awaited<ReturnType<typeof startFaultyServer>>;
/** What the shop was asked to do. */
let effects: string[];
beforeAll(async () => {
  model = await startFakeModel();
  shop = await startFaultyServer(
    ({ body }) => {
      effects.push(body);
      return { status: 200, body: { booking: 4711 } };
    },
    () => undefined,
  );
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await model.close();
  await shop.close();
});
beforeEach(() => {
  effects = [];
  model.asked.length = 0;
});

const SCHEMA = {
  type: 'object',
  properties: { seats: { type: 'integer', minimum: 1 } },
  required: ['seats'],
  additionalProperties: false,
};
const bookStep = {
  $kind: 'Action',
  id: 'book',
  type: 'send-webhook',
  name: 'Book',
  input: { url: '', method: 'POST', body: { seats: '{{trigger.output.arguments.seats}}' } },
};
const failStep = { ...bookStep, id: 'fail', name: 'Fail', input: { url: 'https://shop.invalid/', method: 'POST' } };
const waitStep = { $kind: 'Block', id: 'later', type: 'wait', inputs: { minutes: 5 } };
const steps = (...blocks: { id: string; input?: object; retry?: object }[]) =>
  blocks.map((block) =>
    block.id === 'book' ? { ...block, input: { ...block.input, url: `${shop.url}/book` } } : block,
  );

interface NewTool {
  configuration?: object;
  blocks?: object[];
  constraints?: unknown;
}

/** Returns an org whose AI acts, with one workflow that it can call. */
async function newOrg({ configuration = {}, blocks = steps(bookStep), constraints }: NewTool = {}) {
  const org = await newAnsweringOrg(stack);
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true, ai_agent_version: 'v2' });
  const { id } = await activate(org, {
    name: 'Book seats',
    trigger_type: 'ai-trigger',
    trigger_configuration: { description: 'Books seats.', arguments: SCHEMA, ...configuration },
    trigger_constraints: constraints,
    workflow_blocks: blocks,
  } as never);
  return { org, workflowId: id };
}

/** A model that calls the workflow once, and then says what the receipt shows. */
const booking = (given: object = { seats: 2 }) =>
  model.say(({ isPlan, data }) => {
    const receipt = data.receipts?.at(-1);
    if (isPlan && receipt === undefined) return { calls: [{ name: 'book_seats', arguments: given }] };
    if (isPlan) return { json: { language: 'en', queries: [] } };
    const text = receipt?.text.includes('4711') ? 'I have booked it, number 4711.' : 'I have booked it.';
    return { json: { kind: 'answer', language: 'en', covers: 'fully', parts: [{ text, receipt: receipt?.receipt }] } };
  });

async function say(org: TestOrg, text = 'Please book two seats for me', session?: string): Promise<string> {
  const id = session ?? (await org.post('/chat/sessions', { channel: { type: 'api' } })).body.id;
  const message = { sender: 'contact', message: { type: 'text', text } };
  await org.post(`/chat/sessions/${id}/send`, message, { headers: { prefer: 'wait=0' } });
  return id;
}
const turnOf = (org: TestOrg, id: string, nth = 0) =>
  eventually(`the end of turn ${nth + 1}`, async () => {
    const turn = (await org.get(`/chat/sessions/${id}/turns`)).body.items[nth];
    return turn?.ended_at ? turn : undefined;
  });
const callsOf = async (org: TestOrg, id: string) => (await org.get(`/autopilot/calls?session_id=${id}`)).body.items;
const lastTextOf = async (org: TestOrg, id: string) => (await messagesOf(org, id)).at(-1)?.content.text;
const callThatRuns = (org: TestOrg, id: string) =>
  eventually('a call that runs', async () =>
    (await callsOf(org, id)).find((call: { state: string }) => call.state === 'running'),
  );
/** Makes the turn believe that it has waited for a minute. */
const passWait = (callId: string) =>
  stack.db
    .updateTable('ai_calls')
    .set({ started_at: new Date(Date.now() - 61_000) })
    .where('id', '=', callId)
    .execute();

const statusOf = async (org: TestOrg, id: string) => (await org.get(`/chat/sessions/${id}`)).body.status;
/** Makes the contact be quiet for some minutes, and has the session looked at. */
async function passQuiet(org: TestOrg, id: string): Promise<void> {
  await stack.db
    .updateTable('session_events')
    .set({ created_at: sql<Date>`created_at - interval '5 minutes'` })
    .where('session_id', '=', id)
    .execute();
  await inTransaction(stack.db, (trx) => wakeTurns(trx, org.id, [id]));
  await sleep(2_000);
}
const settle = (org: TestOrg, runId: string, outcome: Parameters<typeof settleRun>[3]) =>
  inTransaction(stack.db, (trx) => settleRun(trx, org.id, runId, outcome));

describe('a workflow that the AI calls', () => {
  it('is offered with the schema of its arguments, runs once under the call’s id, and its outputs are the receipt', async () => {
    booking();
    const { org, workflowId } = await newOrg();
    const id = await say(org);
    expect(await turnOf(org, id)).toMatchObject({ state: 'answered', reason: null, agent: 'helpful' });
    expect(await lastTextOf(org, id)).toBe('I have booked it, number 4711.');
    expect(effects).toEqual(['{"seats":2}']);
    const [call] = await callsOf(org, id);
    expect(call).toMatchObject({
      action_id: null,
      workflow_id: workflowId,
      name: 'Book seats',
      state: 'done',
      arguments: { body_params: { seats: 2 } },
      response: { status: 'completed', outputs: { book: { status: 200, body: { booking: 4711 } } } },
    });
    const [run, ...more] = await expectRunsAsDescribed(stack.db, workflowId);
    expect(more).toEqual([]);
    expect(run).toMatchObject({ id: call.id, status: 'completed' });
    expect(run?.trigger_output).toMatchObject({ arguments: { seats: 2 }, session: { id }, contact: null });
    expect((await stack.other.get(`/autopilot/calls?session_id=${id}`)).body.items).toEqual([]);
  });

  it('is offered on its channels only', async () => {
    booking();
    const { org } = await newOrg({ configuration: { channels: ['web'] } });
    await turnOf(org, await say(org));
    expect(model.asked.flatMap(({ tools }) => tools)).toEqual([]);
    const other = await newOrg({ configuration: { channels: ['api', 'web'] } });
    await turnOf(other.org, await say(other.org));
    expect([...new Set(model.asked.flatMap(({ tools }) => tools))]).toEqual(['book_seats']);
  });

  it('is not offered any more once it is deactivated', async () => {
    booking();
    const { org, workflowId } = await newOrg();
    await org.post(`/workflows/${workflowId}/deactivate`);
    await turnOf(org, await say(org));
    expect(effects).toEqual([]);
    expect(await expectRunsAsDescribed(stack.db, workflowId)).toEqual([]);
  });

  it('is not started with arguments that its schema refuses', async () => {
    booking({ seats: 0 });
    const { org, workflowId } = await newOrg();
    const id = await say(org);
    await turnOf(org, id);
    expect(await callsOf(org, id)).toEqual([]);
    expect(await expectRunsAsDescribed(stack.db, workflowId)).toEqual([]);
  });

  it('is confirmed by the customer first where it says so, and starts once', async () => {
    booking();
    const { org, workflowId } = await newOrg({ configuration: { confirm: 'always' } });
    const id = await say(org);
    expect(await turnOf(org, id)).toMatchObject({ state: 'asked' });
    expect(await lastTextOf(org, id)).toMatch(/Book seats[\s\S]*seats[\s\S]*2[\s\S]*\/a\//);
    expect(await expectRunsAsDescribed(stack.db, workflowId)).toEqual([]);
    await say(org, 'yes', id);
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'answered', reason: null });
    expect(effects).toEqual(['{"seats":2}']);
  });

  it('waits for an agent over its limits', async () => {
    booking();
    const limits = { '>': [{ var: 'body_params.seats' }, 1] };
    const { org, workflowId } = await newOrg({ configuration: { limits } });
    const id = await say(org);
    await turnOf(org, id);
    expect((await callsOf(org, id))[0]).toMatchObject({
      state: 'needs_confirmation',
      needs: 'agent',
      needs_because: 'limits',
    });
    expect(await expectRunsAsDescribed(stack.db, workflowId)).toEqual([]);
  });

  it('is being worked on where it takes longer than a turn waits, and its end is told by another turn', async () => {
    booking();
    const { org, workflowId } = await newOrg({ blocks: steps(waitStep, bookStep) });
    const id = await say(org);
    const call = await callThatRuns(org, id);
    await passWait(call.id);
    expect(await turnOf(org, id)).toMatchObject({ state: 'answered', reason: 'in_progress' });
    expect(await lastTextOf(org, id)).toMatch(/being worked on/);
    await org.post(`/workflows/${workflowId}/runs/${call.id}/cancel`);
    const told = await turnOf(org, id, 1);
    expect(told).toMatchObject({ state: 'handed_off', answers: [] });
    expect((await callsOf(org, id))[0]).toMatchObject({ state: 'failed', reason: 'The workflow was canceled' });
    expect(effects).toEqual([]);
  });

  it('keeps its session open until its end is told, however long the contact is quiet', async () => {
    booking();
    const { org, workflowId } = await newOrg({ blocks: steps(waitStep, bookStep) });
    await org.patch('/autopilot/settings', { assume_resolved_after_minutes: 1 });
    await org.post('/autopilot/settings/publish');
    const id = await say(org);
    const call = await callThatRuns(org, id);
    await passWait(call.id);
    expect(await turnOf(org, id)).toMatchObject({ state: 'answered', reason: 'in_progress' });
    await passQuiet(org, id);
    expect(await statusOf(org, id)).toBe('open');

    model.say((asked) =>
      asked.isPlan ? { json: { language: 'en', queries: [] } } : quoting(asked, 'five working days', 'In five days.'),
    );
    await say(org, QUESTION, id);
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'answered' });
    await passQuiet(org, id);
    expect(await statusOf(org, id)).toBe('open');

    await settle(org, call.id, { state: 'done', response: { booking: 4711 }, reason: null });
    expect(await turnOf(org, id, 2)).toMatchObject({ state: 'answered', reason: null, answers: [] });
    expect(await statusOf(org, id)).toBe('open');
    await passQuiet(org, id);
    expect(await org.get(`/chat/sessions/${id}`)).toMatchObject({
      body: { status: 'closed_resolved', ai_closure_type: 'assumed_resolved' },
    });
    await org.post(`/workflows/${workflowId}/runs/${call.id}/cancel`);
  });

  it('keeps its session open while an agent has to confirm it, until there is no time left for that', async () => {
    booking();
    const { org } = await newOrg({ configuration: { limits: { '>': [{ var: 'body_params.seats' }, 1] } } });
    await org.patch('/autopilot/settings', { assume_resolved_after_minutes: 1 });
    await org.post('/autopilot/settings/publish');
    const id = await say(org);
    expect(await turnOf(org, id)).toMatchObject({ state: 'asked' });
    model.say((asked) =>
      asked.isPlan ? { json: { language: 'en', queries: [] } } : quoting(asked, 'five working days', 'In five days.'),
    );
    await say(org, QUESTION, id);
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'answered' });
    await passQuiet(org, id);
    expect(await statusOf(org, id)).toBe('open');
    await stack.db.updateTable('ai_calls').set({ expires_at: new Date() }).where('session_id', '=', id).execute();
    await passQuiet(org, id);
    expect(await statusOf(org, id)).toBe('closed_resolved');
  });

  it('hands off with what happened where a step fails: nobody can say what was done', async () => {
    booking();
    const { org } = await newOrg({ blocks: steps(bookStep, { ...failStep, retry: { attempts: 1 } }) });
    const id = await say(org);
    expect(await turnOf(org, id)).toMatchObject({ state: 'handed_off', reason: 'action_outcome_unknown' });
    const [call] = await callsOf(org, id);
    expect(call).toMatchObject({ state: 'unknown', response: { status: 'failed' } });
    expect(call.reason).toMatch(/^The workflow failed: /);
    expect(await lastTextOf(org, id)).not.toContain('4711');
  });

  it('hands off where its constraints do not hold', async () => {
    booking();
    const { org } = await newOrg({ constraints: { '>': [{ var: 'arguments.seats' }, 5] } });
    const id = await say(org);
    expect(await turnOf(org, id)).toMatchObject({ state: 'handed_off', reason: 'action_failed' });
    expect((await callsOf(org, id))[0]).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/did not start/),
    });
  });

  it('leaves no call behind where it is deleted while it runs', async () => {
    booking();
    const { org, workflowId } = await newOrg({ blocks: steps(waitStep) });
    const id = await say(org);
    await callThatRuns(org, id);
    expect((await org.delete(`/workflows/${workflowId}`)).status).toBeLessThan(300);
    expect(await turnOf(org, id)).toMatchObject({ state: 'handed_off', reason: 'action_outcome_unknown' });
    expect((await callsOf(org, id))[0]).toMatchObject({ state: 'unknown', reason: 'The workflow was deleted' });
  });

  it('keeps no output of a redacted session', async () => {
    booking();
    const { org } = await newOrg({ blocks: steps(waitStep) });
    const id = await say(org);
    const call = await callThatRuns(org, id);
    await org.post('/redaction/session', { sessionId: id });
    const redacted = await eventually('the redaction', async () => {
      const [found] = await callsOf(org, id);
      return found.arguments === null ? found : undefined;
    });
    expect(redacted).toMatchObject({ id: call.id, response: null });
  });

  it.each([
    ['arguments that are no schema of an object', { arguments: { type: 'string' } }],
    ['a schema with references', { arguments: { type: 'object', properties: { a: { $ref: '#/x' } } } }],
    ['limits that are no JSON Logic', { limits: { nonsense: [1] } }],
    ['an unknown channel', { channels: ['pigeon'] }],
  ])('is refused with %s', async (_, trigger_configuration) => {
    const workflow = { name: 'Tool', trigger_type: 'ai-trigger', trigger_configuration, workflow_blocks: [] };
    const { status, body } = await stack.org.post('/workflows', workflow);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('trigger_configuration')]);
  });
});
