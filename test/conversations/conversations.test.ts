import { addMember } from '../../src/orgs/members/service.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const newContact = async (more: object = {}): Promise<string> =>
  (await api.org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com`, ...more } })).body.id;

async function newSession(body: object = {}): Promise<string> {
  const answer = await api.org.post('/chat/sessions', { contact_id: await newContact(), ...body });
  expect(answer.status).toBe(201);
  return answer.body.id;
}
const say = (id: string, sender: 'contact' | 'agent', text: string, more: object = {}) =>
  api.org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text }, ...more });
const session = async (id: string) => (await api.org.get(`/chat/sessions/${id}`)).body;
const events = async (id: string) =>
  (await api.org.get(`/chat/sessions/${id}/history`)).body.items.map(({ event }: { event: object }) => event);
/** The announced events, without the session's state in them. */
const announced = async (id: string) =>
  (
    await api.db.selectFrom('outbox').select(['type', 'payload']).where('subject_id', '=', id).orderBy('id').execute()
  ).map(({ type, payload: { session: _, ...payload } }) => [type, payload]);

describe('a session', () => {
  it('is opened with a contact, and returned with its contact, channel and ticket number', async () => {
    const contactId = await newContact({ name: 'Ada', custom_data: { plan: 'pro' } });
    const id = await newSession({ contact_id: contactId, channel: { type: 'web' }, verified: true });
    expect(await session(id)).toEqual({
      id,
      ticket_number: expect.any(Number),
      status: 'open',
      custom_status_id: null,
      ai_closure_type: null,
      sentiment: null,
      channel: { type: 'web' },
      assist_mode: false,
      verified: true,
      waiting_on: null,
      language: null,
      assignee_id: null,
      answered_by: 'nobody',
      can_send: { ok: true, reason: null },
      ai: { state: 'off', turn_id: null, label: null },
      waiting_since: null,
      read_up_to: null,
      team: null,
      tags: [],
      contact: {
        id: contactId,
        name: 'Ada',
        email: expect.stringContaining('@example.com'),
        phone_number: null,
        custom_data: { plan: 'pro' },
      },
      custom_data: {},
      editable_custom_data: {},
      summary: null,
      summary_by: null,
      handoff: null,
      ticketing_system: null,
      snoozed_at: null,
      snoozed_until: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      last_message_at: null,
    });
    expect(await announced(id)).toEqual([['ticket-created', {}]]);
  });

  it('may be opened without a contact, by default on the channel api', async () => {
    const { body } = await api.org.post('/chat/sessions', {});
    expect(await session(body.id)).toMatchObject({ contact: null, channel: { type: 'api' }, verified: null });
  });

  it('cannot be opened with a contact of another org', async () => {
    const foreign = (await api.other.post('/contacts', { contact: { name: 'Eve' } })).body.id;
    const { status, body } = await api.org.post('/chat/sessions', { contact_id: foreign });
    expect(status).toBe(400);
    expect(body.issues).toEqual([{ path: 'body.contact_id', message: expect.stringContaining('GET /contacts') }]);
  });

  it('gets a ticket number without gaps, even with concurrent requests', async () => {
    const before = (await session(await newSession())).ticket_number;
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        api.org.post('/chat/sessions', n % 5 === 0 ? { contact_id: crypto.randomUUID() } : {}),
      ),
    );
    expect((await session(await newSession())).ticket_number).toBe(before + 24 + 1);
  });

  it('is listed by status, channel and handoff, in pages', async () => {
    const ids = [await newSession({ channel: { type: 'slack' } }), await newSession({ channel: { type: 'slack' } })];
    await api.org.patch(`/chat/sessions/${ids[0]}`, { status: 'closed_unresolved' });
    await api.org.post(`/chat/sessions/${ids[1]}/handoff`, {});
    const list = async (query: string) =>
      (await api.org.get(`/chat/sessions?channel_type=slack&${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect(await list('')).toEqual(ids);
    expect(await list('status=closed_unresolved')).toEqual([ids[0]]);
    expect(await list('handed_off=true')).toEqual([ids[1]]);
    expect(await list('handed_off=false')).toEqual([ids[0]]);
    const first = (await api.org.get('/chat/sessions?channel_type=slack&limit=1')).body;
    expect(await list(`cursor=${first.next}`)).toEqual([ids[1]]);
  });
});

describe('messages of a session', () => {
  it('appear in the history in order, and set the party the session waits on', async () => {
    const id = await newSession();
    expect((await say(id, 'contact', 'Hello?', { contact: { name: 'Ada' } })).body).toEqual({
      success: true,
      data: { success: true, sessionIsHandedOff: false },
    });
    expect(await session(id)).toMatchObject({ waiting_on: 'human_agents', contact: { name: 'Ada' } });
    await say(id, 'agent', 'Hi!', { agent: { id: 7, name: 'Grace', avatar_url: 'https://example.com/g.png' } });
    expect(await session(id)).toMatchObject({ waiting_on: 'customers', last_message_at: expect.any(String) });
    expect(await events(id)).toMatchObject([
      {
        type: 'message',
        sender: { type: 'contact' },
        content: { type: 'text', text: 'Hello?' },
        sender_name: 'Ada',
        sender_id: null,
        attachments: [],
      },
      {
        type: 'message',
        sender: { type: 'human_agent' },
        content: { type: 'text', text: 'Hi!' },
        sender_name: 'Grace',
        sender_id: 7,
      },
    ]);
  });

  it('messages of many concurrent senders are all stored once, and all returned by its pages', async () => {
    const id = await newSession();
    await Promise.all(Array.from({ length: 40 }, (_, n) => say(id, n % 2 === 0 ? 'contact' : 'agent', `m${n}`)));
    const seen: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const { body } = await api.org.get(`/chat/sessions/${id}/history?limit=7${next && `&cursor=${next}`}`);
      seen.push(...body.items.map(({ event }: { event: { content: { text: string } } }) => event.content.text));
      next = body.next;
    }
    expect(seen.toSorted()).toEqual(Array.from({ length: 40 }, (_, n) => `m${n}`).toSorted());
  });

  it('messages of a contact reopen a closed session, and their details are merged into the contact', async () => {
    const id = await newSession();
    await api.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    await say(id, 'contact', 'Not yet', { contact: { custom_data: { plan: 'pro' } } });
    expect(await session(id)).toMatchObject({ status: 'open', contact: { custom_data: { plan: 'pro' } } });
    expect(await events(id)).toMatchObject([
      { type: 'status_changed', from: 'open', to: 'closed_resolved' },
      { type: 'status_changed', from: 'closed_resolved', to: 'open' },
      { type: 'message', content: { text: 'Not yet' } },
    ]);
  });

  it('make their sender the contact of a session without one', async () => {
    const id = await newSession({ contact_id: undefined });
    const email = `${crypto.randomUUID()}@example.com`;
    expect((await say(id, 'contact', 'Hi', { contact: { phone_number: '12' } })).status).toBe(400);
    await say(id, 'contact', 'Hi', { contact: { name: 'Ada', email, custom_data: { plan: 'pro' } } });
    expect((await session(id)).contact).toMatchObject({ name: 'Ada', email, custom_data: { plan: 'pro' } });
    const known = await newContact({ email: `known-${email}` });
    const other = await newSession({ contact_id: undefined });
    await say(other, 'contact', 'Hi', { contact: { email: `known-${email}` } });
    expect((await session(other)).contact.id).toBe(known);
  });

  it('messages of a blocked contact are stored, but neither reopen nor announce anything', async () => {
    const email = `${crypto.randomUUID()}@blocked.example`;
    await api.org.post('/blocklist/contacts', { email });
    const id = await newSession({ contact_id: await newContact({ email }) });
    await api.org.patch(`/chat/sessions/${id}`, { status: 'closed_unresolved' });
    await say(id, 'contact', 'Let me in');
    expect((await session(id)).status).toBe('closed_unresolved');
    expect((await events(id)).at(-1)).toMatchObject({ type: 'message', content: { text: 'Let me in' } });
    expect(await announced(id)).toEqual([]);
  });

  it.each([7.5, -3, 1e300])(
    'messages of an agent with the number %j as id are taken, and assign nobody',
    async (id) => {
      const sessionId = await newSession();
      const answer = await say(sessionId, 'agent', 'Mine', { agent: { id }, should_take_over_session_from_ai: true });
      expect([answer.status, answer.body.data]).toEqual([201, { success: true, sessionIsHandedOff: true }]);
      expect((await events(sessionId)).find(({ type }: { type: string }) => type === 'message')?.sender_id).toBe(id);
      expect(await session(sessionId)).toMatchObject({ ai_closure_type: 'handed_off', assignee_id: null });
    },
  );

  it('messages of an agent taking over hand the session off, only once', async () => {
    const userId = await addMember(api.db, api.org.id, { email: `${crypto.randomUUID()}@team.example` });
    const id = await newSession();
    const takeOver = { agent: { id: userId }, should_take_over_session_from_ai: true };
    expect((await say(id, 'agent', 'Mine', takeOver)).body.data.sessionIsHandedOff).toBe(true);
    await say(id, 'agent', 'Still mine', takeOver);
    expect(await session(id)).toMatchObject({ ai_closure_type: 'handed_off', assignee_id: userId });
    expect((await events(id)).map(({ type }: { type: string }) => type)).toEqual([
      'human_agent_takeover',
      'message',
      'assigned',
      'human_agent_joined',
      'message',
    ]);
    expect((await announced(id)).map(([type]) => type)).toEqual([
      'ticket-created',
      'message-created',
      'pre-ticket-handoff',
      'ticket-reassigned',
      'message-created',
    ]);
  });

  it('need a text or a file', async () => {
    const { status, body } = await say(await newSession(), 'agent', '  ');
    expect([status, body.issues[0].path]).toEqual([400, 'body.message.text']);
  });

  it('cannot be added to a session of another org', async () => {
    const id = await newSession();
    const foreign = await api.other.post(`/chat/sessions/${id}/send`, {
      sender: 'contact',
      message: { type: 'text', text: 'Hi' },
    });
    expect(foreign.status).toBe(404);
    expect((await api.other.get(`/chat/sessions/${id}/history`)).status).toBe(404);
  });
});

describe('a change of a session', () => {
  it('to resolved stores the payload and announces the resolution once', async () => {
    const id = await newSession();
    const resolve = { status: 'closed_resolved', session_closed_payload: { cause: 'refund' } };
    expect((await api.org.patch(`/chat/sessions/${id}`, resolve)).status).toBe(200);
    await api.org.patch(`/chat/sessions/${id}`, { ...resolve, reflect_status_change_for_integration: false });
    expect(await announced(id)).toEqual([
      ['ticket-created', {}],
      ['ticket-resolved', { reflects: true, closing_id: expect.any(String) }],
    ]);
    const row = await api.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ session_closed_payload: { cause: 'refund' }, resolutions: 1, status_code: 1 });
  });

  it('to a custom status of the org lasts until the next status change', async () => {
    await api.org.patch('/org/settings', { session_statuses: [{ id: 7, name: 'On hold' }] });
    const id = await newSession();
    expect((await api.org.patch(`/chat/sessions/${id}`, { custom_status_id: 8 })).status).toBe(400);
    await api.org.patch(`/chat/sessions/${id}`, { custom_status_id: 7 });
    expect(await session(id)).toMatchObject({ status: 'open', custom_status_id: 7 });
    await api.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    expect(await session(id)).toMatchObject({ status: 'closed_resolved', custom_status_id: null });
  });

  it('to its custom data merges by key, and null removes a key', async () => {
    const id = await newSession();
    await api.org.patch(`/chat/sessions/${id}`, { custom_data: { a: '1', b: '2' }, editable_custom_data: { c: '3' } });
    await api.org.patch(`/chat/sessions/${id}`, { custom_data: { a: null, b: '2' } });
    expect(await session(id)).toMatchObject({ custom_data: { b: '2' }, editable_custom_data: { c: '3' } });
    expect(await events(id)).toEqual([
      { type: 'custom_data_changed', keys: ['a', 'b', 'c'] },
      { type: 'custom_data_changed', keys: ['a'] },
    ]);
  });
});

describe('the desk', () => {
  it('hands a session off once', async () => {
    const id = await newSession();
    const first = await api.org.post(`/chat/sessions/${id}/handoff`, { reason: 'Asked for a human' });
    expect(first.body.handoff).toMatchObject({ reason: 'Asked for a human', state: 'done' });
    expect((await api.org.post(`/chat/sessions/${id}/handoff`, { reason: 'Again' })).body).toEqual(first.body);
    expect((await announced(id)).map(([type]) => type)).toEqual(['ticket-created', 'pre-ticket-handoff']);
  });

  it('expects a person to reply from a handoff on, unless one has replied already', async () => {
    const [answered, silent] = [await newSession(), await newSession()];
    await api.org.post(`/chat/sessions/${answered}/send`, {
      sender: 'agent',
      message: { type: 'text', text: 'It is on its way.' },
    });
    for (const id of [answered, silent]) await api.org.post(`/chat/sessions/${id}/handoff`, {});
    expect(await session(answered)).toMatchObject({ waiting_on: 'customers', waiting_since: null });
    expect(await session(silent)).toMatchObject({ waiting_on: 'human_agents', waiting_since: expect.any(String) });
  });

  it('assigns to members and teams of the org alone', async () => {
    const userId = await addMember(api.db, api.org.id, { email: `${crypto.randomUUID()}@team.example` });
    const stranger = await addMember(api.db, api.other.id, { email: `${crypto.randomUUID()}@team.example` });
    const team = (await api.org.post('/teams', { name: 'Billing' })).body;
    const id = await newSession();
    const assign = (body: object) => api.org.post(`/chat/sessions/${id}/assign`, body);
    expect((await assign({ assignee_id: userId, team_id: team.id })).status).toBe(200);
    expect(await session(id)).toMatchObject({ assignee_id: userId, team: { id: team.id, name: 'Billing' } });
    expect((await assign({ assignee_id: stranger })).status).toBe(400);
    expect((await assign({ team_id: crypto.randomUUID() })).status).toBe(400);
    expect((await assign({})).status).toBe(400);
    await assign({ assignee_id: null });
    expect(await session(id)).toMatchObject({ assignee_id: null, team: { id: team.id } });
    expect(await events(id)).toEqual([
      { type: 'assigned', assignee_id: userId, team_id: team.id },
      { type: 'human_agent_joined', assignee_id: userId },
      { type: 'assigned', assignee_id: null, team_id: team.id },
    ]);
  });

  it('adds notes, and adds and removes tags', async () => {
    await api.org.put('/tags', { tag_name: 'Refund' });
    const id = await newSession();
    const note = await api.org.post(`/chat/sessions/${id}/notes`, { text: 'Call back' });
    expect(note.status).toBe(201);
    expect((await api.org.post(`/chat/sessions/${id}/tags`, { tags: ['refund', 'nope'] })).status).toBe(400);
    await api.org.post(`/chat/sessions/${id}/tags`, { tags: ['refund'] });
    await api.org.post(`/chat/sessions/${id}/tags`, { tags: ['REFUND'] });
    expect((await session(id)).tags).toEqual(['Refund']);
    expect((await api.org.delete(`/chat/sessions/${id}/tags?tag_name=nope`)).status).toBe(200);
    expect((await session(id)).tags).toEqual(['Refund']);
    expect((await api.org.delete(`/chat/sessions/${id}/tags?tag_name=refund`)).status).toBe(200);
    expect((await session(id)).tags).toEqual([]);
    expect(await events(id)).toEqual([
      { type: 'human_agent_comment', content: { type: 'text', text: 'Call back' }, human_agent_id: null },
      { type: 'tag_added', tag_name: 'Refund' },
      { type: 'tag_removed', tag_name: 'Refund' },
    ]);
  });
});
