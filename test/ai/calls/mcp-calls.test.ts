import { spawn } from 'node:child_process';
import { runCall } from '../../../src/ai/calls/running.service.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type Era, type FakeMcpServer, type McpFault, startFakeMcpServer } from '../../support/fakes/mcp-server.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';
import { newTurn, propose, proposed, type TestTurn } from './calling.ts';

const RUNNER = new URL('./run-call.ts', import.meta.url).pathname;
const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const NEVER = new AbortController().signal;
const REFUND = { arguments: { body_params: { order: 'A-1', amount: 20 } } };
const FIND = { arguments: { body_params: { order: 'A-1' } } };
const IS_LONG = process.env.TEST_TIER === 'long';
const inLongTier = IS_LONG ? describe : describe.skip;

let api: TestApi;
let org: TestOrg;
let turn: TestTurn;
let shops: Record<Era, FakeMcpServer>;
let shop: FakeMcpServer;
beforeAll(async () => {
  api = await startApi({ env: FAKES_ALLOWED });
  shops = {
    '2026': await startFakeMcpServer('2026'),
    '2025': await startFakeMcpServer('2025'),
    '2025 with sessions': await startFakeMcpServer('2025 with sessions'),
  };
});
afterAll(async () => {
  for (const one of Object.values(shops)) await one.close();
  await api.close();
});
beforeEach(async () => {
  org = await api.createOrg();
  turn = await newTurn(api, org);
});

/** Connects a server with its tools accepted. Returns the ids of their actions. */
async function connect(era: Era, fields: object = {}) {
  shop = shops[era];
  shop.received.length = 0;
  shop.effects.length = 0;
  const { status, body } = await org.post('/actions/mcp', { name: 'shop', url: shop.url });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const tools = body.tools as { name: string; definition_hash: string; action_id: string }[];
  await org.post('/actions/mcp/shop/accept', {
    tools: tools.map(({ name, definition_hash }) => ({ name, definition_hash })),
  });
  const [refund = '', find = ''] = tools.map(({ action_id }) => action_id);
  await org.patch(`/actions/${refund}`, { confirm: 'auto', ...fields });
  await org.patch(`/actions/${find}`, { confirm: 'auto', read_only: true });
  return { refund, find };
}

const run = (callId: string) =>
  runCall(api.deps, { orgId: org.id, callId, lockForEffect: async () => undefined }, NEVER);

const RESETS: McpFault[] = [{ resets: true }, { resets: true }, { resets: true }];

describe.each<Era>(['2026', '2025', '2025 with sessions'])('a call of a tool at a server of %s', (era) => {
  const outcomes: [string, 'refund' | 'find', object, McpFault[], object][] = [
    [
      'a result',
      'refund',
      {},
      [],
      { state: 'done', status: 200, response: { structured: { refunded: true } }, calls: 1, effects: 1 },
    ],
    [
      'a result that breaks the schema of the tool',
      'refund',
      {},
      [{ result: { content: [], structuredContent: { refunded: 'yes' } } }],
      {
        state: 'done',
        response: { structured: { refunded: 'yes' }, notes: [expect.stringContaining('breaks the schema')] },
        calls: 1,
      },
    ],
    [
      'an image',
      'refund',
      {},
      [{ result: { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] } }],
      { state: 'done', response: { notes: [expect.stringContaining('left out')] } },
    ],
    [
      'an error of a change',
      'refund',
      { retry_safe: true },
      [{ result: { isError: true, content: [{ type: 'text', text: 'Out of money' }] } }],
      { state: 'unknown', status: 422, response: { is_error: true, text: 'Out of money' }, calls: 1 },
    ],
    [
      'an error of a read',
      'find',
      {},
      [{ result: { isError: true, content: [{ type: 'text', text: 'No such order' }] } }],
      { state: 'failed', response: { text: 'No such order' }, calls: 1 },
    ],
    [
      'refused arguments',
      'refund',
      {},
      [{ result: { isError: true, content: [{ type: 'text', text: 'Input validation error: order' }] } }],
      { state: 'failed', calls: 1 },
    ],
    [
      'an unknown tool',
      'refund',
      {},
      [{ error: -32_602 }],
      { state: 'failed', reason: expect.stringContaining('refused the call'), calls: 1 },
    ],
    ['an inner error', 'refund', {}, [{ error: -32_603 }], { state: 'unknown', calls: 1 }],
    ['401', 'refund', {}, [{ status: 401 }], { state: 'failed', reason: expect.stringContaining('401'), calls: 1 }],
    ['403 for a scope', 'refund', {}, [{ status: 403 }], { state: 'failed', calls: 1 }],
    ['413', 'refund', {}, [{ status: 413 }], { state: 'failed', calls: 1 }],
    ['429', 'refund', {}, [{ status: 429 }], { state: 'failed', calls: 1 }],
    ['500 after the effect', 'refund', {}, [{ status: 500, after: true }], { state: 'unknown', calls: 1, effects: 1 }],
    ['202 and nothing', 'refund', {}, [{ status: 202, after: true }], { state: 'unknown', calls: 1, effects: 1 }],
    [
      'an empty stream',
      'refund',
      {},
      [{ status: 200, type: 'text/event-stream', after: true }],
      { state: 'unknown', calls: 1 },
    ],
    ['HTML', 'refund', {}, [{ status: 200, type: 'text/html', body: '<p>Welcome' }], { state: 'unknown', calls: 1 }],
    ['a redirect', 'refund', {}, [{ status: 307, location: 'http://127.0.0.1:9/mcp' }], { state: 'unknown', calls: 1 }],
    [
      'more than 2 MiB',
      'refund',
      {},
      [{ bytes: 3_000_000 }],
      { state: 'unknown', reason: expect.stringContaining('bytes'), calls: 1 },
    ],
    ['a server that dies in the middle', 'refund', {}, [{ dies: true }], { state: 'unknown', calls: 1 }],
    ['a server that dies in the middle of a read', 'find', {}, [{ dies: true }], { state: 'done', calls: 2 }],
    [
      'a lost answer where a retry is safe',
      'refund',
      { retry_safe: true },
      [{ resets: true, after: true }],
      { state: 'done', calls: 2, effects: 1 },
    ],
    ['lost answers where a retry is safe', 'refund', { retry_safe: true }, RESETS, { state: 'unknown', calls: 3 }],
  ];
  // Most failures are those of HTTP, which are the same with each package.
  const isLeftToLongTier =
    era === '2026' ? /^(403|413|an empty|lost answers)/ : /^(?!a result$|a server that dies in the middle$)/;
  const tried = outcomes.filter(([name]) => IS_LONG || !isLeftToLongTier.test(name));

  it.each(tried)(
    'knows after %s what is known, and sends no call twice that may not be',
    async (_, tool, fields, faults, expected) => {
      const actions = await connect(era, fields);
      shop.next(...faults);
      const call = await proposed(api.db, turn, actions[tool], tool === 'refund' ? REFUND : FIND);
      const settled = await run(call.id);
      expect({ ...settled, calls: shop.calls().length, effects: shop.effects.length }).toMatchObject(expected);
      expect(new Set(shop.calls().map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([call.id]));
    },
  );
});

describe('a call of a tool', () => {
  it('that asks a question gets no answer, and was not done', async () => {
    const { refund } = await connect('2026');
    shop.next({ asks: true });
    const { id } = await proposed(api.db, turn, refund, REFUND);
    expect(await run(id)).toMatchObject({ state: 'failed', reason: expect.stringContaining('needs_input') });
  });

  it('is one request once its server is known', async () => {
    const { refund } = await connect('2026');
    shop.received.length = 0;
    await run((await proposed(api.db, turn, refund, REFUND)).id);
    expect(shop.received.map(({ rpc }) => rpc)).toEqual(['tools/call']);
  });

  it('that is repeated acts once, and never with what the org adds to other actions', async () => {
    const { refund } = await connect('2026');
    const hosts = [new URL(shop.url).origin];
    const overrides = { hosts, headers: { 'x-customer': 'ann' }, body_params: { order: 'B-2' } };
    expect((await org.patch('/org/settings', { http_action_overrides: overrides })).status).toBe(200);
    const first = await proposed(api.db, turn, refund, REFUND);
    const both = await Promise.all([run(first.id), run(first.id)]);
    expect(both.map(({ state }) => state)).toEqual(['done', 'done']);
    expect(
      await proposed(api.db, turn, refund, { arguments: { body_params: { amount: 20, order: 'A-1' } } }),
    ).toMatchObject({
      id: first.id,
      state: 'done',
    });
    expect(shop.effects).toMatchObject([{ arguments: { order: 'A-1', amount: 20 }, key: first.id }]);
    expect(shop.calls()[0]?.headers).not.toHaveProperty('x-customer');
    const { refusal } = await propose(api.db, turn, refund, { arguments: { body_params: {} } });
    expect(refusal).toMatchObject({ code: 'invalid_arguments', message: expect.stringContaining('order') });
  });

  it('needs a confirmation after texts of others, unless the org says that it only reads', async () => {
    const { refund, find } = await connect('2026');
    expect(await proposed(api.db, turn, refund, { ...REFUND, untrustedRead: true })).toMatchObject({
      state: 'needs_confirmation',
      needs_because: 'untrusted',
    });
    expect(await proposed(api.db, turn, find, { ...FIND, untrustedRead: true })).toMatchObject({ state: 'proposed' });
  });

  it('that was proposed for an earlier definition is not made by a later one', async () => {
    const { refund } = await connect('2026');
    const call = await proposed(api.db, turn, refund, REFUND);
    const [tool] = (await org.get('/actions/mcp/shop')).body.tools;
    await org.post('/actions/mcp/shop/accept', {
      tools: [{ name: tool.name, definition_hash: tool.definition_hash }],
    });
    expect(await run(call.id)).toMatchObject({ state: 'failed', reason: expect.stringContaining('tool_changed') });
    expect(shop.calls()).toEqual([]);
  });

  it('fails where its server is away, and works again with one that speaks another version', async () => {
    const { refund } = await connect('2026');
    const older = await startFakeMcpServer('2025');
    const moved = await org.patch('/actions/mcp/shop', { url: older.url });
    expect(moved.body.protocol).toBe('2025-11-25');
    await older.close();
    const [tool] = moved.body.tools;
    await org.post('/actions/mcp/shop/accept', { tools: [{ name: tool.name, definition_hash: tool.definition_hash }] });
    expect((await proposed(api.db, turn, refund, REFUND)).state).toBe('needs_confirmation'); // it may be another server
    await org.patch(`/actions/${refund}`, { confirm: 'auto' });
    const call = await proposed(api.db, turn, refund, { arguments: { body_params: { order: 'A-2', amount: 20 } } });
    expect(await run(call.id)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('could not be reached'),
    });
  });
});

inLongTier('a process that is killed during a call of a tool', () => {
  it.each<[string, object, string, number]>([
    ['a change', {}, 'unknown', 1],
    ['a change that may be repeated', { retry_safe: true }, 'done', 2],
  ])('leaves an honest outcome of %s', async (_, fields, state, requests) => {
    const { refund } = await connect('2025 with sessions', fields);
    shop.next({ waits: 60_000 });
    const { id } = await proposed(api.db, turn, refund, REFUND);
    const child = spawn(process.execPath, [RUNNER, api.databaseUrl, KEYS, org.id, id], { stdio: 'ignore' });
    await eventually('the request', () => shop.calls().length === 1);
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exit;
    expect(await run(id)).toMatchObject({ state });
    expect(await run(id)).toMatchObject({ state });
    expect(shop.calls()).toHaveLength(requests);
    expect(shop.effects.length).toBeLessThanOrEqual(1);
  });
});
