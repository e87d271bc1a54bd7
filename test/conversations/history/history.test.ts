import { signIn } from '../../sign-in/signing-in.ts';
import { type Client, startApi, type TestApi } from '../../support/stack/api.ts';
import { unverified } from '../../widget/client.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ isInProcess: true });
});
afterAll(() => api.close());

interface Item {
  id: string;
  actor: { kind: string; id: string | number | null; name: string | null } | null;
  event: { type: string; content?: { text: string } };
}

const newSession = async (body: object = {}) => (await api.org.post('/chat/sessions', body)).body.id as string;
const historyOf = async (id: string, query = '') => (await api.org.get(`/chat/sessions/${id}/history${query}`)).body;
const say = (client: Client, id: string, sender: string, text: string) =>
  client.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text } });

const actorsOf = async (id: string) =>
  (await historyOf(id)).items.map(({ event, actor }: Item) => [event.type, actor?.kind, actor?.id, actor?.name]);

describe('the history says who caused each item', () => {
  it('names the member who is signed in, also where a program could name another agent', async () => {
    const ann = await signIn(api, 'agent');
    await api.org.put('/tags', { tag_name: 'vip' });
    const id = await newSession();
    await ann.post(`/chat/sessions/${id}/notes`, { text: 'Looks like a refund' });
    await ann.post(`/chat/sessions/${id}/tags`, { tags: ['vip'] });
    await ann.post(`/chat/sessions/${id}/assign`, { assignee_id: ann.id });
    await ann.post(`/chat/sessions/${id}/send`, {
      sender: 'agent',
      agent: { id: 77, name: 'Somebody else' },
      message: { type: 'text', text: 'Hello' },
      should_take_over_session_from_ai: true,
    });
    await ann.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    const actors = await actorsOf(id);
    expect(actors.map(([type]: [string]) => type)).toEqual([
      ...['human_agent_comment', 'tag_added', 'assigned', 'human_agent_joined'],
      ...['human_agent_takeover', 'message', 'status_changed'],
    ]);
    for (const [type, ...actor] of actors) expect([type, ...actor]).toEqual([type, 'member', ann.id, 'The agent']);
  });

  it('names the key of a program, and the contact in whose name it writes', async () => {
    const { id: contactId } = (await api.org.post('/contacts', { contact: { email: 'zoe@example.com', name: 'Zoe' } }))
      .body;
    const id = await newSession({ contact_id: contactId });
    await say(api.org, id, 'contact', 'How do I get a refund?');
    await api.org.patch(`/chat/sessions/${id}`, { status: 'closed_unresolved' });
    await say(api.org, id, 'contact', 'Hello?');
    const key = ['key', api.org.keyId, 'Test'];
    const contact = ['contact', contactId, 'Zoe'];
    expect(await actorsOf(id)).toEqual([
      ['message', ...contact],
      ['status_changed', ...key],
      ['status_changed', ...contact],
      ['message', ...contact],
    ]);
    await api.org.patch(`/contacts/${contactId}`, { contact: { name: 'Zoe Lang' } });
    expect((await actorsOf(id))[0]).toEqual(['message', 'contact', contactId, 'Zoe Lang']);
    await api.org.delete(`/contacts/${contactId}`);
    expect((await actorsOf(id))[0]).toEqual(['message', 'contact', contactId, null]);
  });

  it('names the visitor of a page for what it does in the widget, and the product for what it does by itself', async () => {
    const widget = await unverified(api, api.org, { non_verified_name: 'Visitor' });
    const id = await widget.newSession();
    await widget.send(id, 'Hi', { initial_messages: [{ uuid: crypto.randomUUID(), content: 'Welcome' }] });
    await widget.post('session/resolve', { session_id: id });
    await widget.post('submit-csat', { session_id: id, score: 5 });
    const { contact } = (await api.org.get(`/chat/sessions/${id}`)).body;
    const visitor = ['contact', contact.id, 'Visitor'];
    expect(await actorsOf(id)).toEqual(
      expect.arrayContaining([
        ['message', ...visitor],
        ['status_changed', ...visitor],
        ['csat_submitted', ...visitor],
      ]),
    );
  });

  it('has none for items that are older than it', async () => {
    const id = await newSession();
    await say(api.org, id, 'contact', 'Old');
    await api.db.updateTable('session_events').set({ actor: null }).where('session_id', '=', id).execute();
    expect((await historyOf(id)).items).toMatchObject([{ event: { type: 'message' }, actor: null }]);
  });
});

describe('pages of a history', () => {
  const texts = ({ items }: { items: Item[] }) => items.map(({ event }) => event.content?.text);
  let id: string;
  beforeAll(async () => {
    id = await newSession();
    for (const text of ['a', 'b', 'c', 'd', 'e']) await say(api.org, id, 'contact', text);
  });

  it('begin with the newest on request, and go back to the first without a gap', async () => {
    const first = await historyOf(id, '?order=desc&limit=2');
    const second = await historyOf(id, `?order=desc&limit=2&cursor=${first.next}`);
    const third = await historyOf(id, `?order=desc&limit=2&cursor=${second.next}`);
    expect([texts(first), texts(second), texts(third)]).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    expect(third.next).toBe(null);
    expect(texts(await historyOf(id))).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('can be around an item, and continue on both sides', async () => {
    const item = (await historyOf(id)).items[2];
    const around = await historyOf(id, `?around=${item.id}&limit=2`);
    expect(texts(around)).toEqual(['b', 'c']);
    expect(texts(await historyOf(id, `?cursor=${around.next}`))).toEqual(['d', 'e']);
    expect(texts(await historyOf(id, `?order=desc&cursor=${around.previous}`))).toEqual(['a']);
    const reversed = await historyOf(id, `?around=${item.id}&limit=3&order=desc`);
    expect(texts(reversed)).toEqual(['d', 'c', 'b']);
    expect(texts(await historyOf(id, `?cursor=${reversed.previous}`))).toEqual(['e']);
    const lone = await historyOf(id, `?around=${item.id}&limit=1`);
    expect(texts(lone)).toEqual(['c']);
    expect(texts(await historyOf(id, `?order=desc&cursor=${lone.previous}`))).toEqual(['b', 'a']);
    expect(await historyOf(id, `?around=${item.id}`)).toMatchObject({ next: null, previous: null });
  });

  it('are refused around an item of another session, and with a cursor', async () => {
    const elsewhere = await newSession();
    await say(api.org, elsewhere, 'contact', 'Elsewhere');
    const item = (await historyOf(elsewhere)).items[0];
    expect((await api.org.get(`/chat/sessions/${id}/history?around=${item.id}`)).status).toBe(404);
    expect((await api.org.get(`/chat/sessions/${elsewhere}/history?around=${item.id}&cursor=1`)).status).toBe(400);
  });
});

describe('a session says', () => {
  const sessionOf = async (id: string) => (await api.org.get(`/chat/sessions/${id}`)).body;

  it('since when its contact waits: from the first message without a reply', async () => {
    const id = await newSession();
    expect((await sessionOf(id)).waiting_since).toBe(null);
    await say(api.org, id, 'contact', 'One');
    const { waiting_since } = await sessionOf(id);
    expect(waiting_since).not.toBe(null);
    await say(api.org, id, 'contact', 'Two');
    expect((await sessionOf(id)).waiting_since).toBe(waiting_since);
    await say(api.org, id, 'agent', 'Hello');
    expect((await sessionOf(id)).waiting_since).toBe(null);
    await say(api.org, id, 'contact', 'Three');
    await api.org.patch(`/chat/sessions/${id}`, { status: 'closed_unresolved' });
    expect((await sessionOf(id)).waiting_since).toBe(null);
    await api.org.patch(`/chat/sessions/${id}`, { status: 'open' });
    expect((await sessionOf(id)).waiting_since).not.toBe(null);
  });

  it('who answers, and whether the AI may', async () => {
    const ann = await signIn(api, 'agent');
    const id = await newSession();
    expect(await sessionOf(id)).toMatchObject({
      answered_by: 'nobody',
      ai: { state: 'off', turn_id: null, label: null },
      read_up_to: null,
    });
    await api.org.post(`/chat/sessions/${id}/assign`, { assignee_id: ann.id });
    expect(await sessionOf(id)).toMatchObject({ answered_by: 'people', ai: { state: 'paused' } });
    await api.org.patch('/autopilot', { channel: 'api', autopilot_enabled: true });
    expect(await sessionOf(await newSession())).toMatchObject({ answered_by: 'ai', ai: { state: 'on' } });
  });
});
