import { evaluateClocks } from '../../src/sla/clocks/service.ts';
import { newAction, newTurn, proposed } from '../ai/calls/calling.ts';
import { OWN_PAGE, type SignedIn, signIn } from '../sign-in/signing-in.ts';
import { moveBack } from '../support/lateness.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

let stack: Stack;
let ann: SignedIn;
let ben: SignedIn;
beforeAll(async () => {
  stack = await startStack();
  [ann, ben] = [await signIn(stack, 'agent'), await signIn(stack, 'agent')];
});
afterAll(() => stack.close());

const newSession = async (contact?: object) => {
  const contact_id = contact && (await stack.org.post('/contacts', { contact })).body.id;
  return (await stack.org.post('/chat/sessions', { channel: { type: 'web' }, contact_id })).body.id as string;
};
const note = (by: { post: SignedIn['post'] }, id: string, mentions: unknown) =>
  by.post(`/chat/sessions/${id}/notes`, { text: 'Look at this', mentions });
const newsOf = async (member: SignedIn, query = '') => (await member.get(`/me/notifications${query}`)).body;
const kindsFor = async (member: SignedIn, id: string) =>
  (await newsOf(member)).items.flatMap(({ kind, session_id }: { kind: string; session_id: string }) =>
    session_id === id ? [kind] : [],
  );

const makeLate = (id: string) => moveBack(stack.db, id, 3_600);

it('tells members of mentions, but not the author, and shows them in the history', async () => {
  const id = await newSession({ name: 'Ada' });
  const { status, body } = await note(ann, id, [ben.id, ann.id, ben.id]);
  expect(status).toBe(201);
  const { items, unread } = await newsOf(ben);
  expect(items[0]).toMatchObject({
    kind: 'mention',
    session_id: id,
    contact_name: 'Ada',
    ticket_number: expect.any(Number),
    data: { note_id: body.id, author_id: ann.id },
    read_at: null,
  });
  expect(unread).toBeGreaterThan(0);
  expect(await kindsFor(ann, id)).toEqual([]);
  const { body: history } = await stack.org.get(`/chat/sessions/${id}/history`);
  expect(history.items.at(-1).event).toMatchObject({ type: 'human_agent_comment', mentions: [ben.id, ann.id] });
  const stranger = await signIn(stack, 'agent', { org: stack.other });
  expect((await note(ann, id, [stranger.id])).status).toBe(400);
  expect((await note(stack.org, id, undefined)).status).toBe(201);
});

it('tells the new assignee, unless that member took the session itself', async () => {
  const id = await newSession();
  await ann.post(`/chat/sessions/${id}/assign`, { assignee_id: ann.id });
  await ann.post(`/chat/sessions/${id}/assign`, { assignee_id: ben.id });
  await ann.post(`/chat/sessions/${id}/assign`, { assignee_id: ben.id });
  expect([await kindsFor(ann, id), await kindsFor(ben, id)]).toEqual([[], ['assigned']]);
  await stack.org.post(`/chat/sessions/${id}/assign`, { assignee_id: ann.id });
  expect(await kindsFor(ann, id)).toEqual(['assigned']);
});

it('tells the assignee of a breach, or else the team, and nobody else', async () => {
  const { body: team } = await stack.org.post('/teams', { name: 'Support' });
  await stack.org.post(`/teams/${team.id}/users`, { userId: ann.id });
  const { body: policy } = await stack.org.post('/sla/policies', { name: 'Quick', first_reply_target_seconds: 60 });
  await stack.org.put(`/sla/policies/${policy.id}/assignment`, { channels: ['web'] });
  const [ofTeam, ofBen] = [await newSession(), await newSession()];
  await stack.org.post(`/chat/sessions/${ofTeam}/assign`, { team_id: team.id, assignee_id: null });
  await stack.org.post(`/chat/sessions/${ofBen}/assign`, { team_id: team.id, assignee_id: ben.id });
  for (const id of [ofTeam, ofBen]) {
    await stack.org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text: 'Hi' } });
    await eventually('the policy', async () => (await stack.org.get(`/chat/sessions/${id}/sla`)).body.policy?.id);
    await makeLate(id);
    await evaluateClocks(stack.db, stack.org.id, id);
    await evaluateClocks(stack.db, stack.org.id, id);
  }
  await eventually('a breach of the team', async () => (await kindsFor(ann, ofTeam)).includes('breach'));
  await eventually('a breach of Ben', async () => (await kindsFor(ben, ofBen)).includes('breach'));
  expect([await kindsFor(ann, ofTeam), await kindsFor(ben, ofBen)]).toEqual([['breach'], ['breach', 'assigned']]);
  expect([await kindsFor(ann, ofBen), await kindsFor(ben, ofTeam)]).toEqual([[], []]);
});

it('tells the assignee, or else whoever is available, that a call of the AI waits for a confirmation', async () => {
  const { body: settings } = await ann.patch('/me', { available: true });
  expect(settings.member.available).toBe(true);
  await ben.patch('/me', { available: false });
  const action = await newAction(stack.org, 'https://shop.example', { limits: true });
  const [free, ofBen] = [await newTurn(stack, stack.org), await newTurn(stack, stack.org)];
  await stack.org.post(`/chat/sessions/${ofBen.sessionId}/assign`, { assignee_id: ben.id });
  const { id } = await proposed(stack.db, free, action);
  await proposed(stack.db, free, action);
  await proposed(stack.db, ofBen, action);
  expect((await newsOf(ann)).items[0]).toMatchObject({ kind: 'confirmation', data: { call_id: id } });
  expect(await kindsFor(ann, free.sessionId)).toEqual(['confirmation']);
  expect([await kindsFor(ben, free.sessionId), await kindsFor(ann, ofBen.sessionId)]).toEqual([[], []]);
  expect(await kindsFor(ben, ofBen.sessionId)).toEqual(['confirmation', 'assigned']);
});

it('leaves out the kinds that a member does not want', async () => {
  const deaf = await signIn(stack, 'agent');
  await deaf.patch('/me', { settings: { notify: { mention: false } } });
  const id = await newSession();
  await note(ann, id, [deaf.id]);
  await ann.post(`/chat/sessions/${id}/assign`, { assignee_id: deaf.id });
  expect(await kindsFor(deaf, id)).toEqual(['assigned']);
});

it('is read page by page, and marked as read by ids or by a time, by its own member', async () => {
  const member = await signIn(stack, 'agent');
  const id = await newSession();
  for (let nth = 0; nth < 3; nth++) await note(ann, id, [member.id]);
  const first = await newsOf(member, '?limit=2');
  const second = await newsOf(member, `?limit=2&cursor=${first.next}`);
  expect([first.items.length, second.items.length, second.next, first.unread]).toEqual([2, 1, null, 3]);
  const [newest, older] = first.items;
  await ben.post('/me/notifications/read', { ids: [newest.id] });
  expect((await newsOf(member)).unread).toBe(3);
  expect((await member.post('/me/notifications/read', { ids: [newest.id] })).status).toBe(200);
  expect((await newsOf(member, '?unread=true')).items.map((one: { id: string }) => one.id)).toEqual([
    older.id,
    second.items[0].id,
  ]);
  await member.post('/me/notifications/read', { before: older.created_at });
  expect((await newsOf(member)).unread).toBe(0);
  for (const body of [{}, { ids: [] }, { ids: [newest.id], before: older.created_at }])
    expect((await member.post('/me/notifications/read', body)).status).toBe(400);
  expect((await stack.org.get('/me/notifications')).status).toBe(403);
});

it('wakes the streams of its member alone that asked for the topic', async () => {
  const open = async (member: SignedIn, topics: string) => {
    const { body } = await fetch(`${stack.url}/events?topics=${topics}`, {
      headers: { cookie: member.cookie, ...OWN_PAGE },
    });
    if (body === null) throw new Error('no stream');
    let text = '';
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    void (async () => {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) text += chunk.value;
    })().catch(() => undefined);
    return { text: () => text, close: () => reader.cancel() };
  };
  const streams = [await open(ann, 'notifications'), await open(ben, 'notifications'), await open(ben, 'sessions')];
  await note(ann, await newSession(), [ben.id]);
  await eventually('the event', () =>
    streams[1]?.text().includes('event: notification\ndata: {"type":"notification"}'),
  );
  expect([streams[0], streams[2]].map((one) => one?.text().includes('event: notification'))).toEqual([false, false]);
  for (const stream of streams) await stream.close();
});
