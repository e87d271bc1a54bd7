import { OWN_PAGE, type SignedIn, signIn } from '../../sign-in/signing-in.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { type OpenEventStream, openEventStream, type ReceivedEvent } from '../../support/stack/event-stream.ts';
import { eventually } from '../../support/stack/stack.ts';

let api: TestApi;
let ann: SignedIn;
let ben: SignedIn;
const open = new Set<OpenEventStream>();
beforeAll(async () => {
  api = await startApi();
  [ann, ben] = [await signIn(api, 'agent'), await signIn(api, 'viewer')];
});
afterEach(() => {
  for (const stream of open) stream.cut();
  open.clear();
});
afterAll(() => api.close());

async function stream(query: string, member?: SignedIn): Promise<OpenEventStream> {
  const as = member === undefined ? { key: api.org.key } : { headers: { cookie: member.cookie, ...OWN_PAGE } };
  const opened = await openEventStream(`${api.url}/events${query}`, as);
  open.add(opened);
  return opened;
}
const say = (id: string, text: string) =>
  api.org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text } });
const newSession = async () => (await api.org.post('/chat/sessions', {})).body.id as string;
const first = (events: OpenEventStream, type: string): Promise<ReceivedEvent> =>
  eventually(`an event ${type}`, async () => events.events.find((event) => event.type === type));

it('events of the topic inbox have the row of GET /inbox, for each member with what it has not read', async () => {
  const [anns, bens, programs] = [
    await stream('?topics=inbox', ann),
    await stream('?topics=inbox', ben),
    await stream('?topics=inbox'),
  ];
  const id = await newSession();
  await say(id, 'How do I get a refund?');
  await ben.post(`/chat/sessions/${id}/read`, {});
  await say(id, 'Hello?');
  const row = (await ann.get('/inbox')).body.items.find((one: { id: string }) => one.id === id);
  for (const [events, unread] of [
    [anns, true],
    [bens, true],
    [programs, null],
  ] as const) {
    const told = await eventually('the last message', async () =>
      events.events.find(({ data }) => data.event?.content?.text === 'Hello?'),
    );
    expect(told.data).toMatchObject({ type: 'message', session_id: id, actor: { kind: 'contact' } });
    expect(told.data.row).toEqual({ ...row, unread });
    expect((await first(events, 'session_created')).data).toMatchObject({ type: 'session_created', row: { id } });
  }
  await ann.post(`/chat/sessions/${id}/assign`, { assignee_id: ann.id });
  expect((await first(bens, 'assigned')).data.row.assignee).toEqual({ id: ann.id, name: 'The agent' });
});

it('a stream without topics tells of the same events without rows, and of nothing else', async () => {
  const events = await stream('');
  const inbox = await stream('?topics=inbox', ann);
  const id = await newSession();
  await say(id, 'Hi');
  await ann.post(`/chat/sessions/${id}/read`, {});
  await first(inbox, 'read');
  await say(id, 'Bye');
  const told = await events.take(3);
  expect(told.map(({ type, data }) => [type, data.type, 'row' in data])).toEqual([
    ['session_created', 'session_created', false],
    ['message', 'message', false],
    ['message', 'message', false],
  ]);
  expect((await api.org.get('/events?topics=weather')).status).toBe(400);
});

it('a member’s own streams alone tell what it reads', async () => {
  const id = await newSession();
  await say(id, 'Read me');
  const [anns, bens] = [await stream('?topics=inbox', ann), await stream('?topics=inbox', ben)];
  await ann.post(`/chat/sessions/${id}/read`, {});
  const read = await first(anns, 'read');
  expect(read.data).toMatchObject({ type: 'read', session_id: id, row: { id, unread: false } });
  await ann.post(`/chat/sessions/${id}/unread`);
  await eventually('the other mark', async () => anns.events.filter(({ type }) => type === 'read').length === 2);
  expect(anns.events.at(-1)?.data.row.unread).toBe(true);
  await say(id, 'Done');
  await first(bens, 'message');
  expect(bens.events.map(({ type }) => type)).toEqual(['message']);
});

it('a change that no history tells is an event without an id', async () => {
  const id = await newSession();
  const events = await stream('?topics=inbox');
  const before = events.lastEventId();
  await api.org.patch(`/chat/sessions/${id}`, { session_closed_payload: 'Refunded' });
  const changed = await first(events, 'session_changed');
  expect(changed.data).toMatchObject({ type: 'session_changed', session_id: id, row: { id, status: 'open' } });
  expect(events.lastEventId()).toBe(before);
});

describe('how far a member has read', () => {
  const unreadOf = async (member: SignedIn, id: string) =>
    (await member.get('/inbox?limit=100')).body.items.find((one: { id: string }) => one.id === id).unread;

  it('is its own, never goes back, and ends with the next message of the contact', async () => {
    const id = await newSession();
    expect(await unreadOf(ann, id)).toBe(false);
    await say(id, 'One');
    await say(id, 'Two');
    const { items } = (await ann.get(`/chat/sessions/${id}/history`)).body;
    const [one, two] = items.map((item: { id: string }) => item.id);
    const read = await ann.post(`/chat/sessions/${id}/read`, { up_to: one });
    expect([read.status, read.body]).toEqual([200, { read_up_to: one, unread: true }]);
    expect((await ann.post(`/chat/sessions/${id}/read`, {})).body).toEqual({ read_up_to: two, unread: false });
    expect((await ann.post(`/chat/sessions/${id}/read`, { up_to: one })).body.read_up_to).toBe(two);
    expect([await unreadOf(ann, id), await unreadOf(ben, id)]).toEqual([false, true]);
    expect((await ann.get(`/chat/sessions/${id}`)).body.read_up_to).toBe(two);
    expect((await ben.get(`/chat/sessions/${id}`)).body.read_up_to).toBe(null);
    await say(id, 'Three');
    expect(await unreadOf(ann, id)).toBe(true);
  });

  it('can count as unread, also where the contact has not written', async () => {
    const id = await newSession();
    expect((await ann.post(`/chat/sessions/${id}/unread`)).body).toEqual({ read_up_to: null, unread: true });
    const ids = (await ann.get('/inbox?unread=true&limit=100')).body.items.map((one: { id: string }) => one.id);
    expect(ids).toContain(id);
    await ann.post(`/chat/sessions/${id}/read`, {});
    expect(await unreadOf(ann, id)).toBe(false);
  });

  it('is of members alone, and of items of the session', async () => {
    const [id, other] = [await newSession(), await newSession()];
    await say(other, 'Elsewhere');
    const [item] = (await ann.get(`/chat/sessions/${other}/history`)).body.items;
    expect((await api.org.post(`/chat/sessions/${id}/read`, {})).status).toBe(403);
    expect((await ann.post(`/chat/sessions/${id}/read`, { up_to: item.id })).status).toBe(404);
    expect((await ann.post(`/chat/sessions/${crypto.randomUUID()}/unread`)).status).toBe(404);
  });
});
