import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { TOOLS } from '../../src/mcp/tools/service.ts';
import { signIn } from '../sign-in/signing-in.ts';
import { historyOf } from '../support/crm.ts';
import { startApi, type TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { type Assistant, CONNECT, older, type Result, textOf } from './assistants.ts';

let api: Stack;
let org: TestOrg;
beforeAll(async () => {
  api = await startStack();
  org = api.org;
});
afterAll(() => api.close());

const endpoint = () => new URL(`${api.url}/mcp`);
const sent = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

async function newSession(owner = org): Promise<string> {
  const contact = await owner.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com` } });
  const session = await owner.post('/chat/sessions', { contact_id: contact.body.id, channel: { type: 'web' } });
  return session.body.id;
}

describe.each(Object.entries(CONNECT))('%s', (_, connect) => {
  let assistant: Assistant;
  beforeAll(async () => {
    assistant = await connect(api.url, org.key);
  });
  afterAll(() => assistant.close());

  it('lists every tool of a full key, each with a closed schema', async () => {
    const tools = await assistant.tools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    for (const { name, inputSchema } of tools) {
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
      expect([name, inputSchema.additionalProperties]).toEqual([name, false]);
    }
    expect(assistant.instructions).not.toContain('lacks');
  });

  it('reads and writes, and marks texts of others as data', async () => {
    const saved = await assistant.call('save_contact', { email: `${crypto.randomUUID()}@example.com`, name: 'Ann' });
    expect(saved.isError).toBeUndefined();
    const { id } = saved.structuredContent as { id: string };
    const found = await assistant.call('get_contact', { id });
    expect(found.structuredContent).toMatchObject({ id, name: 'Ann' });
    expect(textOf(found)).toContain('not instructions');
    expect(JSON.parse(found.content[1]?.text ?? '')).toMatchObject({ id, name: 'Ann' });
  });

  it('says what to change, and never what is inside', async () => {
    const unknown = await assistant.call('get_session', { id: crypto.randomUUID() });
    expect(unknown).toMatchObject({ isError: true });
    expect(textOf(unknown)).toMatch(/^404 not_found: /);
    const misspelt = await assistant.call('search_contacts', { mail: 'ann@example.com' });
    expect(misspelt).toMatchObject({ isError: true });
    expect(textOf(misspelt)).toContain('mail');
    await expect(assistant.call('delete_contact', { id: crypto.randomUUID() })).rejects.toThrow('delete_contact');
  });

  it('does a repeated call once, within a minute or by its key, and says that it was a repetition', async () => {
    const id = await newSession();
    const note = { id, text: 'Called back' };
    const isRepetition = async (args: object) =>
      textOf(await assistant.call('add_note', { ...note, ...args })).startsWith('It was done before');
    expect([await isRepetition({}), await isRepetition({})]).toEqual([false, true]);
    expect((await historyOf(org, id)).filter(isNote)).toHaveLength(1);
    const keys = ['a purpose', 'another', 'another'].map((purpose) => ({ idempotency_key: `${purpose} of ${id}` }));
    const said: boolean[] = [];
    for (const key of keys) said.push(await isRepetition(key));
    expect(said).toEqual([false, false, true]);
    expect((await historyOf(org, id)).filter(isNote)).toHaveLength(3);
  });

  it('has what reaches a customer wait for a person, who is not its own key', async () => {
    const id = await newSession();
    const asked = await assistant.call('send_message', { id, text: 'It is on its way' });
    expect(asked.isError).toBeUndefined();
    const confirmation = (asked.structuredContent as { confirmation_id: string }).confirmation_id;
    expect(textOf(asked)).toContain(confirmation);
    const again = await assistant.call('send_message', { id, text: 'It is on its way' });
    expect(again.structuredContent).toMatchObject({ confirmation_id: confirmation });
    expect(await messagesOf(id)).toEqual([]);

    const unknown = await assistant.call('send_message', { id: crypto.randomUUID(), text: 'Hello' });
    expect(textOf(unknown)).toMatch(/^404 not_found: /);

    const path = `/mcp/confirmations/${confirmation}`;
    expect((await org.post(`${path}/confirm`)).status).toBe(403);
    expect((await api.other.post(`${path}/confirm`)).status).toBe(404);
    const weak = await org.withScopes('confirmations:write');
    expect((await weak.post(`${path}/confirm`)).body.message).toContain('chat-sessions:write');

    const person = await org.withScopes('confirmations:write', 'chat-sessions:write');
    const confirmed = await Promise.all([person.post(`${path}/confirm`), person.post(`${path}/confirm`)]);
    expect(confirmed.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await messagesOf(id)).toEqual([expect.stringContaining('It is on its way')]);
    const told = await assistant.call('get_confirmation', { id: confirmation });
    expect(told.structuredContent).toMatchObject({ state: 'done', decided_by: 'Test', answer_status: 201 });
  });
});

const isNote = (line: string) => line.startsWith('human_agent_comment');
const messagesOf = async (id: string) =>
  (await historyOf(org, id)).filter((line) => !line.startsWith('human_agent_comment'));

it('shows the tools of the key’s scopes alone, and names those that are missing', async () => {
  const { key } = await org.withScopes('contacts:read');
  const assistant = await older(api.url, key);
  expect((await assistant.tools()).map(({ name }) => name)).toEqual(['search_contacts', 'get_contact']);
  expect(assistant.instructions).toContain('contacts:write');
  await expect(assistant.call('save_contact', { email: 'ann@example.com' })).rejects.toThrow('save_contact');
  await assistant.close();
});

it('is one operation of the document for each tool, with its scope', async () => {
  const { body } = await api.client().get('/openapi.json');
  for (const { name, method, path, scope } of TOOLS) {
    const { security } = body.paths[path]?.[method.toLowerCase()] ?? {};
    expect([name, security]).toEqual([name, [{ org: [scope] }, { member: [] }]]);
  }
});

it('refuses calls beyond the limit of a key, and says how long to wait', async () => {
  const limited = await startApi({ env: { RATE_LIMIT_ASSISTANT: '3' } });
  const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new ModernTransport(new URL(`${limited.url}/mcp`), sent(limited.org.key)));
  const results: Result[] = [];
  for (let call = 0; call < 4; call++)
    results.push((await client.callTool({ name: 'search_contacts', arguments: {} })) as Result);
  expect(results.map(({ isError }) => isError === true)).toEqual([false, false, false, true]);
  expect(textOf(results[3] as Result)).toMatch(/^429 rate_limited: .*wait \d+ s/);
  await client.close();
  await limited.close();
});

it('gives nothing of another organization', async () => {
  const assistant = await older(api.url, api.other.key);
  for (const [name, id] of [
    ['get_session', await newSession()],
    ['get_history', await newSession()],
  ] as const)
    expect(textOf(await assistant.call(name, { id }))).toMatch(/^404 /);
  await assistant.close();
});

describe('a request that is none of a client', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(endpoint(), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${org.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

  it('is refused without a key, with an array, from a page of another origin, and over 256 KiB', async () => {
    const without = await post(list, { authorization: '' });
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const array = await post([list, list]);
    expect([array.status, await array.json()]).toMatchObject([400, { error: { code: -32_600 } }]);
    expect((await post(list, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ ...list, params: { text: 'x'.repeat(300_000) } })).status).toBe(413);
    expect((await post(list)).status).toBe(200);
  });
});

it('confirmations wait for a day, can be rejected, and go with a redaction of the session', async () => {
  const assistant = await older(api.url, org.key);
  const ask = async (id: string, text: string) => {
    const asked = await assistant.call('send_message', { id, text });
    return (asked.structuredContent as { confirmation_id: string }).confirmation_id;
  };
  const person = await org.withScopes('confirmations:write', 'chat-sessions:write', 'autopilot:read');
  const [first, second] = [await newSession(), await newSession()];
  const [rejected, late] = [await ask(first, 'No'), await ask(second, 'Late')];
  const waiting = (await person.get('/mcp/confirmations?limit=100')).body.items.map(({ id }: { id: string }) => id);
  expect(waiting).toEqual(expect.arrayContaining([rejected, late]));

  expect((await person.post(`/mcp/confirmations/${rejected}/reject`)).body).toMatchObject({ state: 'rejected' });
  expect((await person.post(`/mcp/confirmations/${rejected}/confirm`)).status).toBe(409);
  await api.db
    .updateTable('mcp_confirmations')
    .set({ expires_at: new Date(0) })
    .where('id', '=', late)
    .execute();
  expect((await person.get(`/mcp/confirmations/${late}`)).body).toMatchObject({ state: 'expired' });
  expect((await person.post(`/mcp/confirmations/${late}/confirm`)).status).toBe(410);
  expect(await messagesOf(first)).toEqual([]);

  await org.post('/redaction/session', { sessionId: first });
  await eventually('the request to be gone', async () => {
    const { status } = await person.get(`/mcp/confirmations/${rejected}`);
    return status === 404;
  });
  await assistant.close();
});

it('a call whose process has died is made once, by a second confirmation', async () => {
  const assistant = await older(api.url, org.key);
  const id = await newSession();
  const asked = await assistant.call('send_message', { id, text: 'Once' });
  const { confirmation_id: confirmation } = asked.structuredContent as { confirmation_id: string };
  const person = await org.withScopes('confirmations:write', 'chat-sessions:write');
  const confirm = () => person.post(`/mcp/confirmations/${confirmation}/confirm`);
  const die = (decided_at: Date) =>
    api.db
      .updateTable('mcp_confirmations')
      .set({ state: 'running', answer: null, answer_status: null, decided_at })
      .where('id', '=', confirmation)
      .execute();
  expect((await confirm()).status).toBe(200);
  await die(new Date());
  expect((await confirm()).status).toBe(409);
  await die(new Date(Date.now() - 120_000));
  expect((await confirm()).body).toMatchObject({ state: 'done', answer_status: 201 });
  expect(await messagesOf(id)).toHaveLength(1);
  await assistant.close();
});

describe('a client that can ask its person', () => {
  type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> };
  const YES: Answer = { action: 'accept', content: { confirm: true } };
  const confirmAt = async (mcp_confirm: 'client' | 'dashboard' | null) =>
    expect((await org.patch('/org/settings', { mcp_confirm })).status).toBe(200);
  beforeAll(() => confirmAt('client'));
  afterAll(() => confirmAt(null));

  /** A client whose person gives this answer, and the questions that it has shown. */
  async function askingClient(
    answer: Answer,
    {
      key = org.key,
      whileAsked,
      ...options
    }: { key?: string; whileAsked?: () => Promise<unknown>; versionNegotiation?: object } = {},
  ) {
    const questions: string[] = [];
    const bodies: { params?: { requestState?: string } }[] = [];
    const recording: typeof fetch = (url, request) => {
      if (typeof request?.body === 'string') bodies.push(JSON.parse(request.body));
      return fetch(url, request);
    };
    const client = new ModernClient(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } }, ...options },
    );
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push(params.message);
      await whileAsked?.();
      return answer;
    });
    await client.connect(new ModernTransport(endpoint(), { ...sent(key), fetch: recording }));
    const call = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })) as Result;
    return { questions, bodies, call, close: () => client.close() };
  }

  it('asks once with all of the arguments, and sends after a yes alone', async () => {
    for (const [answer, sentTexts] of [
      [YES, 1],
      [{ action: 'accept', content: { confirm: false } }, 0],
      [{ action: 'decline' }, 0],
      [{ action: 'cancel' }, 0],
    ] as const) {
      const id = await newSession();
      const { questions, call, close } = await askingClient(answer);
      const result = await call('send_message', { id, text: 'It is on its way' });
      expect(questions).toEqual([expect.stringContaining('text: "It is on its way"')]);
      expect(questions[0]).toContain(id);
      expect(await messagesOf(id)).toHaveLength(sentTexts);
      if (sentTexts === 0) expect(result.structuredContent).toMatchObject({ state: 'rejected' });
      else expect(result.structuredContent).toMatchObject({ success: true });
      await close();
    }
  });

  it('makes a call once if its state is sent again, and none with a state or arguments of another', async () => {
    const id = await newSession();
    const { bodies, call, close } = await askingClient(YES);
    await call('send_message', { id, text: 'Once' });
    const answered = bodies.find(({ params }) => params?.requestState !== undefined) as { params: object };
    const replay = async (params: object, key = org.key) => {
      const response = await fetch(endpoint(), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'send_message',
        },
        body: JSON.stringify({ ...answered, params: { ...answered.params, ...params } }),
      });
      return response.text();
    };
    expect(await replay({})).toContain('done already');
    expect(await replay({ arguments: { id, text: 'Another' } })).toContain('404 not_found');
    expect(await replay({ requestState: 'v1.e30.AAAA' })).toContain('-32602');
    const { key } = await org.withScopes('chat-sessions:write');
    expect(await replay({}, key)).toContain('-32602');
    const unasked = await replay({ requestState: undefined, arguments: { id, text: 'Unasked' } });
    expect(unasked).toContain('input_required');
    expect(await messagesOf(id)).toHaveLength(1);
    await close();
  });

  it('leaves it to the console unless the org wants a client’s word, and where the text is too long for a question', async () => {
    const { questions, call, close } = await askingClient(YES);
    const id = await newSession();
    const tools = { send_message: { id, text: 'Hello' }, trigger_workflow: { id }, start_sequence: { id: 'unknown' } };
    for (const place of [null, 'dashboard'] as const) {
      await confirmAt(place);
      for (const [tool, args] of Object.entries(tools)) {
        const { structuredContent } = await call(tool, args);
        expect([place, tool, structuredContent]).toEqual([
          place,
          tool,
          expect.objectContaining({ state: 'needs_confirmation' }),
        ]);
      }
    }
    await confirmAt('client');
    const long = await call('send_message', { id, text: 'x'.repeat(5_000) });
    expect(long.structuredContent).toMatchObject({ state: 'needs_confirmation' });
    expect([questions, await messagesOf(id)]).toEqual([[], []]);
    const unknown = await call('start_sequence', { id: 'missing' });
    expect(textOf(unknown)).toMatch(/^404 /);
    expect(questions).toHaveLength(1);
    await close();
  });

  it('has members hear, once, of a call that moves to the console while its client asks', async () => {
    const id = await newSession();
    const member = await signIn(api, 'agent');
    const { questions, call, close } = await askingClient(YES, { whileAsked: () => confirmAt('dashboard') });
    const moved = await call('send_message', { id, text: 'Moved' });
    const again = await call('send_message', { id, text: 'Moved' });
    await confirmAt('client');
    const { confirmation_id } = moved.structuredContent as { confirmation_id: string };
    expect(again.structuredContent).toMatchObject({ confirmation_id, state: 'needs_confirmation' });
    expect(await messagesOf(id)).toEqual([]);
    expect(questions).toHaveLength(1);
    expect((await member.get('/me/notifications')).body.items).toMatchObject([
      { kind: 'confirmation', session_id: id, data: { mcp_confirmation_id: confirmation_id } },
    ]);
    await close();
  });

  it('has members hear of a call that was asked about at a client, and is asked for again where none asks', async () => {
    const id = await newSession();
    const member = await signIn(api, 'agent');
    const { call, close } = await askingClient(
      { action: 'cancel' },
      { whileAsked: () => Promise.reject(new Error('closed')) },
    );
    await call('send_message', { id, text: 'Left' }).catch(() => undefined);
    const assistant = await older(api.url, org.key);
    const { structuredContent } = await assistant.call('send_message', { id, text: 'Left' });
    const { confirmation_id } = structuredContent as { confirmation_id: string };
    expect((await member.get('/me/notifications')).body.items).toMatchObject([
      { kind: 'confirmation', session_id: id, data: { mcp_confirmation_id: confirmation_id } },
    ]);
    await Promise.all([assistant.close(), close()]);
  });

  it('of 2025 is not asked, although it could be', async () => {
    const id = await newSession();
    const { questions, call, close } = await askingClient(YES, { versionNegotiation: { mode: 'legacy' } });
    const result = await call('send_message', { id, text: 'Hello' });
    expect(result.structuredContent).toMatchObject({ state: 'needs_confirmation' });
    expect(questions).toEqual([]);
    await close();
  });
});
