import { createBroadcasts } from '../../../src/conversations/live/broadcasts.ts';
import { createPresenceBoard } from '../../../src/conversations/presence/presence.ts';
import { type SignedIn, signIn } from '../../sign-in/signing-in.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { type OpenEventStream, openEventStream } from '../../support/stack/event-stream.ts';
import { eventually } from '../../support/stack/stack.ts';
import { unverified } from '../../widget/client.ts';

const SHORT_TTL_MS = 300;

let api: TestApi;
/** Another process of the same installation, where presence ends sooner. */
let second: TestApi;
let agent: SignedIn;
const open = new Set<OpenEventStream>();
beforeAll(async () => {
  api = await startApi();
  const broadcasts = createBroadcasts();
  const presence = createPresenceBoard(api.db, broadcasts, SHORT_TTL_MS);
  second = await startApi({ databaseUrl: api.databaseUrl, deps: { broadcasts, presence } });
  agent = await signIn(api, 'agent');
});
afterEach(() => {
  for (const stream of open) stream.cut();
  open.clear();
});
afterAll(async () => {
  await second.close();
  await api.close();
});

const newSession = async () => (await api.org.post('/chat/sessions', { channel: { type: 'web' } })).body.id as string;
const pathOf = (id: string) => `/chat/sessions/${id}/presence`;
async function stream(topics: string, { at = api, key = api.org.key } = {}) {
  const opened = await openEventStream(`${at.url}/events?topics=${topics}`, { key });
  open.add(opened);
  return opened;
}
const statesIn = ({ events }: OpenEventStream, id: string) =>
  events.filter(({ data }) => data.session_id === id).map(({ type, data }) => [type, data.state ?? data.event.type]);

it('is shown to the streams of all processes that asked for it, once a change', async () => {
  const id = await newSession();
  const [here, there, without] = [await stream('presence'), await stream('presence', { at: second }), await stream('')];
  expect(without.status).toBe(400);
  const both = await stream('sessions,presence');
  for (const state of ['viewing', 'viewing', 'typing']) {
    expect((await agent.put(pathOf(id), { state })).status).toBe(204);
    await eventually('the event', () => statesIn(there, id).at(-1)?.[1] === state);
  }
  expect((await agent.delete(pathOf(id))).status).toBe(204);
  await eventually('the end', () => statesIn(here, id).at(-1)?.[1] === 'gone');
  expect(statesIn(here, id)).toEqual([
    ['presence', 'viewing'],
    ['presence', 'typing'],
    ['presence', 'gone'],
  ]);
  expect(here.events[0]?.data).toMatchObject({ type: 'presence', member: { id: agent.id, name: 'The agent' } });
  await api.org.post(`/chat/sessions/${id}/notes`, { text: 'A note' });
  await eventually('the note', () => statesIn(both, id).at(-1)?.[1] === 'human_agent_comment');
  expect(statesIn(here, id)).toHaveLength(3);
});

it('is not in the streams that did not ask for it, and not in those of other orgs', async () => {
  const id = await newSession();
  const asked = await stream('presence');
  const unasked = await openEventStream(`${api.url}/events`, { key: api.org.key });
  const foreign = await stream('presence', { key: api.other.key });
  await agent.put(pathOf(id), { state: 'viewing' });
  await eventually('the event', () => statesIn(asked, id).length === 1);
  expect([unasked.events.map(({ type }) => type), foreign.events]).toEqual([
    expect.not.arrayContaining(['presence']),
    [],
  ]);
  unasked.cut();
});

it('begins a stream with who is present, and is over when it is not repeated', async () => {
  const id = await newSession();
  await agent.put(pathOf(id), { state: 'typing' });
  await eventually('presence', async () => api.deps.presence.isTypedIn({ orgId: api.org.id, sessionId: id }));
  const late = await stream('presence');
  await eventually('what was before', () => statesIn(late, id).length === 1);
  const there = await stream('presence', { at: second });
  await agent.put(pathOf(id), { state: 'typing' });
  await eventually('the end', () => statesIn(there, id).at(-1)?.[1] === 'gone');
  expect(statesIn(late, id)).toEqual([['presence', 'typing']]);
});

it('shows the widget of the contact that somebody types, and to nobody else', async () => {
  const [widget, other] = [await unverified(api, api.org), await unverified(api, api.org)];
  const [id, otherId] = [await widget.newSession(), await other.newSession()];
  const typing = async () => (await widget.poll(id)).activity.agent_typing;
  expect(await typing()).toBe(false);
  await agent.put(pathOf(id), { state: 'viewing' });
  await agent.put(pathOf(id), { state: 'typing' });
  await eventually('typing', typing);
  expect((await other.poll(otherId)).activity).toEqual({ agent_typing: false, ai_label: null });
  await agent.delete(pathOf(id));
  await eventually('the end', async () => !(await typing()));
});

it('is refused to keys, viewers and members of other orgs', async () => {
  const id = await newSession();
  const viewer = await signIn(api, 'viewer');
  const stranger = await signIn(api, 'agent', { org: api.other });
  const state = { state: 'viewing' };
  expect((await api.org.put(pathOf(id), state)).status).toBe(403);
  expect((await viewer.put(pathOf(id), state)).status).toBe(403);
  expect((await stranger.put(pathOf(id), state)).status).toBe(404);
  expect((await agent.put(pathOf(id), { state: 'asleep' })).status).toBe(400);
});

it('of a visitor who writes in the widget is shown to agents, not to the widget, and ends when it says so', async () => {
  const visitor = await unverified(api, api.org);
  const id = await visitor.newSession();
  const asked = await stream('presence');
  const typing = (body: object, who = visitor) => who.post('typing', body);
  expect((await typing({ session_id: id })).status).toBe(200);
  await eventually('the event', () => statesIn(asked, id).length === 1);
  expect((await visitor.poll(id)).activity.agent_typing).toBe(false);
  await typing({ session_id: id, state: 'gone' });
  await eventually('the end', () => statesIn(asked, id).length === 2);
  expect(statesIn(asked, id)).toEqual([
    ['contact_typing', 'typing'],
    ['contact_typing', 'gone'],
  ]);
  const stranger = await unverified(api, api.org);
  expect((await typing({ session_id: id }, stranger)).status).toBe(404);
});
