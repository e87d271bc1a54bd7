import { historyOf } from '../../support/crm.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { historiesWith, rowsWith } from '../../support/stack/traces.ts';

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

const manual = 'manual-trigger';
const webhook = (id: string, more: object = {}) => ({
  $kind: 'Action',
  id,
  type: 'send-webhook',
  name: `Call ${id}`,
  input: { url: `${sink.url}/${id}`, method: 'POST', body: { order: '{{trigger.output.input.order}}' } },
  ...more,
});
const note = (id: string, text: string) => ({
  $kind: 'Action',
  id,
  type: 'add-note',
  name: 'Note',
  input: { session_id: '{{trigger.output.input.session}}', text },
});

const message = (session_id: string, text: string) => ({
  $kind: 'Action',
  id: 'say',
  type: 'send-message',
  name: 'Say',
  input: { session_id, text },
});

/** Creates and activates a workflow. Returns its id. */
async function active(workflow_blocks: object[], trigger_type = manual, more: object = {}): Promise<string> {
  const made = await stack.org.post('/workflows', { name: 'Test', trigger_type, workflow_blocks, ...more });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const { workflow_id } = made.body;
  expect((await stack.org.post(`/workflows/${workflow_id}/activate`, {})).status).toBe(200);
  return workflow_id;
}
const trigger = async (id: string, input: object = {}): Promise<string> => {
  const { status, body } = await stack.org.post(`/workflows/${id}/trigger`, { input });
  expect(status).toBe(200);
  return body.run_id;
};
const runOf = async (id: string, runId: string) => (await stack.org.get(`/workflows/${id}/runs/${runId}`)).body;
const ended = (id: string, runId: string) =>
  eventually('the end of a run', async () => {
    const run = await runOf(id, runId);
    return run.status !== 'idle' && run.status !== 'in_progress' && run;
  });
const newSession = async () => (await stack.org.post('/chat/sessions', {})).body.id as string;
const stepsOf = (run: { steps: { id: string; status: string }[] }) => run.steps.map(({ id, status }) => [id, status]);

describe('a run of a workflow', () => {
  it('runs its steps, and stores their inputs and outputs', async () => {
    const session = await newSession();
    const id = await active([
      webhook('call'),
      {
        $kind: 'Block',
        type: 'if-else',
        id: 'answered',
        inputs: { condition: { operatorName: 'equals', left: '{{call.output.status}}', right: 200 } },
        // biome-ignore lint/suspicious/noThenProperty: the definitions' own word
        branches: { then: [note('noted', 'Order {{trigger.output.input.order}}: {{call.output.status}}')] },
      },
    ]);
    const runId = await trigger(id, { order: '17', session });
    const run = await ended(id, runId);
    expect(run).toMatchObject({ status: 'completed', trigger_cause: 'manual', error: null, version_number: 1 });
    expect(stepsOf(run)).toEqual([
      ['call', 'completed'],
      ['answered', 'completed'],
      ['noted', 'completed'],
    ]);
    expect(run.steps[0]).toMatchObject({ input: { body: { order: '17' } }, output: { status: 200 }, attempts: 1 });
    expect(run.steps[1].output).toEqual({ result: true });
    expect(await historyOf(stack.org, session)).toEqual(['human_agent_comment: Order 17: 200']);
    const { items } = (await stack.org.get(`/chat/sessions/${session}/history`)).body;
    expect(items[0].actor).toEqual({ kind: 'workflow', id, name: 'Test' });
    const { runs, total_items } = (await stack.org.get(`/workflows/${id}/runs`)).body;
    expect([runs.map((one: { id: string }) => one.id), total_items]).toEqual([[runId], 1]);
  });

  it('starts only if the constraints of the workflow hold', async () => {
    const id = await active([webhook('never')], manual, {
      trigger_constraints: { '==': [{ var: 'input.order' }, '1'] },
    });
    expect(await trigger(id, { order: '2' })).toBeNull();
    const runId = await trigger(id, { order: '1' });
    expect(await ended(id, runId)).toMatchObject({ status: 'completed' });
  });

  it('attempts a step as often as configured, fails with the last error, and can be retried with another input', async () => {
    const id = await active([webhook('down', { retry: { attempts: 2 } })]);
    sink.next({ status: 503 }, { status: 500 });
    const runId = await trigger(id);
    const run = await ended(id, runId);
    expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining('down') });
    expect(run.steps[0]).toMatchObject({ status: 'failed', attempts: 2, error: expect.stringContaining('500') });
    const keys = sink.calls.filter(({ path }) => path === '/down').map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);

    const retried = await stack.org.post(`/workflows/${id}/runs/${runId}/retry`, {
      input: { url: `${sink.url}/up`, method: 'GET' },
      reason: 'It moved',
    });
    expect(retried.status).toBe(200);
    expect(await ended(id, runId)).toMatchObject({
      status: 'completed',
      retries: [
        { step_id: 'down', skip: false, input_changed: true, reason: 'It moved', api_key_id: expect.any(String) },
      ],
    });
    expect(sink.calls.at(-1)).toMatchObject({ path: '/up', method: 'GET' });
    expect((await stack.org.post(`/workflows/${id}/runs/${runId}/retry`, {})).status).toBe(409);
  });

  it('calls an action of unknown outcome again only if a person retries it', async () => {
    const shop = await startFakeProvider();
    try {
      const action = { name: 'Book', api_endpoint: `${shop.url}/book`, request_type: 'POST', payload: {} };
      const { id: action_id } = (await stack.org.post('/actions', action)).body;
      shop.next({ status: 200, headers: { 'content-length': '9999' } }); // the answer breaks off
      const input = { action_id, parameters: {} };
      const id = await active([{ $kind: 'Action', id: 'book', type: 'execute-action', name: 'Book', input }]);
      const runId = await trigger(id);
      expect(await ended(id, runId)).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('may have been done'),
      });
      expect(shop.calls).toHaveLength(1);
      expect((await stack.org.post(`/workflows/${id}/runs/${runId}/retry`, {})).status).toBe(200);
      expect(await ended(id, runId)).toMatchObject({ status: 'completed' });
      expect(shop.calls).toHaveLength(2);
    } finally {
      await shop.close();
    }
  });

  it('records the blocks evaluated before a block with invalid inputs, and is continued behind it', async () => {
    const id = await active([
      {
        $kind: 'Block',
        type: 'for-each',
        id: 'each',
        inputs: { items: ['a', 'b'] },
        branches: {
          do: [
            {
              $kind: 'Block',
              type: 'for-each',
              id: 'inner',
              inputs: { items: '{{each.output.item}}' },
              branches: { do: [] },
            },
            webhook('behind'),
          ],
        },
      },
    ]);
    const runId = await trigger(id);
    const run = await ended(id, runId);
    expect(run).toMatchObject({ status: 'failed', error: 'inner: items is no list' });
    expect(stepsOf(run)).toEqual([
      ['each', 'completed'],
      ['inner', 'failed'],
    ]);
    await stack.org.post(`/workflows/${id}/runs/${runId}/retry`, { skip: true });
    expect(stepsOf(await ended(id, runId))).toEqual([
      ['each', 'completed'],
      ['inner', 'skipped'],
      ['behind', 'completed'],
      ['inner', 'failed'],
    ]);
  });

  it('continues after a failed step with on_error continue, and after a step skipped by hand', async () => {
    const id = await active([
      webhook('may', { retry: { attempts: 1 }, on_error: 'continue' }),
      webhook('must', { retry: { attempts: 1 } }),
      webhook('last'),
    ]);
    sink.next({ status: 500 }, { status: 500 });
    const runId = await trigger(id);
    expect(stepsOf(await ended(id, runId))).toEqual([
      ['may', 'failed'],
      ['must', 'failed'],
    ]);
    await stack.org.post(`/workflows/${id}/runs/${runId}/retry`, { skip: true });
    expect(stepsOf(await ended(id, runId))).toEqual([
      ['may', 'failed'],
      ['must', 'skipped'],
      ['last', 'completed'],
    ]);
  });

  it('continues even if it is retried at the moment of its failure', async () => {
    const id = await active([webhook('flaky', { retry: { attempts: 1 } }), webhook('behind')]);
    const retryAtOnce = async () => {
      sink.next({ status: 500 });
      const runId = await trigger(id);
      let status: number;
      do {
        status = (await stack.org.post(`/workflows/${id}/runs/${runId}/retry`, {})).status;
      } while (status === 409);
      expect(status).toBe(200);
      return (await ended(id, runId)).status;
    };
    for (let time = 0; time < 5; time++) expect(await retryAtOnce()).toBe('completed');
  });

  it('calls webhooks with credentials, but masks them in its inputs and outputs', async () => {
    const input = { url: `${sink.url}/secured`, method: 'POST', headers: { Authorization: 'Bearer s3cret-of-theirs' } };
    const id = await active([webhook('secured', { input }), webhook('next')]);
    sink.next({ status: 200, body: { access_token: 's3cret-of-theirs', user: 'ada' } });
    const run = await ended(id, await trigger(id, { apiKey: 's3cret-of-theirs', order: '9' }));
    expect(run).toMatchObject({ status: 'completed', trigger_output: { input: { apiKey: '***', order: '9' } } });
    expect(run.steps[0].input.headers).toEqual({ Authorization: '***' });
    expect(run.steps[0].output.body).toEqual({ access_token: '***', user: 'ada' });
    expect(sink.calls.find(({ path }) => path === '/secured')?.headers.authorization).toBe('Bearer s3cret-of-theirs');
  });

  it('keeps no text of a redacted session, but continues', async () => {
    const word = `w${crypto.randomUUID().replaceAll('-', '')}`;
    const session = await newSession();
    const say = message('{{trigger.output.input.session_id}}', '{{trigger.output.input.text}}');
    const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 0.05 } };
    const id = await active([say, pause, note('noted', 'Said {{say.output.message_id}}')]);
    const runId = await trigger(id, { session, session_id: session, text: `My number is ${word}` });
    const run = await eventually('the message', async () => {
      const { steps } = await runOf(id, runId);
      return steps.length > 1 && steps[0].output;
    });
    await stack.org.post('/redaction/message', { messageId: run.message_id });
    await eventually('the run to forget it', async () => (await rowsWith(stack.db, word)).length === 0);
    expect((await ended(id, runId)).status).toBe('completed');
    expect(await historyOf(stack.org, session)).toContain(`human_agent_comment: Said ${run.message_id}`);
    expect(await historiesWith(stack.temporal, stack.org.id, word)).toEqual([]);
  });

  it('keeps no text of a session that is redacted while a step is under way', async () => {
    const word = `w${crypto.randomUUID().replaceAll('-', '')}`;
    const session = await newSession();
    const say = message(session, `My number is ${word}`);
    const ask = {
      $kind: 'Action',
      id: 'ask',
      type: 'send-webhook',
      name: 'Ask',
      input: { url: `${sink.url}/ask`, method: 'POST', body: { text: `${word}?` } },
    };
    const id = await active([say, ask, webhook('after_ask')]);
    const answer = Promise.withResolvers<void>();
    sink.next({ status: 200, body: { said: word }, after: answer.promise });
    const runId = await trigger(id);
    await eventually('the call', () => sink.calls.some(({ path }) => path === '/ask'));
    const { steps } = await runOf(id, runId);
    await stack.org.post('/redaction/message', { messageId: steps[0].output.message_id });
    await eventually('the run to forget it', async () => !JSON.stringify(await runOf(id, runId)).includes(word));
    answer.resolve();
    const run = await ended(id, runId);
    expect(run).toMatchObject({ status: 'completed' });
    expect(run.steps[1]).toMatchObject({ status: 'completed', output: { status: 200 } });
    expect(JSON.stringify(run)).not.toContain(word);
  });

  it('keeps no text of an event that it has waited for, once the session of the event is redacted, and all that was before', async () => {
    const word = `w${crypto.randomUUID().replaceAll('-', '')}`;
    const session = await newSession();
    const inputs = { trigger_type: 'ticket-handoff', timeout_minutes: 10 };
    const told = { url: `${sink.url}/told`, method: 'POST', body: { reason: '{{handed.event.handoff.reason}}' } };
    const id = await active([
      webhook('before_event'),
      { $kind: 'Block', type: 'wait-for-event', id: 'handed', inputs },
      webhook('told', { input: told }),
    ]);
    const runId = await trigger(id, { order: 'of the trigger' });
    await eventually('a wait', async () => (await runOf(id, runId)).steps[1]?.status === 'waiting');
    await stack.org.post(`/chat/sessions/${session}/handoff`, { reason: `Call me at ${word}` });
    const { steps } = await ended(id, runId);
    expect(steps[1].output.event.handoff.reason).toContain(word);
    expect(steps[2].input.body.reason).toContain(word);
    await stack.org.post('/redaction/session', { sessionId: session });
    await eventually('the run to forget it', async () => {
      const run = await runOf(id, runId);
      return !JSON.stringify(run).includes(word) && run.steps[1].output.event.session.id === session;
    });
    const run = await runOf(id, runId);
    expect(run.trigger_output.input.order).toBe('of the trigger');
    expect(run.steps[0].input.body.order).toBe('of the trigger');
  });

  it('stays on the version it started with', async () => {
    const id = await active([{ $kind: 'Block', type: 'wait', id: 'w', inputs: { minutes: 0.05 } }, webhook('old')]);
    const runId = await trigger(id);
    const changed = await stack.org.patch(`/workflows/${id}`, { workflow_blocks: [webhook('new')] });
    expect(changed.body).toMatchObject({ version_number: 2, is_active: false });
    await stack.org.post(`/workflows/${id}/activate`, {});
    const later = await trigger(id);
    expect(stepsOf(await ended(id, runId))).toEqual([
      ['w', 'completed'],
      ['old', 'completed'],
    ]);
    expect(stepsOf(await ended(id, later))).toEqual([['new', 'completed']]);
    const again = (await stack.org.post(`/workflows/${id}/runs/${runId}/rerun`)).body.run_id;
    expect(stepsOf(await ended(id, again))).toEqual([['new', 'completed']]);
  });

  it('ends during a wait when it is canceled', async () => {
    const id = await active([{ $kind: 'Block', type: 'wait', id: 'w', inputs: { minutes: 500 } }, webhook('after')]);
    const runId = await trigger(id);
    await eventually('a wait', async () => (await runOf(id, runId)).steps[0]?.status === 'waiting');
    expect((await stack.org.post(`/workflows/${id}/runs/${runId}/cancel`)).status).toBe(200);
    expect(await runOf(id, runId)).toMatchObject({ status: 'canceled' });
    await eventually('the end of the workflow', async () => {
      const found = await stack.temporal.workflow
        .getHandle(`workflow-run/${runId}`)
        .describe()
        .catch(() => undefined);
      return found?.status.name === 'COMPLETED'; // the workflow may not have started in Temporal yet
    });
    expect((await stack.org.post(`/workflows/${id}/runs/${runId}/cancel`)).status).toBe(409);
    expect(sink.calls.some(({ path }) => path === '/after')).toBe(false);
  });

  it('is not accessible to other orgs', async () => {
    const id = await active([webhook('mine')]);
    const runId = await trigger(id);
    for (const path of [
      `/workflows/${id}`,
      `/workflows/${id}/runs`,
      `/workflows/${id}/runs/${runId}`,
      `/workflows/${id}/versions`,
    ])
      expect((await stack.other.get(path)).status).toBe(404);
    for (const path of [
      'activate',
      'deactivate',
      'trigger',
      `runs/${runId}/cancel`,
      `runs/${runId}/retry`,
      `runs/${runId}/rerun`,
    ])
      expect((await stack.other.post(`/workflows/${id}/${path}`, {})).status).toBe(404);
  });
});

describe('a simulation of a workflow', () => {
  it('simulates a wait of a year at once, without effects', async () => {
    const { status, body } = await stack.org.post('/workflows/simulate', {
      trigger_type: manual,
      trigger_output: { input: { order: '5' } },
      workflow_blocks: [
        { $kind: 'Block', type: 'wait', id: 'year', inputs: { minutes: 525_600 } },
        webhook('call'),
        {
          $kind: 'Block',
          type: 'if-else',
          id: 'if',
          inputs: { condition: { operatorName: 'equals', left: '{{call.output.status}}', right: 201 } },
          // biome-ignore lint/suspicious/noThenProperty: the definitions' own word
          branches: { then: [webhook('then')] },
        },
      ],
      outputs: { call: { status: 201 } },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'completed', constraint_held: true });
    expect(body.steps.map(({ id, stubbed }: { id: string; stubbed: boolean }) => [id, stubbed])).toEqual([
      ['year', false],
      ['call', true],
      ['if', false],
      ['then', true],
    ]);
    const [, call, , then] = body.steps;
    expect(call).toMatchObject({ output: { status: 201 }, note: null });
    expect(then).toMatchObject({ output: null, note: expect.stringContaining('outputs') });
    expect(Date.parse(body.ended_at) - Date.now()).toBeGreaterThan(364 * 86_400_000);
    expect(sink.calls.filter((call) => call.body === '{"order":"5"}')).toEqual([]);
  });

  it('shows the blocks evaluated before a block with invalid inputs', async () => {
    const invalid = { $kind: 'Block', type: 'wait', id: 'wait', inputs: { minutes: '{{trigger.output.input.order}}' } };
    const { body } = await stack.org.post('/workflows/simulate', {
      trigger_type: manual,
      trigger_output: { input: { order: 'soon' } },
      workflow_blocks: [
        { $kind: 'Block', type: 'for-each', id: 'each', inputs: { items: ['a'] }, branches: { do: [invalid] } },
      ],
    });
    expect(body).toMatchObject({ status: 'failed', error: 'wait: the minutes are no number', steps: [{ id: 'each' }] });
  });
});
