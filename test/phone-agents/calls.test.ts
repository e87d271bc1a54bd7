import { sql } from 'kysely';
import { settleInterruptedCalls } from '../../src/ai/calls/closing.service.ts';
import { connectVapi, FAKES_ALLOWED, newNumber, untilDelivery } from '../support/channels.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { type FakeVapi, type FakeVapiCall, startFakeVapi } from '../support/fakes/vapi.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

interface Assistant {
  model: {
    messages: { content: string }[];
    tools?: { type: string; function?: { name: string; parameters: { properties: object } } }[];
  };
}

describe('a call of a phone agent', () => {
  let stack: Stack;
  let vapi: FakeVapi;
  let shop: FakeProvider;
  let org: TestOrg;
  beforeAll(async () => {
    vapi = await startFakeVapi();
    shop = await startFakeProvider();
    stack = await startStack({ env: FAKES_ALLOWED });
  });
  afterAll(async () => {
    await stack.close();
    await vapi.close();
    await shop.close();
  });
  beforeEach(async () => {
    org = await stack.createOrg();
    await connectVapi(org, vapi);
    shop.calls.length = 0;
  });

  const create = async (path: string, fields: object) => {
    const { status, body } = await org.post(path, fields);
    expect([status, body]).toEqual([201, expect.objectContaining({ id: expect.any(String) })]);
    return body;
  };
  const newAction = async (operation_id: string, method: string, more: object = {}): Promise<string> => {
    const path = '/orders/{order}';
    const parameters = [{ name: 'order', in: 'path', required: true, schema: { type: 'string' } }];
    const payload = { base_url: shop.url, path, method: method.toLowerCase(), parameters };
    const fields = { name: operation_id, api_endpoint: `${shop.url}${path}`, request_type: method, operation_id };
    return (await create('/actions', { ...fields, payload, ...more })).id;
  };
  const newAgent = (fields: object) => create('/phone', { name: 'Ada', type: 'outbound', ...fields });
  const callBy = async (agent: { id: string }): Promise<FakeVapiCall> => {
    const to = newNumber();
    const { body } = await org.post('/phone/outbound-call', { phoneAgentId: agent.id, contact: { phoneNumber: to } });
    await untilDelivery(org, body.call_id, 'accepted');
    return vapi.calls.find(({ params }) => params.customer.number === to) as FakeVapiCall;
  };
  const assistantOf = ({ params }: FakeVapiCall) => params.assistant as unknown as Assistant;
  const namesOf = (call: FakeVapiCall) => assistantOf(call).model.tools?.map((tool) => tool.function?.name);
  const asking = (name: string, given: object | string, id = 'call_1') => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  });
  const resultOf = async (call: FakeVapiCall, name: string, given: object | string, id?: string) =>
    (await vapi.useTools(call, [asking(name, given, id)])).results?.[0];

  it('follows the instructions as they are when it begins, in their order and without drafts', async () => {
    const [refunds, hours, draft] = [
      await create('/training', { title: 'Refunds', content: 'Within 30 days.' }),
      await create('/training', { title: 'Hours', content: 'Nine to six.' }),
      await create('/training', { title: 'Draft', content: 'Not yet.', is_draft: true }),
    ];
    const agent = await newAgent({ instructions: [hours.id, draft.id, refunds.id] });
    expect(agent.warnings).toEqual([expect.stringContaining('"Draft"')]);
    await org.patch(`/training/${hours.id}`, { content: 'Ten to six.' });
    const { model } = assistantOf(await callBy(agent));
    expect(model.messages[0]?.content).toMatch(/# Hours\nTen to six\.\n\n# Refunds\nWithin 30 days\.$/);
    expect(model.tools).toBeUndefined();
  });

  it('has a warning where its instructions are too long for a prompt', async () => {
    const long = { title: 'Long', content: 'x'.repeat(40_000) };
    const ids = [(await create('/training', long)).id, (await create('/training', long)).id];
    expect((await newAgent({ instructions: ids.slice(1) })).warnings).toEqual([]);
    expect((await newAgent({ instructions: ids })).warnings).toEqual([expect.stringContaining('80000 characters')]);
  });

  it('searches the knowledge of the org if the agent may, and only then', async () => {
    await create('/training', { title: 'Gift cards', content: 'Gift cards are valid for three years.' });
    const call = await callBy(await newAgent({ use_org_knowledgebase: true }));
    expect(namesOf(call)).toEqual(['search_knowledge']);
    const found = await eventually('the item', async () => {
      const result = await resultOf(call, 'search_knowledge', { query: 'How long are gift cards valid?' });
      return result?.result?.includes('three years') && result;
    });
    expect(found).toEqual({
      toolCallId: 'call_1',
      name: 'search_knowledge',
      result: expect.stringMatching(/^Gift cards [^\n]*three years\.$/),
    });
    expect(await resultOf(call, 'search_knowledge', '{"query":"gift cards"}')).toEqual(found);
    expect(await resultOf(call, 'search_knowledge', {})).toMatchObject({ error: 'The query must be a text' });

    const without = await callBy(await newAgent({}));
    expect(namesOf(without)).toBeUndefined();
    expect(await resultOf(without, 'search_knowledge', { query: 'gift cards' })).toMatchObject({
      error: 'There is no tool search_knowledge',
    });
  });

  it('takes the actions of the agent: what reads at once, and what changes something once, after a yes', async () => {
    const actionIds = [await newAction('find_order', 'GET'), await newAction('cancel_order', 'DELETE')];
    const call = await callBy(await newAgent({ actionIds }));
    expect(namesOf(call)).toEqual(['find_order', 'cancel_order']);
    shop.next({ status: 200, body: { state: 'paid' } }, { status: 404, body: 'unknown' });
    const order = { path_params: { order: '7' } };
    expect(await resultOf(call, 'find_order', order)).toMatchObject({ result: '{"state":"paid"}' });
    expect(await resultOf(call, 'find_order', order, 'call_0')).toMatchObject({ error: 'It answered 404: unknown' });

    expect(await resultOf(call, 'cancel_order', order)).toMatchObject({
      error: expect.stringContaining('ask for a yes'),
    });
    expect(shop.calls).toHaveLength(2);
    shop.next({ status: 200, body: { state: 'canceled' } });
    const confirmed = { ...order, confirmed: true };
    for (const id of ['call_2', 'call_2', 'call_3'])
      expect(await resultOf(call, 'cancel_order', confirmed, id)).toMatchObject({ result: '{"state":"canceled"}' });
    expect(shop.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /orders/7',
      'GET /orders/7',
      'DELETE /orders/7',
    ]);
  });

  it('makes a call once that is asked for twice at once, and both get its answer', async () => {
    const call = await callBy(await newAgent({ actionIds: [await newAction('cancel_order', 'DELETE')] }));
    shop.next({ status: 200, body: { state: 'canceled' } });
    const given = { path_params: { order: '7' }, confirmed: true };
    const twice = ['call_1', 'call_2'].map((id) => asking('cancel_order', given, id));
    const result = '{"state":"canceled"}';
    expect((await vapi.useTools(call, twice)).results).toMatchObject([{ result }, { result }]);
    expect(shop.calls).toHaveLength(1);
  });

  it('that was interrupted in the middle of an action leaves it with an unknown outcome', async () => {
    const call = await callBy(await newAgent({ actionIds: [await newAction('cancel_order', 'DELETE')] }));
    shop.next({ status: 200, body: {} });
    await resultOf(call, 'cancel_order', { path_params: { order: '7' }, confirmed: true });
    const settledOf = async (leasedUntil: string | null, startedAt: string) => {
      const since = (interval: string | null) => sql`now() - ${interval}::interval`;
      const lost = sql`update ai_calls set state = 'running', ended_at = null, leased_until = ${since(leasedUntil)},
        started_at = ${since(startedAt)} where org_id = ${org.id}`;
      await lost.execute(stack.db);
      return settleInterruptedCalls(stack.db);
    };
    expect(await settledOf(null, '2 minutes')).toBe(0);
    expect(await settledOf('-1 minutes', '5 minutes')).toBe(0);
    expect(await settledOf('5 minutes', '6 minutes')).toBe(1);
    expect(await settledOf(null, '4 minutes')).toBe(1);
    expect((await org.get('/autopilot/calls')).body.items).toMatchObject([
      { operation_id: 'cancel_order', state: 'unknown' },
    ]);
    const again = { path_params: { order: '7' }, confirmed: true };
    expect(await resultOf(call, 'cancel_order', again, 'call_2')).toMatchObject({
      error: expect.stringContaining('not known'),
    });
    expect(shop.calls).toHaveLength(1);
  });

  it('is told of each call that is not made: beyond ten at once, or without the name of a tool', async () => {
    const call = await callBy(await newAgent({ actionIds: [await newAction('find_order', 'GET')] }));
    const nameless = { id: 'nameless', type: 'function', function: { arguments: {} } };
    const many = Array.from({ length: 11 }, (_, nth) => asking('unknown', {}, `call_${nth}`));
    const { results = [] } = await vapi.useTools(call, [nameless, 'unreadable' as never, ...many]);
    expect(results).toHaveLength(12);
    expect(results[0]).toEqual({ toolCallId: 'nameless', error: 'It does not name a tool' });
    expect(results[8]).toMatchObject({ toolCallId: 'call_7', error: 'There is no tool unknown' });
    expect(results[9]).toMatchObject({ toolCallId: 'call_8', error: expect.stringContaining('At most 10') });
    expect(results[11]).toMatchObject({ toolCallId: 'call_10', error: expect.stringContaining('At most 10') });
  });

  it('is told what is wrong with what it asks for', async () => {
    const call = await callBy(await newAgent({ actionIds: [await newAction('find_order', 'GET')] }));
    expect(await resultOf(call, 'find_order', { orders: 7 })).toMatchObject({ error: expect.any(String) });
    expect(await resultOf(call, 'find_order', 'no json')).toMatchObject({ error: expect.any(String) });
    expect(await resultOf(call, 'find_order', {})).toMatchObject({ error: expect.stringContaining('order') });
    expect(await resultOf(call, 'unknown', {})).toMatchObject({ error: 'There is no tool unknown' });
    expect(await vapi.useTools(call, [asking('find_order', {})], { isForged: true })).toMatchObject({ status: 403 });
    expect(shop.calls).toEqual([]);
  });

  it('leaves out actions that need what a call has not, and the agent says so', async () => {
    const verified = await newAction('verified', 'GET', { requires_verified: true });
    const form = await newAction('form', 'POST', { require_form_submission: true });
    const always = await newAction('always', 'POST', { confirm: 'always' });
    const limited = await newAction('limited', 'POST', { limits: { '==': [1, 1] } });
    const agent = await newAgent({ actionIds: [verified, form, always, limited] });
    expect(agent.warnings).toEqual([
      expect.stringContaining('"verified"'),
      expect.stringContaining('"form"'),
      expect.stringContaining('"always"'),
    ]);
    expect((await org.get('/phone')).body[0].warnings).toEqual(agent.warnings);
    const call = await callBy(agent);
    expect(namesOf(call)).toEqual(['limited']);
    const given = { path_params: { order: '7' }, confirmed: true };
    expect(await resultOf(call, 'limited', given)).toMatchObject({ error: expect.stringContaining('a person') });
    expect(await resultOf(call, 'always', given)).toMatchObject({ error: 'There is no tool always' });
    expect(shop.calls).toEqual([]);
  });
});
