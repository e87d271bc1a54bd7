import { spawn } from 'node:child_process';
import { sql } from 'kysely';
import { redactSessionCalls } from '../../../src/ai/calls/closing.service.ts';
import { runCall } from '../../../src/ai/calls/running.service.ts';
import { listCallsOfSession, listTools } from '../../../src/ai/calls/service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import {
  errorAfter,
  type Fault,
  type ReceivedRequest,
  resetAfter,
  slow,
  startFaultyServer,
  tooManyRequests,
} from '../../support/fakes/faulty-server.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';
import { unverified } from '../../widget/client.ts';
import { addTurn, newAction, newTurn, propose, proposed, type TestTurn } from './calling.ts';

const RUNNER = new URL('./run-call.ts', import.meta.url).pathname;
const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const NEVER = new AbortController().signal;

let api: TestApi;
let org: TestOrg;
let turn: TestTurn;
let shop: Awaited<ReturnType<typeof startFaultyServer>>;
/** What was received, and what took effect. */
let received: ReceivedRequest[] = [];
let effects: ReceivedRequest[] = [];
let faults: (Fault | undefined)[] = [];

beforeAll(async () => {
  api = await startApi({ env: FAKES_ALLOWED });
  const perform = (request: ReceivedRequest) => {
    effects.push(request);
    return { status: 200, body: { refunded: true } };
  };
  shop = await startFaultyServer(perform, (request) => {
    received.push(request);
    return faults.shift();
  });
});
afterAll(async () => {
  await shop.close();
  await api.close();
});
beforeEach(async () => {
  [received, effects, faults] = [[], [], []];
  org = await api.createOrg();
  turn = await newTurn(api, org);
});

const wanted = (callId: string) => ({ orgId: org.id, callId, lockForEffect: async () => undefined });
const run = (callId: string) => runCall(api.deps, wanted(callId), NEVER);
const GET = { request_type: 'GET', payload: { parameters: [{ name: 'order', in: 'query', required: true }] } };
const asked = { arguments: { query_params: { order: 'A-1' } } };

describe('a call of the AI', () => {
  it('is sent once with its id as the key, and the same call gets the stored receipt', async () => {
    const action = await newAction(org, shop.url);
    const call = await proposed(api.db, turn, action);
    expect(call.state).toBe('proposed');
    expect(received).toEqual([]);
    const done = await run(call.id);
    expect(done).toMatchObject({ state: 'done', status: 200, response: { refunded: true }, tries: 1 });
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual([call.id]);
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({ order: 'A-1', amount: 20 });

    const next = await addTurn(api.db, org, turn.sessionId);
    const again = await proposed(api.db, next, action, { arguments: { body_params: { amount: 20, order: 'A-1' } } });
    expect(again).toMatchObject({ id: call.id, state: 'done' });
    expect(await run(again.id)).toMatchObject({ id: call.id, state: 'done' });
    expect(received).toHaveLength(1);
    expect(await listCallsOfSession(api.db, org.id, turn.sessionId, 0)).toMatchObject([{ id: call.id, state: 'done' }]);
  });

  it('is another one with other arguments, for another contact, or in another conversation', async () => {
    const action = await newAction(org, shop.url);
    const { id: contactId } = (await org.post('/contacts', { contact: { email: 'ann@example.com' } })).body;
    const ids = [
      await proposed(api.db, turn, action),
      await proposed(api.db, turn, action, { arguments: { body_params: { order: 'A-1', amount: 21 } } }),
      await proposed(api.db, turn, action, { contactId }),
      await proposed(api.db, { ...turn, epoch: 7 }, action),
      await proposed(api.db, await newTurn(api, org), action),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(5);
  });

  it('is the same one after its contact was merged into another, also twice, and with its values for actions', async () => {
    const action = await newAction(org, shop.url);
    const save = async (name: string): Promise<string> =>
      (await org.post('/contacts', { contact: { email: `${name}@merged.example` } })).body.id;
    const [first, second, third] = [await save('first'), await save('second'), await save('third')];
    const headers = { 'x-customer': 'C-1' };
    await org.patch(`/contacts/${first}`, { contact: { http_action_overrides: { headers } } });
    const other = { arguments: { body_params: { order: 'A-2', amount: 20 } } };
    const call = await proposed(api.db, turn, action, { contactId: first });
    const waiting = await proposed(api.db, turn, action, { contactId: first, ...other });
    await run(call.id);
    await org.post(`/contacts/${second}/merge`, { from_id: first });
    const later = await addTurn(api.db, org, turn.sessionId);
    expect(await proposed(api.db, later, action, { contactId: second })).toMatchObject({ id: call.id, state: 'done' });
    await run(waiting.id);
    await org.post(`/contacts/${third}/merge`, { from_id: second });
    for (const same of [{}, other])
      expect((await proposed(api.db, later, action, { contactId: third, ...same })).state).toBe('done');
    const unlike = { arguments: { body_params: { order: 'A-3', amount: 20 } } };
    const added = await proposed(api.db, later, action, { contactId: third, ...unlike });
    expect(await proposed(api.db, later, action, { contactId: third, ...unlike })).toMatchObject({ id: added.id });
    await run(added.id);
    expect(effects.map(({ headers: sent }) => sent['x-customer'])).toEqual(['C-1', 'C-1', 'C-1']);
  });

  it('reads anew in a later turn, because what was read can be outdated', async () => {
    const action = await newAction(org, shop.url, GET);
    const call = await proposed(api.db, turn, action, asked);
    await run(call.id);
    expect(await proposed(api.db, turn, action, asked)).toMatchObject({ id: call.id });
    const next = await addTurn(api.db, org, turn.sessionId);
    expect((await proposed(api.db, next, action, asked)).id).not.toBe(call.id);
  });

  it.each([
    ['a missing part', { body_params: { amount: 20 } }, /order/],
    ['a wrong type', { body_params: { order: 'A-1', amount: 'much' } }, /amount/],
    ['an unknown part', { body_params: { order: 'A-1', free: true } }, /body_params/],
    ['an unknown parameter', { query_params: { a: 1 }, body_params: { order: 'A-1' } }, /query_params\.a/],
    ['an unknown group', { body: { order: 'A-1' } }, /body/],
    ['no object', 'order A-1', /object/],
    ['text that cannot be stored', { body_params: { order: 'A\u0000' } }, /NUL/],
    ['half a character', { body_params: { order: '\ud800' } }, /well-formed/],
  ])('with %s is refused with what to change, and nothing is stored', async (_, given, message) => {
    const answer = await propose(api.db, turn, await newAction(org, shop.url), { arguments: given });
    expect(answer.refusal).toMatchObject({ code: 'invalid_arguments', message: expect.stringMatching(message) });
    expect(await listCallsOfSession(api.db, org.id, turn.sessionId, 0)).toEqual([]);
  });

  it('needs no value that the org’s overrides supply', async () => {
    await org.patch('/org/settings', {
      http_action_overrides: { hosts: [shop.url], body_params: { order: 'of the org' } },
    });
    const call = await proposed(api.db, turn, await newAction(org, shop.url), { arguments: { body_params: {} } });
    expect((await run(call.id)).state).toBe('done');
    expect(JSON.parse(effects[0]?.body ?? '')).toEqual({ order: 'of the org' });
  });

  it.each([
    ['nothing', {}, {}, null],
    ['a form', { require_form_submission: true }, {}, ['customer', 'form']],
    ['an action that always asks', { confirm: 'always' }, {}, ['customer', 'always']],
    ['a change after untrusted text', {}, { untrustedRead: true }, ['customer', 'untrusted']],
    ['a read after untrusted text', GET, { untrustedRead: true, ...asked }, null],
    ['an amount within the limits', { limits: { '>': [{ var: 'body_params.amount' }, 20] } }, {}, null],
    ['an amount over them', { limits: { '>': [{ var: 'body_params.amount' }, 19] } }, {}, ['agent', 'limits']],
    ['limits that compare a text', { limits: { '>': [{ var: 'body_params.order' }, 9] } }, {}, ['agent', 'limits']],
    ['limits and a form', { limits: true, require_form_submission: true }, {}, ['agent', 'limits']],
  ])('needs for %s the confirmation that the rules say', async (_, fields, more, needs) => {
    const call = await proposed(api.db, turn, await newAction(org, shop.url, fields), more);
    expect(call.state).toBe(needs === null ? 'proposed' : 'needs_confirmation');
    expect([call.needs, call.needs_because]).toEqual(needs ?? [null, null]);
    const ran = await run(call.id);
    expect(ran.state).toBe(needs === null ? 'done' : 'needs_confirmation');
    expect(received).toHaveLength(needs === null ? 1 : 0);
  });

  it('is refused for an unverified contact where the action requires a verified one', async () => {
    const action = await newAction(org, shop.url, { requires_verified: true });
    expect(await propose(api.db, turn, action, { isVerified: false })).toMatchObject({
      refusal: { code: 'identity_required' },
    });
    expect(await proposed(api.db, turn, action)).toMatchObject({ state: 'proposed' });
  });

  it('adds nothing of the visitor’s page but headers where limits were checked', async () => {
    const payload = { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } };
    const limits = { '>': [{ var: 'body_params.amount' }, 100] };
    const action = await newAction(org, shop.url, { payload, limits });
    const widget = await unverified(api, org);
    const sessionId = await widget.newSession();
    const messageId = crypto.randomUUID();
    await widget.send(sessionId, 'Refund it', {
      uuid: messageId,
      headers: { authorization: 'Bearer visitor' },
      body_properties: { amount: 9_999 },
      query_params: { amount: '9' },
    });
    const answering = await addTurn(api.db, org, sessionId, { answers: [messageId] });
    const call = await proposed(api.db, answering, action, { arguments: { body_params: { order: 'A-1' } } });
    await run(call.id);
    expect(effects).toMatchObject([{ headers: { authorization: 'Bearer visitor' }, body: '{"order":"A-1"}' }]);
    expect(effects[0]?.url.search).toBe('');
  });
});

describe('the outcome of a call', () => {
  const outcomes: [string, object, Fault[], object][] = [
    ['429 to a change', {}, [tooManyRequests()], { state: 'failed', status: 429, requests: 1, effects: 0 }],
    ['500 to a change', {}, [errorAfter(500)], { state: 'unknown', status: 500, requests: 1, effects: 1 }],
    ['a reset after the effect', {}, [resetAfter], { state: 'unknown', status: null, requests: 1, effects: 1 }],
    ['a slow answer', {}, [slow(1_500)], { state: 'done', status: 200, requests: 1, effects: 1 }],
    ['500 to a read, then an answer', GET, [errorAfter(500)], { state: 'done', status: 200, requests: 2, effects: 2 }],
    ['500 to every read', GET, [errorAfter(), errorAfter(), errorAfter()], { state: 'failed', requests: 3 }],
    ['a reset where a retry is safe', { retry_safe: true }, [resetAfter], { state: 'done', requests: 2, effects: 2 }],
    [
      'resets where a retry is safe',
      { retry_safe: true },
      [resetAfter, resetAfter, resetAfter],
      { state: 'unknown', requests: 3 },
    ],
    [
      'a refusal of the repeat',
      { retry_safe: true },
      [resetAfter, { answer: { status: 409 }, when: 'before' }],
      { state: 'unknown', status: 409, requests: 2, effects: 1 },
    ],
  ];
  it.each(outcomes)('after %s is what is known', async (_, fields, given, expected) => {
    faults = [...given];
    const action = await newAction(org, shop.url, fields);
    const call = await proposed(api.db, turn, action, fields === GET ? asked : {});
    const settled = await run(call.id);
    expect({ ...settled, requests: received.length, effects: effects.length }).toMatchObject(expected);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([call.id]));
  });

  it('is a failure where nobody listens, and the call can be made again', async () => {
    const action = await newAction(org, 'http://127.0.0.1:9');
    const call = await proposed(api.db, turn, action);
    expect(await run(call.id)).toMatchObject({ state: 'failed', reason: expect.stringContaining('127.0.0.1') });
    expect((await proposed(api.db, turn, action)).id).not.toBe(call.id);
  });

  it('is unknown for good: nothing sends it again until an agent has settled it', async () => {
    faults = [resetAfter];
    const action = await newAction(org, shop.url);
    const { id } = await proposed(api.db, turn, action);
    await run(id);
    expect(await run(id)).toMatchObject({ state: 'unknown' });
    expect(await propose(api.db, turn, action)).toMatchObject({ refusal: { code: 'outcome_unknown' } });
    expect(received).toHaveLength(1);
    expect((await org.get('/autopilot/calls?state=unknown')).body).toMatchObject({ items: [{ id }], next: null });

    const settle = (body: object, who = org) => who.post(`/autopilot/calls/${id}/settle`, body);
    expect((await settle({ outcome: 'done', note: 'Seen' }, api.other)).status).toBe(404);
    expect((await settle({ outcome: 'perhaps', note: 'Seen' })).status).toBe(400);
    const both = await Promise.all([1, 2].map(() => settle({ outcome: 'not_done', note: 'Not in the list' })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const again = await proposed(api.db, turn, action);
    expect(again.id).not.toBe(id);
    expect(await run(again.id)).toMatchObject({ state: 'done' });
    expect((await settle({ outcome: 'done', note: 'Seen' })).status).toBe(409);
  });

  it('a call that an agent has settled as done is a receipt', async () => {
    faults = [resetAfter];
    const action = await newAction(org, shop.url);
    const { id } = await proposed(api.db, turn, action);
    await run(id);
    const { body } = await org.post(`/autopilot/calls/${id}/settle`, { outcome: 'done', note: 'It is in the list' });
    expect(body).toMatchObject({ state: 'done', reason: 'It is in the list' });
    expect(await proposed(api.db, turn, action)).toMatchObject({ id, state: 'done' });
    expect(received).toHaveLength(1);
  });

  it('is waited for by whoever runs the same call at the same time', async () => {
    faults = [slow(1_000)];
    const { id } = await proposed(api.db, turn, await newAction(org, shop.url));
    const both = await Promise.all([run(id), run(id), run(id)]);
    expect(both.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    expect(received).toHaveLength(1);
  });

  it.each([
    ['a change', {}, 'unknown', 1],
    ['a change that may be repeated', { retry_safe: true }, 'done', 2],
    ['a read', GET, 'done', 2],
  ])(
    'the outcome of %s is honest after the process was killed during the request',
    async (_, fields, state, requests) => {
      faults = [slow(60_000)];
      const action = await newAction(org, shop.url, fields);
      const { id } = await proposed(api.db, turn, action, fields === GET ? asked : {});
      const child = spawn(process.execPath, [RUNNER, api.databaseUrl, KEYS, org.id, id], { stdio: 'ignore' });
      await eventually('the request', () => received.length === 1);
      const exit = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exit;
      expect(await run(id)).toMatchObject({ state });
      expect(await run(id)).toMatchObject({ state });
      expect(received).toHaveLength(requests);
      expect(new Set(received.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([id]));
    },
  );

  it('is never lost to a cancellation: what is under way is seen to its end', async () => {
    faults = [slow(700)];
    const { id } = await proposed(api.db, turn, await newAction(org, shop.url));
    const controller = new AbortController();
    const running = runCall(api.deps, wanted(id), controller.signal);
    await eventually('the request', () => received.length === 1);
    controller.abort();
    expect(await running).toMatchObject({ state: 'done' });
    await expect(runCall(api.deps, wanted(id), controller.signal)).rejects.toThrow();
  });
});

describe('the redaction of a session', () => {
  it('removes the arguments and answers of its calls, also of one under way, and ends those that wait', async () => {
    const action = await newAction(org, shop.url);
    const asking = await newAction(org, shop.url, { name: 'Ask', confirm: 'always' });
    const done = await proposed(api.db, turn, action);
    await run(done.id);
    const waiting = await proposed(api.db, turn, asking);
    faults = [slow(800)];
    const other = await proposed(api.db, turn, action, { arguments: { body_params: { order: 'B-2' } } });
    const running = run(other.id);
    await eventually('the request', () => received.length === 2);
    const event = { subject_id: turn.sessionId, payload: { message_id: null } };
    await inTransaction(api.db, (trx) => redactSessionCalls(trx, org.id, [event as never]));
    expect(await running).toMatchObject({ state: 'done', response: null, arguments: null });
    const calls = await listCallsOfSession(api.db, org.id, turn.sessionId, 0);
    expect(calls.map(({ id, state }) => [id, state])).toEqual([
      [done.id, 'done'],
      [waiting.id, 'expired'],
      [other.id, 'done'],
    ]);
    expect(calls.every((call) => call.arguments === null && call.response === null)).toBe(true);
  });

  it('takes the texts of a call from the stored answer of an agent who settles it at the same time', async () => {
    faults = [resetAfter];
    const { id } = await proposed(api.db, turn, await newAction(org, shop.url));
    await run(id);
    const settle = () =>
      org.post(
        `/autopilot/calls/${id}/settle`,
        { outcome: 'done', note: 'It is in the list' },
        { headers: { 'idempotency-key': `settle ${id}` } },
      );
    const waiting = async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `.execute(api.db);
      return rows.length;
    };
    let isRedacted = false;
    const both = await api.db.transaction().execute(async (trx) => {
      await sql`select from ai_calls where id = ${id} for update`.execute(trx);
      const settled = settle();
      await eventually('the settlement to wait', async () => (await waiting()) === 1);
      const redacted = org.post('/redaction/session', { sessionId: turn.sessionId }).finally(() => {
        isRedacted = true;
      });
      await eventually('the redaction to wait or end', async () => isRedacted || (await waiting()) === 2);
      return [settled, redacted];
    });
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
    const again = await settle();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toMatchObject({ id, arguments: null, reason: null });
  });
});

it('a decision has stored the turn’s wake-up when it is answered, so nothing that dies afterwards can lose it', async () => {
  await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true });
  const waiting = await newTurn(api, org);
  const action = await newAction(org, shop.url, { confirm: 'always' });
  const wakes = () =>
    api.db
      .selectFrom('outbox')
      .select('workflow_id')
      .where('workflow_id', '=', `ai-turn/${waiting.sessionId}`)
      .execute();
  const { id } = await proposed(api.db, waiting, action);
  expect(await wakes()).toEqual([]);
  expect((await org.post(`/autopilot/confirmations/${id}/confirm`)).status).toBe(200);
  expect(await wakes()).toHaveLength(1);
});

it('tools are those of the channel: the pinned ones, and the 20 nearest to what is talked about', async () => {
  const names = Array.from({ length: 30 }, (_, nth) => `Ping server ${nth}`);
  for (const name of names) await newAction(org, shop.url, { name });
  const refund = await newAction(org, shop.url, { name: 'Refund', tags: ['money'] });
  const pinned = await newAction(org, shop.url, { name: 'Handbook', pinned: true });
  await newAction(org, shop.url, { name: 'Refund by mail', enabled_on_channel: { channels: ['email'] } });
  const tools = await listTools(api.db, org.id, { channel: 'web', text: 'I want my order refunded' });
  expect(tools).toHaveLength(21);
  expect(tools.map(({ id }) => id)).toEqual(expect.arrayContaining([refund, pinned]));
  expect(tools.map(({ name }) => name)).not.toContain('Refund by mail');
});
