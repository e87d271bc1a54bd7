import { pino } from 'pino';
import { loadConfig } from '../../src/config.ts';
import type { Tracing } from '../../src/tracing/sdk.ts';
import { startTracing } from '../../src/tracing/start.ts';
import { messagesOf, newAnsweringOrg, QUESTION } from '../ai/answering-org.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { type FakeModel, quoting, startFakeModel } from '../support/fakes/model.ts';
import { type OtlpReceiver, pathTo, type ReceivedSpan, startOtlpReceiver } from '../support/fakes/otlp-receiver.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { activate } from '../support/triggers.ts';

const SETTINGS = {
  DATABASE_URL: 'postgres://nowhere',
  JWT_SECRET: 'x'.repeat(32),
  SECRET_KEYS: `k:${'A'.repeat(43)}=`,
};
const SECRET = 'sk-very-secret';

let receiver: OtlpReceiver;
let tracing: Tracing;
let stack: Stack;
let model: FakeModel;
let shop: FakeProvider;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  const config = loadConfig({ ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  tracing = (await startTracing(config, { name: 'worker', version: '1' }, pino({ level: 'silent' }))) as Tracing;
  [model, shop, stack] = await Promise.all([
    startFakeModel(),
    startFakeProvider(),
    startStack({ env: FAKES_ALLOWED, tracing }),
  ]);
});
afterAll(async () => {
  await stack.close();
  await tracing.stop();
  await Promise.all([model.close(), shop.close(), receiver.close()]);
});

/** Returns all spans of the trace of a request, once one of this name has come in. */
async function traceOf(requestId: string | null, last: string): Promise<ReceivedSpan[]> {
  return eventually(`a span ${last}`, async () => {
    await tracing.processor.forceFlush();
    const root = receiver.spans.find(({ attributes }) => attributes['switchboard.request_id'] === requestId);
    const spans = receiver.spans.filter(({ traceId }) => traceId === root?.traceId);
    return spans.some(({ name }) => name === last) && spans;
  });
}

/** Returns the ways from the root to all spans of a name. Each span of the trace has to have one. */
function waysTo(spans: ReceivedSpan[], name: string): string[][] {
  for (const span of spans) pathTo(spans, span);
  return spans.filter((span) => span.name === name).map((span) => pathTo(spans, span));
}

it('a message and the model’s answer to it are one tree, from the request to the provider', async () => {
  model.say((asked) => quoting(asked, 'five working days', 'You get the money back within five working days.'));
  const org = await newAnsweringOrg(stack);
  await org.put('/integrations/llm', {
    provider: 'openai-compatible',
    settings: { ...model.settings, api_key: SECRET },
  });
  const { id } = (await org.post('/chat/sessions', {})).body;
  const sent = await org.post(`/chat/sessions/${id}/send`, {
    sender: 'contact',
    message: { type: 'text', text: QUESTION },
  });
  expect(sent.status).toBe(201);
  await eventually('the answer', async () => (await messagesOf(org, id)).some(({ sender }) => sender.type === 'ai'));
  const spans = await traceOf(sent.headers.get('x-request-id'), 'RunWorkflow:answerSession');

  const [way] = waysTo(spans, 'POST');
  expect(way).toEqual([
    'POST /chat/sessions/:id/send',
    'outbox message-created',
    'outbox answerSession',
    'SignalWithStartWorkflow:answerSession',
    'RunWorkflow:answerSession',
    'StartActivity:takeStep',
    'RunActivity:takeStep',
    'POST',
  ]);
  expect(spans.filter(({ parentId }) => parentId === undefined)).toHaveLength(1);
  expect(spans.find(({ name }) => name === 'RunActivity:takeStep')?.attributes).toMatchObject({
    'switchboard.org_id': org.id,
    temporalWorkflowId: `ai-turn/${id}`,
  });
  expect(spans.find(({ parentId }) => parentId === undefined)).toMatchObject({
    kind: 2,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/chat/sessions/:id/send',
      'http.response.status_code': '201',
      'switchboard.org_id': org.id,
    },
  });
  expect(receiver.refused).toEqual([]);
});

it('a webhook and the run that it starts are one tree, also once the run has waited', async () => {
  const org = await stack.createOrg();
  const call = (id: string) => ({
    $kind: 'Action',
    id,
    type: 'send-webhook',
    name: 'Call',
    input: { url: `${shop.url}/orders?token=${SECRET}` },
  });
  const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 0.02 } };
  const { url } = await activate(org, { trigger_type: 'webhook', workflow_blocks: [call('one'), pause, call('two')] });
  const answer = await org.post(new URL(url).pathname, { order: 1 });
  expect(answer.status).toBe(202);
  await eventually('both calls', () => shop.calls.length >= 2);
  const spans = await traceOf(answer.headers.get('x-request-id'), 'RunWorkflow:runAutomation');

  const ways = waysTo(spans, 'POST');
  expect(ways).toEqual([
    ['POST /hooks/workflows/:workflow_id/:token', 'run of a workflow', 'POST'],
    [
      'POST /hooks/workflows/:workflow_id/:token',
      'run of a workflow',
      'outbox runAutomation',
      'SignalWithStartWorkflow:runAutomation',
      'RunWorkflow:runAutomation',
      'StartActivity:doStep',
      'RunActivity:doStep',
      'POST',
    ],
  ]);
  for (const { headers } of shop.calls) expect(headers).not.toHaveProperty('traceparent');
});

it('no span has a text of a customer, a credential, a path or a query of a provider', async () => {
  const org = await stack.createOrg();
  const step = { $kind: 'Action', id: 'one', type: 'send-webhook', name: 'Call the plumber', input: { url: shop.url } };
  const { url } = await activate(org, { name: 'Leaking taps', trigger_type: 'webhook', workflow_blocks: [step] });
  shop.next({ status: 500, body: { error: 'Ann Smith has no taps' } });
  const answer = await org.post(`${new URL(url).pathname}?name=Ann`, { about: 'Ann Smith' });
  await traceOf(answer.headers.get('x-request-id'), 'POST');
  await tracing.processor.forceFlush();
  const texts = receiver.spans.map(({ text }) => text).join('\n');
  for (const word of [QUESTION, 'Refunds', SECRET, '/orders', 'token=', 'Ann', 'plumber', 'taps', 'Leaking'])
    expect(texts).not.toContain(word);
});

it('what an org does while the receiver is away is done, and traces come again once it is back', async () => {
  const port = Number(new URL(receiver.url).port);
  await receiver.close();
  const org = await stack.createOrg();
  const { url } = await activate(org, {
    trigger_type: 'webhook',
    workflow_blocks: [{ $kind: 'Action', id: 'one', type: 'send-webhook', name: 'Call', input: { url: shop.url } }],
  });
  const before = shop.calls.length;
  await Promise.all(Array.from({ length: 20 }, () => org.post(new URL(url).pathname, {})));
  await eventually('all calls', () => shop.calls.length === before + 20);
  receiver = await startOtlpReceiver(port);
  const answer = await org.post(new URL(url).pathname, {});
  expect(answer.status).toBe(202);
  await traceOf(answer.headers.get('x-request-id'), 'run of a workflow');
});
