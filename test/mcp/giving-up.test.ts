import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { install } from '@sinonjs/fake-timers';
import { type RawBuilder, sql } from 'kysely';
import { historyOf } from '../support/crm.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';
import { untilOneWaits } from '../support/stack/lock-waits.ts';
import { eventually } from '../support/stack/stack.ts';
import { type Assistant, CONNECT, older, type Result, textOf } from './assistants.ts';

/** Calls of a key at once. */
const SLOTS = 4;
const MINUTE_MS = 60_000;
const TEXT = 'Called back';

let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
  ({ org } = api);
});
afterAll(() => api.close());

async function newSession(): Promise<string> {
  const contact = await org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com` } });
  const session = await org.post('/chat/sessions', { contact_id: contact.body.id, channel: { type: 'web' } });
  return session.body.id;
}

interface Held extends AsyncDisposable {
  release(): Promise<void>;
}

/** Holds what the statement locks, so that calls wait for it. */
async function hold(statement: RawBuilder<unknown>): Promise<Held> {
  const { promise: isReleased, resolve } = Promise.withResolvers<void>();
  const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
  const transaction = api.db.transaction().execute(async (trx) => {
    await statement.execute(trx);
    locked();
    await isReleased;
  });
  await Promise.race([isLocked, transaction]);
  const release = () => {
    resolve();
    return transaction;
  };
  return { release, [Symbol.asyncDispose]: release };
}

const lock = (sessionId: string) => hold(sql`select from sessions where id = ${sessionId} for update`);

const linesOf = async (id: string, text = TEXT) => (await historyOf(org, id)).filter((line) => line.includes(text));

/** Waits until nothing of a call is left in the database. */
const untilNothingRuns = () =>
  eventually('the end of all transactions', async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' and xact_start is not null
    `.execute(api.db);
    return rows.length === 0;
  });

const WAYS: [string, (assistant: Assistant, call: AbortController) => void | Promise<void>][] = [
  ['cancels its call', (_, call) => call.abort()],
  ['closes its connection', (assistant) => assistant.close()],
];

describe.each(Object.entries(CONNECT))('%s', (_, connect) => {
  it.each(WAYS)('that %s in the middle of a change finds it done once, and repeats nothing', async (_way, giveUp) => {
    const id = await newSession();
    const [first, second] = [await connect(api.url, org.key), await connect(api.url, org.key)];
    await using held = await lock(id);
    const giving = new AbortController();
    const given = first.call('add_note', { id, text: TEXT }, giving.signal);
    await untilOneWaits(api.db);
    await giveUp(first, giving);
    await expect(given).rejects.toThrow();
    const meanwhile = await second.call('add_note', { id, text: TEXT });
    expect(textOf(meanwhile)).toMatch(/^409 request_in_progress: .*try again when it has ended/);
    expect(await linesOf(id)).toEqual([]);

    await held.release();
    await eventually('the note', async () => (await linesOf(id)).length > 0);
    await untilNothingRuns();
    expect((await second.call('add_note', { text: TEXT, id })).isError).toBeUndefined();
    expect(await linesOf(id)).toHaveLength(1);
    await Promise.all([first.close(), second.close()]);
  });

  it('that gives up leaves nothing behind: its calls take their places until they end, and no longer', async () => {
    const id = await newSession();
    const { key } = await org.withScopes('chat-sessions:write');
    const [leaving, other] = [await connect(api.url, key), await connect(api.url, key)];
    await using held = await lock(id);
    const arrived = arrivals(SLOTS);
    const calls = Array.from({ length: SLOTS }, (_nth, nth) => leaving.call('add_note', { id, text: `Left ${nth}` }));
    const ends = Promise.allSettled(calls);
    await arrived;
    await untilOneWaits(api.db);
    await leaving.close();
    expect((await ends).map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
    const refused = await other.call('add_note', { id, text: 'Too many' });
    expect(textOf(refused)).toMatch(/^429 too_many_at_once: .*It was not done/);

    await held.release();
    await eventually('the notes', async () => (await linesOf(id, 'Left')).length === SLOTS);
    await untilNothingRuns();
    const later = await Promise.all(calls.map((_call, nth) => other.call('add_note', { id, text: `Later ${nth}` })));
    expect(later.map(({ isError }) => isError)).toEqual(calls.map(() => undefined));
    expect(await linesOf(id, 'Too many')).toEqual([]);
    await other.close();
  });
});

/** Waits until so many more requests have come to the api. */
const arrivals = (count: number) =>
  new Promise<void>((resolve) => {
    let left = count;
    const countOne = () => {
      left--;
      if (left > 0) return;
      api.app.server.off('request', countOne);
      resolve();
    };
    api.app.server.on('request', countOne);
  });

it('a client that gives up on a message that its person has confirmed finds it sent once', async () => {
  expect((await org.patch('/org/settings', { mcp_confirm: 'client' })).status).toBe(200);
  const id = await newSession();
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
  );
  let held: Held | undefined;
  client.setRequestHandler('elicitation/create', async () => {
    held = await lock(id);
    return { action: 'accept', content: { confirm: true } };
  });
  const headers = { authorization: `Bearer ${org.key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit: { headers } }));
  const send = async (options?: { signal: AbortSignal }) =>
    (await client.callTool({ name: 'send_message', arguments: { id, text: 'On its way' } }, options)) as Result;
  const giving = new AbortController();
  const given = send({ signal: giving.signal });
  await untilOneWaits(api.db);
  giving.abort();
  await expect(given).rejects.toThrow();
  expect(textOf(await send())).toContain('running already');
  await held?.release();
  await eventually('the message', async () => (await linesOf(id, 'On its way')).length > 0);
  await untilNothingRuns();
  const again = await send();
  expect(textOf(again)).toContain('done already');
  const { confirmation_id } = again.structuredContent as { confirmation_id: string };
  expect((await org.get(`/mcp/confirmations/${confirmation_id}`)).body).toMatchObject({
    state: 'done',
    answer_status: 201,
  });
  expect(await linesOf(id, 'On its way')).toHaveLength(1);
  await client.close();
  await org.patch('/org/settings', { mcp_confirm: null });
});

it('the same call twice at once asks a person once', async () => {
  const id = await newSession();
  const assistant = await older(api.url, org.key);
  await using held = await hold(sql`lock table mcp_confirmations in exclusive mode`);
  const both = [1, 2].map(() => assistant.call('send_message', { id, text: 'On its way' }));
  await eventually('both to wait', async () => (await waiting()) === 2);
  await held.release();
  const ids = (await Promise.all(both)).map(({ structuredContent }) => structuredContent?.confirmation_id);
  expect(ids).toEqual([expect.any(String), ids[0]]);
  await assistant.close();
});

async function waiting(): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  `.execute(api.db);
  return rows.length;
}

it('a call that is repeated as the next minute begins is the same call, also while it runs', async () => {
  const id = await newSession();
  const assistant = await older(api.url, org.key);
  await using held = await lock(id);
  const clock = install({ toFake: ['Date'], now: Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS - 1_000 });
  try {
    const first = assistant.call('add_note', { id, text: TEXT });
    await untilOneWaits(api.db);
    clock.setSystemTime(Date.now() + 2_000);
    const second = await assistant.call('add_note', { id, text: TEXT });
    expect(textOf(second)).toMatch(/^409 request_in_progress: /);
    await held.release();
    expect((await first).isError).toBeUndefined();
    expect(await linesOf(id)).toHaveLength(1);
  } finally {
    clock.uninstall();
    await assistant.close();
  }
});
