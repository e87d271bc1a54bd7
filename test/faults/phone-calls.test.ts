import { FAKES_ALLOWED, newNumber } from '../support/channels.ts';
import { type BookingDesk, startBookingDesk } from '../support/fakes/booking-desk.ts';
import { type FakeVapi, type FakeVapiCall, startFakeVapi } from '../support/fakes/vapi.ts';
import type { VapiNumber } from '../support/fakes/vapi-account.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { KILLS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

/** Where the api is killed: around the action, and while it answers. */
const POINTS = ['before the effect', 'after the effect', 'answered'] as const;
const RETRY_MS = 200;

let stack: FaultStack;
let vapi: FakeVapi;
let desk: BookingDesk;
let org: FaultOrg;
let number: VapiNumber;
let armed: string | undefined;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
async function restart(): Promise<void> {
  await stack.api.kill();
  await stack.api.start();
}
async function reach(point: string): Promise<void> {
  if (armed !== point) return;
  armed = undefined;
  await restart();
}
async function setUp(method: string, path: string, body: object) {
  const { status, body: answer } = await org.call(method, path, body);
  if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
  return answer;
}

beforeAll(async () => {
  desk = await startBookingDesk(reach);
  vapi = await startFakeVapi();
  stack = await startFaultStack({ env: FAKES_ALLOWED });
  org = await stack.newOrg();
  const settings = { base_url: vapi.url, api_key: vapi.apiKey, phone_number_id: vapi.phoneNumberId };
  await setUp('PUT', '/integrations/voice', { provider: 'vapi', settings });
  const schema = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] };
  const action = await setUp('POST', '/actions', {
    ...{ name: 'Book', operation_id: 'book', api_endpoint: `${desk.url}/book`, request_type: 'POST' },
    payload: { requestBody: { required: true, content: { 'application/json': { schema } } } },
  });
  const agent = await setUp('POST', '/phone', { name: 'Ada', actionIds: [action.id] });
  number = vapi.account.addNumber({ number: newNumber() });
  await setUp('PUT', `/phone/numbers/${number.id}`, { phone_agent_id: agent.id });
}, TEST_LIMIT_MS);
afterAll(async () => {
  await stack.close();
  await vapi.close();
  await desk.close();
});

/** Repeats what got no answer, as the voice platform does. */
async function persistently<Answer>(ask: () => Promise<Answer>, isGood: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    try {
      const answer = await ask();
      if (isGood(answer)) return answer;
    } catch {
      // the api is away
    }
    await pause(RETRY_MS);
  }
}

it.each(POINTS)(
  'a call does an action at most once and leaves one transcript when the api is killed: %s',
  async (point) => {
    const order = String(POINTS.indexOf(point) + 1);
    const { call } = await vapi.ring(number, { number: newNumber() });
    if (call === undefined) throw new Error('Nobody took the call');
    armed = point;
    const given = { body_params: { order }, confirmed: true };
    const tool = { id: `book-${order}`, type: 'function', function: { name: 'book', arguments: given } };
    const kill = point === 'answered' ? pause(20).then(restart) : undefined;
    const answer = await persistently(
      () => vapi.useTools(call as FakeVapiCall, [tool]),
      ({ status }) => status === 200,
    );
    await kill;
    const effects = desk.effects.filter((done) => done === order).length;
    expect(effects).toBeLessThanOrEqual(1);
    const { result, error } = answer.results?.[0] ?? {};
    if (result !== undefined) expect([effects, result]).toEqual([1, expect.stringContaining('4711')]);
    else expect(error).toMatch(/not known/);

    const messages = [
      { role: 'bot', message: 'Hello?' },
      { role: 'user', message: `Book order ${order}` },
    ];
    const killed = pause(Math.random() * 20).then(restart);
    const report = () => vapi.report(call as FakeVapiCall, 'customer-ended-call', { messages });
    for (let n = 0; n < 2; n++) await persistently(report, (status) => status === 200);
    await killed;
    await persistently(report, (status) => status === 200);
    const { items } = (await org.call('GET', '/chat/sessions?limit=100')).body;
    expect(items).toHaveLength(Number(order));
    expect(items).toContainEqual(expect.objectContaining({ status: 'closed_resolved' }));
    const said = await stack.db
      .selectFrom('session_events')
      .select('content')
      .where('org_id', '=', org.id)
      .where('type', '=', 'message')
      .where('content', 'like', `%order ${order}`)
      .execute();
    expect(said).toHaveLength(1);
  },
  TEST_LIMIT_MS,
);

it(
  'a call whose report is lost ends once as the platform says, when the worker is killed repeatedly',
  async () => {
    const { call } = await vapi.ring(number, { number: newNumber() });
    if (call === undefined) throw new Error('Nobody took the call');
    const said = 'Nobody heard of order 99';
    vapi.endSilently(call, 'customer-ended-call', { artifact: { messages: [{ role: 'user', message: said }] } });
    const overdue = () =>
      stack.db
        .updateTable('phone_calls_under_way')
        .set({ check_at: new Date(0) })
        .execute();
    for (let kill = 0; kill < KILLS; kill++) {
      await overdue();
      await stack.worker.kill();
      await stack.worker.start(); // looks at once
      await pause(Math.random() * 3_000);
    }
    await until(
      'the call has ended',
      async () => {
        await overdue();
        return (await stack.db.selectFrom('phone_calls_under_way').select('id').execute()).length === 0;
      },
      TEST_LIMIT_MS,
    );
    const messages = stack.db.selectFrom('session_events').select('id').where('org_id', '=', org.id);
    expect(await messages.where('content', '=', said).execute()).toHaveLength(1);
  },
  TEST_LIMIT_MS,
);
