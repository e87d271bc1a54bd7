import { setTimeout as sleep } from 'node:timers/promises';
import { ARTICLES, QUESTION } from '../ai/answering-org.ts';
import { type FaultStack, startFaultStack } from '../faults/support/fault-stack.ts';
import { until } from '../faults/support/until.ts';
import { type OtlpReceiver, pathTo, startOtlpReceiver } from '../support/fakes/otlp-receiver.ts';

const LIMIT_MS = 180_000;
const MESSAGES = 40;
const ROUTE = 'POST /chat/sessions/:id/send';
const KEY = 'a key of the receiver';

let receiver: OtlpReceiver;
let stack: FaultStack;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${encodeURIComponent(KEY)}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.5',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests',
    FAST_PATHS: 'off',
  };
  stack = await startFaultStack({ env });
}, LIMIT_MS);
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

it(
  'the built programs record a share of the messages, each from the request to the answer, and send the last spans when they stop',
  async () => {
    const org = await stack.newOrg();
    await org.call('PUT', '/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles: ARTICLES }] });
    await org.call('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true });
    for (let nth = 0; nth < MESSAGES; nth++) {
      const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
      const sent = await org.post(`/chat/sessions/${id}/send`, {
        sender: 'contact',
        message: { type: 'text', text: QUESTION },
      });
      expect(sent.status).toBe(201);
    }
    await until('all is done', async () => (await org.outbox()) === 0);
    await sleep(1_000);
    await Promise.all([stack.api.terminate(), stack.worker.terminate()]);

    expect(receiver.refused).toEqual([]);
    expect(new Set(receiver.headers.map((headers) => headers['x-key']))).toEqual(new Set([KEY]));
    expect(new Set(receiver.spans.map(({ service }) => service))).toEqual(
      new Set(['switchboard-api', 'switchboard-worker']),
    );
    const { spans } = receiver;
    for (const span of spans) pathTo(spans, span);
    const requests = spans.filter(({ name }) => name === ROUTE);
    expect(requests.length).toBeGreaterThan(MESSAGES * 0.2);
    expect(requests.length).toBeLessThan(MESSAGES * 0.8);
    const answers = spans.filter(({ name }) => name === 'RunWorkflow:answerSession');
    expect(answers.map((span) => pathTo(spans, span)[0])).toEqual(requests.map(() => ROUTE));
    expect(spans.filter(({ name, parentId }) => name.startsWith('outbox message') && parentId === undefined)).toEqual(
      [],
    );
  },
  LIMIT_MS,
);
