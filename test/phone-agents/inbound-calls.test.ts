import { sql } from 'kysely';
import { type CallLookup, createCallLookup } from '../../src/deliveries/callbacks/call-lookup.ts';
import { endLostCalls } from '../../src/deliveries/callbacks/lost-calls.service.ts';
import { FAKES_ALLOWED, newNumber } from '../support/channels.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { type FakeVapi, type FakeVapiCall, startFakeVapi } from '../support/fakes/vapi.ts';
import type { VapiNumber } from '../support/fakes/vapi-account.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack, untilPasses } from '../support/stack/stack.ts';
import { activate, expectRunsAsDescribed } from '../support/triggers.ts';

const PEOPLE = '+14155550199';

interface Model {
  messages: { content: string }[];
  tools?: { type: string; destinations?: object[]; function?: { name: string } }[];
}

let stack: Stack;
let vapi: FakeVapi;
let shop: FakeProvider;
let org: TestOrg;
let number: VapiNumber;
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
  const settings = { base_url: vapi.url, api_key: vapi.apiKey, phone_number_id: vapi.phoneNumberId };
  expect((await org.put('/integrations/voice', { provider: 'vapi', settings })).status).toBe(200);
  number = vapi.account.addNumber({ number: newNumber() });
  shop.calls.length = 0;
});

const create = async (path: string, fields: object) => {
  const { status, body } = await org.post(path, fields);
  expect([status, body]).toEqual([201, expect.objectContaining({ id: expect.any(String) })]);
  return body;
};
/** Creates an inbound agent, and binds the number to it. */
const answering = async (fields: object = {}) => {
  const agent = await create('/phone', { name: 'Ada', ...fields });
  const bound = await org.put(`/phone/numbers/${number.id}`, { phone_agent_id: agent.id });
  expect([bound.status, bound.body.is_answered_here]).toEqual([200, true]);
  return agent;
};
const ring = async (caller: { number?: string; name?: string } = { number: newNumber() }): Promise<FakeVapiCall> => {
  const { call } = await vapi.ring(number, caller);
  if (call === undefined) throw new Error('Nobody took the call');
  return call;
};
const sessions = async () => (await org.get('/chat/sessions')).body.items;
const onlySession = async () => {
  const [session, ...others] = await sessions();
  expect(others).toEqual([]);
  return session;
};
const historyOf = async (id: string) => (await org.get(`/chat/sessions/${id}/history`)).body.items;
const messagesOf = async (id: string) =>
  (await historyOf(id)).flatMap(
    ({ event }: { event: { type: string; sender: { type: string }; content: { text: string } } }) =>
      event.type === 'message' ? [[event.sender.type, event.content.text]] : [],
  );
const asking = (name: string, given: object, id: string) => ({
  id,
  type: 'function',
  function: { name, arguments: given },
});

it('a call asks the knowledge, does an action once, is transferred after its workflows, and leaves its transcript', async () => {
  const endpoint = `${shop.url}/orders/{order}`;
  const parameters = [{ name: 'order', in: 'path', required: true, schema: { type: 'string' } }];
  const payload = { base_url: shop.url, path: '/orders/{order}', method: 'delete', parameters };
  const action = await create('/actions', {
    ...{ name: 'Cancel', operation_id: 'cancel_order', api_endpoint: endpoint, request_type: 'DELETE', payload },
  });
  await create('/training', { title: 'Gift cards', content: 'Gift cards are valid for three years.' });
  const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 1 / 60 } };
  const gate = await activate(org, { trigger_type: 'pre-voice-call-transfer', workflow_blocks: [pause] });
  await answering({
    ...{
      use_org_knowledgebase: true,
      actionIds: [action.id],
      handoff_phone_number: PEOPLE,
      first_message: 'Good day!',
    },
  });
  const from = newNumber();
  const call = await ring({ number: from, name: 'Zoë' });
  expect(await vapi.callback(call, 'in-progress')).toBe(200);

  const found = await eventually('the item', async () => {
    const { results } = await vapi.useTools(call, [asking('search_knowledge', { query: 'gift cards' }, 'k1')]);
    return results?.[0]?.result?.includes('three years') && results[0];
  });
  expect(found).toMatchObject({ toolCallId: 'k1' });
  shop.next({ status: 200, body: { state: 'canceled' } });
  const given = { path_params: { order: '7' }, confirmed: true };
  for (const id of ['a1', 'a1', 'a2'])
    expect((await vapi.useTools(call, [asking('cancel_order', given, id)])).results).toMatchObject([
      { toolCallId: id, result: '{"state":"canceled"}' },
    ]);
  expect(shop.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(['DELETE /orders/7']);

  expect(await vapi.transfer(call)).toEqual({
    status: 200,
    body: { destination: { type: 'number', number: PEOPLE } },
  });
  const runs = await expectRunsAsDescribed(stack.db, gate.id);
  expect(runs).toMatchObject([{ status: 'completed', trigger_output: { call: { transferred_to: PEOPLE } } }]);
  expect((await vapi.transfer(call)).status).toBe(200);

  const messages = [
    { role: 'system', message: 'You are Ada' },
    { role: 'bot', message: 'Good day!' },
    { role: 'user', message: 'Please cancel order 7.' },
    { role: 'user', message: 'Yes.' },
    { role: 'tool_calls', message: '' },
    { role: 'bot', message: 'It is canceled.' },
  ];
  const report = {
    messages,
    summary: 'Order 7 was canceled.',
    recordingUrl: 'https://storage.vapi.ai/1.wav',
    durationSeconds: 93,
  };
  for (let n = 0; n < 2; n++) expect(await vapi.report(call, 'assistant-forwarded-call', report)).toBe(200);

  const session = await onlySession();
  expect(session).toMatchObject({
    channel: { type: 'phone_voice' },
    status: 'closed_unresolved',
    ai_closure_type: 'handed_off',
    contact: { phone_number: from, name: 'Zoë' },
  });
  expect(await messagesOf(session.id)).toEqual([
    ['system', `Call from ${from} to ${number.number}`],
    ['ai', 'Good day!'],
    ['contact', 'Please cancel order 7. Yes.'],
    ['ai', 'It is canceled.'],
  ]);
  const shown = (await org.get(`/chat/sessions/${session.id}`)).body;
  expect(shown).toMatchObject({ summary: 'Order 7 was canceled.', summary_by: 'vapi' });
  const notes = (await historyOf(session.id)).filter(
    ({ event }: { event: { type: string } }) => event.type === 'human_agent_comment',
  );
  expect(notes.map(({ event }: { event: { content: { text: string } } }) => event.content.text)).toEqual([
    'The call has ended: assistant-forwarded-call\nIt took 93 seconds\nRecording: https://storage.vapi.ai/1.wav',
  ]);
  const ledger = (await org.get(`/autopilot/calls?session_id=${session.id}`)).body.items;
  expect(ledger).toMatchObject([{ operation_id: 'cancel_order', state: 'done', status: 200 }]);
});

it('the assistant follows what the org tells its AI, and the call starts the workflows of calls', async () => {
  await org.patch('/org', { ai_instructions: 'Call every customer a guest.' });
  const refunds = await create('/training', { title: 'Refunds', content: 'Within 30 days.' });
  await create('/training', { title: 'Tone', content: 'Be brief.', type: 'BEHAVIORAL' });
  await create('/training', {
    title: 'Web',
    content: 'Use Markdown.',
    type: 'BEHAVIORAL',
    restricted_to_channels: ['web'],
  });
  await answering({ instructions: [refunds.id], handoff_phone_number: PEOPLE });
  const ids: Record<string, string> = {};
  for (const type of ['phone-call-started', 'phone-call-finished', 'voice-call-transferred'])
    ids[type] = (await activate(org, { trigger_type: type })).id;
  const call = await ring();
  const { messages, tools } = call.params.assistant.model as Model;
  expect(messages[0]?.content).toContain('Call every customer a guest.');
  expect(messages[0]?.content).toContain('# Tone\nBe brief.');
  expect(messages[0]?.content).toContain('# Refunds\nWithin 30 days.');
  expect(messages[0]?.content).not.toContain('Markdown');
  expect(tools).toEqual([{ type: 'transferCall', destinations: [] }]);

  await vapi.callback(call, 'in-progress');
  await vapi.report(call, 'assistant-forwarded-call');
  const { id: session } = await onlySession();
  for (const type of Object.keys(ids))
    await untilPasses(async () => {
      const runs = await expectRunsAsDescribed(stack.db, ids[type] as string);
      expect(runs.map(({ trigger_output }) => trigger_output)).toMatchObject([
        { session: { id: session }, call: { id: call.id, direction: 'inbound', to: number.number } },
      ]);
    });
});

it('a call has one session, however often its assistant is asked for, and one for each call of the contact', async () => {
  await answering();
  const caller = { number: newNumber() };
  const { answers, call } = await vapi.ring(number, caller, { times: 3 });
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(await sessions()).toHaveLength(1);
  expect(await vapi.report(call as FakeVapiCall, 'customer-ended-call')).toBe(200);
  expect(await onlySession()).toMatchObject({ status: 'closed_resolved', ai_closure_type: 'assumed_resolved' });
  await ring(caller);
  const both = await sessions();
  expect(new Set(both.map(({ contact }: { contact: { id: string } }) => contact.id)).size).toBe(1);
  expect(both).toHaveLength(2);
});

describe('a call without a report', () => {
  const overdue = (age: string) =>
    sql`update phone_calls_under_way set check_at = now() - interval '1 second', begun_at = now() - ${age}::interval where org_id = ${org.id}`.execute(
      stack.db,
    );
  const warnings: unknown[] = [];
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  const look = (more: Partial<CallLookup> = {}) =>
    endLostCalls({ db: stack.db, callLookup: { ...createCallLookup(stack.db, stack.deps), ...more }, log });
  const callsUnderWay = () =>
    stack.db.selectFrom('phone_calls_under_way').select('id').where('org_id', '=', org.id).execute();

  it('ends as the platform says when it is asked, once, whatever comes later', async () => {
    await answering();
    const call = await ring();
    expect(await look()).toBe(0);
    await overdue('15 minutes');
    expect(await look()).toBe(1);
    expect((await onlySession()).status).toBe('open');

    const said = [{ role: 'user', message: 'Where is order 7?' }];
    const times = { startedAt: '2026-11-29T08:00:00.000Z', endedAt: '2026-11-29T08:01:33.000Z' };
    const artifact = { messages: said, recordingUrl: 'https://storage.vapi.ai/7.wav' };
    vapi.endSilently(call, 'customer-ended-call', { artifact, analysis: { summary: 'Order 7' }, ...times });
    vapi.nextLookUp({ answer: { status: 503 }, when: 'before' });
    for (let n = 0; n < 2; n++) {
      await overdue('30 minutes');
      await look();
    }
    const session = await onlySession();
    expect(session).toMatchObject({ status: 'closed_resolved', ai_closure_type: 'assumed_resolved' });
    const before = await historyOf(session.id);
    expect(JSON.stringify(before)).toContain('It took 93 seconds\\nRecording: https://storage.vapi.ai/7.wav');
    expect(await messagesOf(session.id)).toContainEqual(['contact', 'Where is order 7?']);
    expect((await org.get(`/chat/sessions/${session.id}`)).body.summary).toBe('Order 7');
    expect(await callsUnderWay()).toEqual([]);

    expect(await vapi.callback(call, 'in-progress')).toBe(200);
    await vapi.report(call, 'customer-ended-call', { messages: [{ role: 'user', message: 'Something else' }] });
    expect(await historyOf(session.id)).toEqual(before);
    expect(await callsUnderWay()).toEqual([]);
  });

  it('ends after a day where the platform does not tell of it', async () => {
    await answering();
    await ring();
    await org.delete('/integrations/voice');
    await overdue('23 hours');
    await look();
    expect((await onlySession()).status).toBe('open');
    await overdue('25 hours');
    await look();
    const { id, status, ai_closure_type } = await onlySession();
    expect([status, ai_closure_type]).toEqual(['closed_unresolved', null]);
    expect(JSON.stringify(await historyOf(id))).toContain('the voice platform did not report how');
    expect(await callsUnderWay()).toEqual([]);
  });

  it('is asked for, ever more rarely, for a week while the platform fails or says that it is under way', async () => {
    await answering();
    await ring();
    await overdue('6 days');
    await look();
    vapi.nextLookUp({ answer: { status: 503 }, when: 'before' });
    await overdue('6 days');
    await look();
    expect((await onlySession()).status).toBe('open');
    const { rows } = await sql<{ hours: number }>`
      select round(extract(epoch from check_at - now()) / 3600)::int as hours
      from phone_calls_under_way where org_id = ${org.id}
    `.execute(stack.db);
    expect(rows).toEqual([{ hours: 6 }]);
    await overdue('8 days');
    await look();
    expect((await onlySession()).status).toBe('closed_unresolved');
    expect(await callsUnderWay()).toEqual([]);
  });

  it('does not stay when it is none of ours any more, nor in the way of others when it fails', async () => {
    await answering();
    const [erased, failing, call] = [await ring(), await ring(), await ring()];
    await stack.db.deleteFrom('inbound_messages').where('provider_id', '=', erased.id).execute();
    for (const one of [erased, call]) vapi.endSilently(one, 'customer-ended-call', {});
    const { find } = createCallLookup(stack.db, stack.deps);
    const failingAt: CallLookup['find'] = (orgId, id) =>
      id === failing.id ? Promise.reject(new Error('unreadable')) : find(orgId, id);
    const unwritable = () => {
      throw new Error('unwritable');
    };
    const looks = [
      ['30 minutes', 1],
      ['8 days', 1],
      ['15 days', 0],
    ] as const;
    for (const [age, left] of looks) {
      await overdue(age);
      await look({ find: failingAt, reportOfLost: unwritable });
      expect(await callsUnderWay()).toHaveLength(left);
    }
    for (const error of ['unreadable', 'unwritable'])
      expect(warnings).toContainEqual(expect.objectContaining({ orgId: org.id, err: new Error(error) }));
  });

  it('has its report before everything else, and is not open again when its begin is reported late', async () => {
    await answering();
    const call = await ring();
    await vapi.report(call, 'customer-ended-call', { transcript: '' });
    await vapi.callback(call, 'in-progress');
    await vapi.callback(call, 'ended', { endedReason: 'customer-ended-call' });
    const session = await onlySession();
    expect(session.status).toBe('closed_resolved');
    expect((await messagesOf(session.id)).map(([by]: string[]) => by)).toEqual(['system']);
  });
});

it('a caller without a number has a session without a contact', async () => {
  await answering();
  await ring({});
  const session = await onlySession();
  expect([session.contact, (await messagesOf(session.id))[0][1]]).toEqual([
    null,
    `Call from a withheld number to ${number.number}`,
  ]);
});

it('a number that was imported again at the platform is answered by its present agent', async () => {
  const earlier = number;
  const { id: phone_agent_id } = await answering({ name: 'Earlier' });
  number = vapi.account.addNumber({ number: earlier.number as string });
  await answering({ name: 'Present' });
  expect((await org.get('/phone/numbers')).body.find(({ id }: { id: string }) => id === earlier.id)).toMatchObject({
    phone_agent_id: null,
  });
  const stale = { org_id: org.id, provider_id: earlier.id, number: earlier.number as string, phone_agent_id };
  await stack.db.insertInto('phone_numbers').values(stale).execute();
  expect((await ring()).params.assistant.name).toBe('Present');
});

it('a call whose transfer failed is not closed as resolved', async () => {
  await answering();
  await vapi.report(await ring(), 'call.in-progress.error-transfer-failed');
  expect(await onlySession()).toMatchObject({ status: 'closed_unresolved', ai_closure_type: null });
});

it('the end of a call leaves a session open that was handed off, and a closed one as it is', async () => {
  await answering();
  const call = await ring();
  const { id } = await onlySession();
  await org.post(`/chat/sessions/${id}/handoff`, { reason: 'Asked for a human' });
  await vapi.report(call, 'customer-ended-call', { summary: 'A question' });
  const open = { status: 'open', ai_closure_type: 'handed_off', summary: 'A question' };
  expect((await org.get(`/chat/sessions/${id}`)).body).toMatchObject(open);

  const closing = await ring();
  const [session] = (await sessions()).filter((one: { id: string }) => one.id !== id);
  await org.patch(`/chat/sessions/${session.id}`, { status: 'closed_unresolved' });
  const before = (await org.get(`/chat/sessions/${session.id}`)).body;
  await vapi.report(closing, 'customer-ended-call', { summary: 'Another question' });
  const after = (await org.get(`/chat/sessions/${session.id}`)).body;
  const { status, ai_closure_type, summary } = before;
  expect(after).toMatchObject({ status, ai_closure_type, summary });
  expect(await messagesOf(session.id)).toContainEqual(['ai', 'Hello?']);
});

it('the call of a blocked contact is refused, and leaves no session', async () => {
  await answering();
  const from = newNumber();
  await create('/contacts', { contact: { email: 'eve@example.com', phone: from } });
  expect((await org.post('/blocklist/contacts', { email: 'eve@example.com' })).status).toBe(200);
  for (let n = 0; n < 2; n++)
    expect((await vapi.ring(number, { number: from })).answers).toEqual([{ error: expect.stringContaining('nobody') }]);
  expect(await sessions()).toEqual([]);
});

it('where the AI is turned off on the phone, people get the call', async () => {
  await answering({ handoff_phone_number: PEOPLE });
  await org.patch('/autopilot', { channel: 'phone', autopilot_enabled: false });
  expect((await vapi.ring(number, { number: newNumber() })).answers).toEqual([
    { destination: { type: 'number', number: PEOPLE } },
  ]);
});

it('a call of a number without an inbound agent is refused', async () => {
  const agent = await answering();
  expect((await org.delete(`/phone/${agent.id}`)).status).toBe(200);
  expect((await vapi.ring(number, { number: newNumber() })).answers).toEqual([{ error: expect.any(String) }]);
});

it('what was said can be redacted, and a repeated report does not bring it back', async () => {
  await answering();
  const call = await ring();
  const report = { messages: [{ role: 'user', message: 'My card is 4111.' }], summary: 'A card' };
  await vapi.report(call, 'customer-ended-call', report);
  const { id } = await onlySession();
  expect((await org.post('/redaction/session', { sessionId: id })).status).toBe(200);
  await vapi.report(call, 'customer-ended-call', report);
  expect(JSON.stringify(await historyOf(id))).not.toMatch(/4111/);
});

it('an inbound agent calls nobody', async () => {
  const agent = await create('/phone', { name: 'Reception' });
  const contact = { phoneNumber: newNumber() };
  const refused = await org.post('/phone/outbound-call', { phoneAgentId: agent.id, contact });
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('inbound agent')]);
  const step = { delay_in_minutes: 0, action: { type: 'make_phone_calls', data: { aiPhoneAgentId: agent.id } } };
  expect((await org.post('/sequences', { filter: null, steps: [step] })).status).toBe(400);
  expect(vapi.calls).toEqual([]);
});
