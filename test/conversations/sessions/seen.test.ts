import { type SignedIn, signIn } from '../../sign-in/signing-in.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

let api: TestApi;
let ann: SignedIn;
beforeAll(async () => {
  api = await startApi({ isInProcess: true });
  ann = await signIn(api, 'agent');
  await api.org.put('/tags', { tag_name: 'vip' });
});
afterAll(() => api.close());

const newSession = async () => (await api.org.post('/chat/sessions', {})).body.id as string;
const pathOf = (id: string) => `/chat/sessions/${id}`;
const say = (id: string, sender: string, text: string, more: object = {}, headers = {}) =>
  api.org.post(`${pathOf(id)}/send`, { sender, message: { type: 'text', text }, ...more }, { headers });
const itemsOf = async (id: string) => (await api.org.get(`${pathOf(id)}/history`)).body.items;

describe('a message with expected_last_id', () => {
  it('is not sent where somebody wrote since, and the answer has what was written', async () => {
    const id = await newSession();
    await say(id, 'contact', 'Where is my order?');
    const [seen] = await itemsOf(id);
    await ann.post(`${pathOf(id)}/notes`, { text: 'A note is no answer' });
    await say(id, 'agent', 'On its way');
    const late = { expected_last_id: seen.id };
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const refused = await say(id, 'agent', 'I will look', late, headers);
    const items = await itemsOf(id);
    expect([refused.status, refused.body.code]).toEqual([409, 'newer_messages']);
    expect(refused.body.items).toEqual([items[2]]);
    expect(items).toHaveLength(3);
    const anyway = { expected_last_id: items[2].id };
    expect((await say(id, 'agent', 'I will look', anyway, headers)).status).toBe(201);
    expect((await itemsOf(id)).at(-1).event.content.text).toBe('I will look');
  });

  it('is sent where nobody did, also by a contact', async () => {
    const id = await newSession();
    await say(id, 'contact', 'Hello');
    const [{ id: expected_last_id }] = await itemsOf(id);
    await ann.post(`${pathOf(id)}/assign`, { assignee_id: ann.id });
    expect((await say(id, 'agent', 'Hi', { expected_last_id })).status).toBe(201);
    expect((await say(id, 'contact', 'And?', { expected_last_id })).status).toBe(409);
  });

  it('is refused with an item of another session', async () => {
    const [id, other] = [await newSession(), await newSession()];
    await say(other, 'contact', 'Elsewhere');
    const [{ id: expected_last_id }] = await itemsOf(other);
    expect((await say(id, 'agent', 'Hi', { expected_last_id })).status).toBe(400);
  });
});

describe('a change with If-Match', () => {
  const changes: [string, 'patch' | 'post' | 'delete', string, object][] = [
    ['a session', 'patch', '', { custom_data: { order: '17' } }],
    ['its assignment', 'post', '/assign', { assignee_id: null, team_id: null }],
    ['its tags', 'post', '/tags', { tags: ['vip'] }],
  ];

  it.each(changes)('changes %s only as long as nobody else has', async (_name, method, path, body) => {
    const id = await newSession();
    const { updated_at: seen } = (await api.org.get(pathOf(id))).body;
    await new Promise((resolve) => setTimeout(resolve, 2)); // the times are whole milliseconds
    await ann.post(`${pathOf(id)}/assign`, { assignee_id: ann.id });
    const { updated_at } = (await api.org.get(pathOf(id))).body;
    const send = (ifMatch: string) =>
      ann[method as 'post'](pathOf(id) + path, body, { headers: { 'if-match': ifMatch } });
    const refused = await send(seen);
    expect([refused.status, refused.body.message]).toEqual([412, expect.stringContaining(updated_at)]);
    expect((await api.org.get(pathOf(id))).body.updated_at).toBe(updated_at);
    expect((await send(`"${updated_at}"`)).status).toBe(200);
    expect((await send('*')).status).toBe(200);
    expect((await send('yesterday')).status).toBe(400);
  });

  it('removes a tag only as long as nobody else has changed the session', async () => {
    const id = await newSession();
    const headers = { 'if-match': '2020-01-01T00:00:00.000Z' };
    expect((await ann.delete(`${pathOf(id)}/tags`, { headers })).status).toBe(412);
  });
});
