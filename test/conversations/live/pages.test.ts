import { sql } from 'kysely';
import { appendEvents } from '../../../src/conversations/events.queries.ts';
import { lockSession } from '../../../src/conversations/sessions/service.ts';
import { newId } from '../../../src/ids.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { openEventStream } from '../../support/stack/event-stream.ts';

interface Page {
  items: { id: string; type: string; timestamp: string; organization_id: string; data: Shown }[];
  next: string;
  has_more: boolean;
}
interface Shown {
  id: string;
  session_id: string;
  event: { content?: { text: string } };
}

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function get(query = '', { key = api.org.key, accept = 'application/json' } = {}) {
  const headers = { authorization: `Bearer ${key}`, accept };
  const response = await fetch(`${api.url}/events${query}`, { headers });
  return {
    status: response.status,
    type: response.headers.get('content-type'), // biome-ignore lint/suspicious/noExplicitAny: pages and errors
    body: (await response.json()) as any,
  };
}
const page = async (query = ''): Promise<Page> => (await get(query)).body;
const after = (cursor: string, more = '') => page(`?cursor=${cursor}${more}`);
const textsOf = ({ items }: Page) => items.flatMap(({ data }) => data.event.content?.text ?? []);
const newSession = async (): Promise<string> => (await api.org.post('/chat/sessions', {})).body.id;
const say = (id: string, text: string) =>
  api.org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text } });

/** Begins a transaction that has written, and commits it when `finish` is called. */
async function hold(sessionId: string, content: string) {
  const trx = await api.db.startTransaction().execute();
  await lockSession(trx, api.org.id, sessionId);
  const events = [{ id: newId(), type: 'message', sender: 'contact', content } as const];
  await appendEvents(trx, api.org.id, sessionId, { events, announcements: [] });
  return () => trx.commit().execute();
}

it('gives what happened in the form of webhooks, in the order of the stream, and continues where it was', async () => {
  const id = await newSession();
  for (const text of ['one', 'two', 'three']) await say(id, text);
  const all = await page('?type=message');
  expect(textsOf(all)).toEqual(['one', 'two', 'three']);
  expect(all).toMatchObject({ has_more: false, items: [{ type: 'message', organization_id: api.org.id }, {}, {}] });
  expect(all.items[0]?.data).toMatchObject({ session_id: id, type: 'message' });
  const first = await page('?type=message&limit=2');
  expect([textsOf(first), first.has_more]).toEqual([['one', 'two'], true]);
  expect(textsOf(await after(first.next, '&type=message'))).toEqual(['three']);
  const live = await openEventStream(`${api.url}/events`, {
    key: api.org.key,
    headers: { 'last-event-id': first.next },
  });
  const [next] = await live.take(1);
  live.cut();
  expect(next?.data.event.content.text).toBe('three');
  expect(textsOf(await after(all.next))).toEqual([]);
  expect((await after(all.next)).next).toBe(all.next);
  expect((await page(`?limit=100`)).items.map(({ type }) => type)).toContain('session_created');
});

it('names the types of events where one is asked for that is none', async () => {
  const { status, body } = await get('?type=message,handof');
  expect([status, body.message]).toEqual([400, expect.stringContaining('handoff')]);
});

it('skips no event of a transaction that writes early and commits late', async () => {
  const [early, other] = [await newSession(), await newSession()];
  let { next } = await page('?limit=100');
  const finish = await hold(early, 'early');
  await say(other, 'overtakes');
  const meanwhile = await after(next);
  expect(textsOf(meanwhile)).toEqual([]);
  ({ next } = meanwhile);
  await finish();
  const both = await after(next);
  expect(textsOf(both)).toEqual(['early', 'overtakes']);
  await say(other, 'later');
  expect(textsOf(await after(both.next))).toEqual(['later']);
});

it('reads each event once, in one order, while transactions overlap', async () => {
  const sessions = await Promise.all(Array.from({ length: 4 }, newSession));
  let { next } = await page('?limit=100');
  let isWriting = true;
  const writers = Promise.all(
    sessions.map(async (id, writer) => {
      for (let n = 0; n < 8; n++) await (await hold(id, `${writer} ${n}`))();
    }),
  ).finally(() => {
    isWriting = false;
  });
  const read: string[] = [];
  for (;;) {
    const isLast = !isWriting;
    const more = await after(next, '&limit=3');
    read.push(...textsOf(more));
    ({ next } = more);
    if (isLast && !more.has_more) break;
  }
  await writers;
  expect(read.toSorted()).toEqual(
    sessions.flatMap((_, writer) => Array.from({ length: 8 }, (__, n) => `${writer} ${n}`)),
  );
  for (const [writer] of sessions.entries())
    expect(read.filter((text) => text.startsWith(`${writer} `))).toEqual(
      Array.from({ length: 8 }, (_, n) => `${writer} ${n}`),
    );
});

it('begins with the oldest of thirty days, and refuses a cursor with older events behind it', async () => {
  const id = await newSession();
  await say(id, 'old');
  const { next: before } = await page('?limit=1');
  await sql`update session_events set created_at = now() - interval '32 days' where org_id = ${api.org.id}`.execute(
    api.db,
  );
  const { next: end } = await page();
  await say(id, 'new');
  expect(textsOf(await page())).toEqual(['new']);
  expect(textsOf(await after(end))).toEqual(['new']);
  const expired = await get(`?cursor=${before}`);
  expect([expired.status, expired.body.message]).toEqual([410, expect.stringContaining('omit the cursor')]);
});

it('is a stream unless JSON is preferred, and says what to change', async () => {
  const live = await openEventStream(`${api.url}/events`, { key: api.org.key, headers: { accept: '*/*' } });
  expect(live.headers['content-type']).toContain('text/event-stream');
  live.cut();
  expect((await get('', { accept: 'application/json, text/event-stream' })).type).toContain('json');
  expect((await get('', { accept: 'text/event-stream;q=0.1, application/json' })).type).toContain('json');
  for (const accept of ['text/event-stream', 'application/json;q=0.2, text/event-stream;q=0.9'])
    expect([accept, (await get('?limit=5', { accept })).status]).toEqual([accept, 400]);
  expect((await get('?cursor=x')).status).toBe(400);
  const far = '999999999999999999-00000000-0000-4000-8000-000000000000-1';
  expect(await get(`?cursor=${far}`)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('omit it') },
  });
  expect((await get('?limit=101')).status).toBe(400);
});

it('gives nothing of another org', async () => {
  await say(await newSession(), 'ours');
  expect((await get('', { key: api.other.key })).body.items).toEqual([]);
});
