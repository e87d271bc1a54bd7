import { randomBytes } from 'node:crypto';
import { connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { appendEvents } from '../../../src/conversations/events.queries.ts';
import { createLiveStreams } from '../../../src/conversations/live/streams.service.ts';
import { lockSession } from '../../../src/conversations/sessions/service.ts';
import { connect, type Db, RELAY_APPLICATION_NAME, type Trx } from '../../../src/db/connect.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { revokeKeyAsOperator } from '../../../src/keys/service.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { type OpenEventStream, openEventStream, type ReceivedEvent } from '../../support/stack/event-stream.ts';
import { eventually } from '../../support/stack/stack.ts';

let api: TestApi;
/** Another process of the same installation. */
let second: TestApi;
const open = new Set<OpenEventStream>();

beforeAll(async () => {
  api = await startApi();
  second = await startApi({ databaseUrl: api.databaseUrl });
});
/** One left open would go on to collect the events of the tests after it. */
afterEach(() => {
  for (const stream of open) stream.cut();
  open.clear();
});
afterAll(async () => {
  await second.close();
  await api.close();
});

interface StreamOptions {
  at?: { url: string };
  key?: string;
  lastEventId?: string;
}

async function stream(path: string, { at = api, key = api.org.key, lastEventId }: StreamOptions = {}) {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const opened = await openEventStream(at.url + path, { key, headers });
  open.add(opened);
  return opened;
}
const ofSession = (id: string) => `/chat/sessions/${id}/events`;
const newSession = async (org: TestOrg = api.org): Promise<string> => (await org.post('/chat/sessions', {})).body.id;
const say = async (id: string, text: string, at: TestApi = api) => {
  const body = { sender: 'contact', message: { type: 'text', text } };
  const { status } = await at.client(api.org.key).post(`/chat/sessions/${id}/send`, body);
  expect(status).toBe(201);
};
const history = async (id: string) => (await api.org.get(`/chat/sessions/${id}/history?limit=200`)).body.items;
const ids = (events: ReceivedEvent[]) => events.map(({ data }) => data.id);
const texts = (events: ReceivedEvent[]) => events.map(({ data }) => data.event.content.text);

/** Reads a response until its text matches, and ends it. */
async function readUntil({ body }: Response, pattern: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (pattern.test(text)) break;
  }
  return text;
}

/** Runs `work` in a transaction and commits it when `finish` is called. */
async function hold<T>(db: Db, work: (trx: Trx) => Promise<T>) {
  const trx = await db.startTransaction().execute();
  const result = await work(trx);
  return { trx, result, finish: () => trx.commit().execute() };
}
async function append(trx: Trx, sessionId: string, content: string): Promise<void> {
  await lockSession(trx, api.org.id, sessionId);
  const events = [{ id: newId(), type: 'message', sender: 'contact', content } as const];
  await appendEvents(trx, api.org.id, sessionId, { events, announcements: [] });
}

/** Reads `count` events, cutting the stream and resuming it in the other process again and again. */
async function readWithCuts(path: string, lastEventId: string, count: number): Promise<ReceivedEvent[]> {
  const received: ReceivedEvent[] = [];
  let last = lastEventId;
  for (let cuts = 0; received.length < count; cuts++) {
    const opened = await stream(path, { at: cuts % 2 === 0 ? api : second, lastEventId: last });
    await opened.take(Math.min(1 + ((cuts * 7) % 30), count - received.length));
    opened.cut();
    received.push(...opened.events);
    last = opened.lastEventId();
  }
  return received;
}

describe("a session's stream", () => {
  it('sends the id of an event as its last line: no client remembers an event that it got in part', async () => {
    const id = await newSession();
    await say(id, 'before');
    const response = await fetch(`${api.url}${ofSession(id)}?last_event_id=0`, {
      headers: { authorization: `Bearer ${api.org.key}` },
    });
    const text = await readUntil(response, /id: 1\n\n/);
    expect(text).toMatch(/^retry: \d+\n\nid: 0\n\nevent: message\ndata: \{.*\}\nid: 1\n\n$/);
  });

  it('sends the events from now on, in the format of the history', async () => {
    const id = await newSession();
    await say(id, 'before');
    const live = await stream(ofSession(id));
    expect(live.status).toBe(200);
    expect(live.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
    });
    for (const at of [api, second]) {
      const seen = live.events.length;
      await say(id, `through ${at.url}`, at);
      await live.take(seen + 1);
    }
    await api.org.post(`/chat/sessions/${id}/handoff`, { reason: 'angry' });
    const events = await live.take(3);
    const items = (await history(id)).slice(1);
    expect(events).toEqual(
      items.map((item: { event: { type: string } }, n: number) => ({
        id: String(n + 2),
        type: item.event.type,
        data: { ...item, type: item.event.type, session_id: id },
      })),
    );
  });

  it('sends each event once with 20 writers, also if cut and resumed in another process', async () => {
    const id = await newSession();
    const writers = Array.from({ length: 20 }, async (_, writer) => {
      for (let n = 0; n < 8; n++) await say(id, `${writer} ${n}`, n % 2 === 0 ? api : second);
    });
    const [received] = await Promise.all([readWithCuts(ofSession(id), '0', 160), ...writers]);
    expect(ids(received)).toEqual((await history(id)).map((item: { id: string }) => item.id));
    expect(received.map((event) => event.id)).toEqual(Array.from({ length: 160 }, (_, n) => String(n + 1)));
  }, 60_000);

  it('loses no event if it is cut before the first one', async () => {
    const id = await newSession();
    await say(id, 'before');
    const first = await stream(ofSession(id));
    await eventually('the place', () => first.lastEventId() !== '');
    first.cut();
    await say(id, 'meanwhile');
    const again = await stream(`${ofSession(id)}?last_event_id=${first.lastEventId()}`, { at: second });
    expect(texts(await again.take(1))).toEqual(['meanwhile']);
  });

  it('prefers the Last-Event-ID header to the query parameter', async () => {
    const id = await newSession();
    for (const text of ['1', '2', '3']) await say(id, text);
    const live = await stream(`${ofSession(id)}?last_event_id=0`, { lastEventId: '2' });
    expect(texts(await live.take(1))).toEqual(['3']);
  });

  it('ends when the session is deleted', async () => {
    const id = await newSession();
    const live = await stream(ofSession(id));
    await api.db.deleteFrom('session_events').where('session_id', '=', id).execute();
    await api.db.deleteFrom('sessions').where('org_id', '=', api.org.id).where('id', '=', id).execute();
    await eventually('the end', live.isEnded);
  });
});

describe("an org's stream", () => {
  it('announces each new session before its messages, which its history does not show', async () => {
    const live = await stream('/events');
    const id = await newSession();
    await say(id, 'hello');
    const [created, message] = await live.take(2);
    expect(created).toMatchObject({
      type: 'session_created',
      data: { session_id: id, event: { channel: { type: 'api' } } },
    });
    const { body: session } = await api.org.get(`/chat/sessions/${id}`);
    expect(created?.data.event.ticket_number).toBe(session.ticket_number);
    expect(message).toMatchObject({ type: 'message', data: { session_id: id } });
    expect((await history(id)).map(({ event }: { event: { type: string } }) => event.type)).toEqual(['message']);

    const resumed = await stream('/events', { at: second, lastEventId: created?.id ?? '' });
    expect(ids(await resumed.take(1))).toEqual([message?.data.id]);
  });

  it('neither loses nor repeats events of a transaction that writes early and commits late', async () => {
    const [early, other] = [await newSession(), await newSession()];
    const live = await stream('/events');
    const { finish } = await hold(api.db, (trx) => append(trx, early, 'early'));
    await say(other, 'overtakes');
    const late = await stream('/events', { at: second });
    await sleep(300);
    expect(live.events).toEqual([]);
    await finish();
    expect(texts(await live.take(2))).toEqual(['early', 'overtakes']);
    await say(other, 'after');
    await live.take(3);
    expect(ids(await late.take(3))).toEqual(ids(live.events));
    const resumed = await stream('/events', { at: second, lastEventId: live.events[0]?.id ?? '' });
    expect(ids(await resumed.take(2))).toEqual(ids(live.events).slice(1));
  });

  it('keeps the order of the events of a session, whichever transaction began first', async () => {
    const id = await newSession();
    const live = await stream('/events');
    const { trx, finish } = await hold(api.db, (began) => sql`select pg_current_xact_id()`.execute(began));
    await say(id, 'first');
    await append(trx, id, 'second');
    await append(trx, id, 'third');
    await finish();
    await say(id, 'fourth');
    expect(texts(await live.take(4))).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('sends each event once, in one order, while transactions overlap and streams are cut', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => newSession()));
    const begun = await stream('/events');
    await eventually('the place', () => begun.lastEventId() !== '');
    const writers = Array.from({ length: 20 }, async (_, writer) => {
      for (let n = 0; n < 6; n++) {
        const { db } = writer % 2 === 0 ? api : second;
        await db.transaction().execute(async (trx) => {
          await sql`select pg_current_xact_id()`.execute(trx);
          await sleep(Math.random() * 20);
          await append(trx, sessions[(writer + n) % 5] as string, `${writer} ${n}`);
          await sleep(Math.random() * 20);
        });
      }
    });
    const [received] = await Promise.all([readWithCuts('/events', begun.lastEventId(), 120), ...writers]);
    expect(ids(await begun.take(120))).toEqual(ids(received));
    await sleep(100);
    expect(begun.events).toHaveLength(120);
    for (const id of sessions) {
      const own = received.filter(({ data }) => data.session_id === id);
      expect(ids(own)).toEqual((await history(id)).map((item: { id: string }) => item.id));
    }
  }, 60_000);

  it('is not delayed by a relay waiting for Temporal', async () => {
    const relay = connect(api.databaseUrl, { poolSize: 1, applicationName: RELAY_APPLICATION_NAME });
    const { finish } = await hold(relay.db, (trx) => sql`select pg_current_xact_id()`.execute(trx));
    const id = await newSession();
    const live = await stream('/events');
    await say(id, 'goes on');
    expect(texts(await live.take(1))).toEqual(['goes on']);
    await finish();
    await relay.close();
  });

  it('has no event of another org, and a stream of a session of another org is a 404', async () => {
    const [own, foreign] = [await newSession(), await newSession(api.other)];
    const live = await stream('/events', { lastEventId: `0-${foreign}-0` });
    const message = { sender: 'contact', message: { type: 'text', text: 'theirs' } };
    await api.other.post(`/chat/sessions/${foreign}/send`, message);
    await say(own, 'ours');
    await eventually('ours', () => live.events.some(({ data }) => data.event.content?.text === 'ours'));
    await sleep(200);
    expect(live.body).not.toMatch(/theirs/);
    expect(new Set(live.events.map(({ data }) => data.session_id)).has(foreign)).toBe(false);
    expect((await api.org.get(ofSession(foreign))).status).toBe(404);
    expect((await api.org.get(ofSession(newId()))).status).toBe(404);
  });
});

describe('an event stream', () => {
  it('is refused for an event id of another stream, with the reason', async () => {
    const id = await newSession();
    for (const bad of ['x', '-1', '1.5', '1 or 1=1', '99999999999999999999', `1-${id}-1`]) {
      const { status, body } = await stream(ofSession(id), { lastEventId: bad });
      expect(`${bad} ${status}`).toBe(`${bad} 400`);
      expect(JSON.parse(body).issues[0]).toMatchObject({
        path: 'headers.last-event-id',
        message: expect.stringContaining('id'),
      });
    }
    for (const bad of ['1', 'x', `1-${id}`, `1-${id}-x`, `99999999999999999999-${id}-1`]) {
      expect((await stream('/events', { lastEventId: bad })).status).toBe(400);
      expect((await stream(`/events?last_event_id=${bad}`)).status).toBe(400);
    }
    const neverThere = [
      await stream(ofSession(id), { lastEventId: '7' }),
      await stream('/events', { lastEventId: `99999999999-${id}-1` }),
    ];
    for (const { status, body } of neverThere) {
      expect(status).toBe(400);
      expect(JSON.parse(body).message).toMatch(/Last-Event-ID/);
    }
  });

  it('needs the scope to read sessions', async () => {
    const id = await newSession();
    const reader = await api.org.withScopes('chat-sessions:read');
    const writer = await api.org.withScopes('chat-sessions:write');
    for (const path of ['/events', ofSession(id)]) {
      expect((await stream(path, { key: reader.key })).status).toBe(200);
      expect((await stream(path, { key: writer.key })).status).toBe(403);
      expect((await stream(path, { key: 'none' })).status).toBe(401);
      expect(
        (await fetch(api.url + path, { method: 'HEAD', headers: { authorization: `Bearer ${reader.key}` } })).status,
      ).toBe(200);
    }
  });

  it('ends when its key is revoked', async () => {
    const id = await newSession();
    const { key, keyId } = await api.org.withScopes('chat-sessions:read');
    const [live, kept] = [await stream(ofSession(id), { key }), await stream(ofSession(id))];
    await revokeKeyAsOperator(api.db, keyId);
    await eventually('the end', live.isEnded);
    await sleep(500);
    expect(kept.isEnded()).toBe(false);
  });

  it('is kept open by comments, ends when the API shuts down, and does not delay the shutdown', async () => {
    const third = await startApi({ databaseUrl: api.databaseUrl, deps: { heartbeatMs: 500 } });
    const id = await newSession();
    const live = await stream(ofSession(id), { at: third });
    await eventually('comments', () => live.comments() >= 2);
    const closedAt = Date.now();
    await third.close();
    expect(Date.now() - closedAt).toBeLessThan(5_000);
    await eventually('the end', live.isEnded);
    await say(id, 'meanwhile');
    const resumed = await stream(ofSession(id), { at: second, lastEventId: live.lastEventId() });
    expect(texts(await resumed.take(1))).toEqual(['meanwhile']);
  });

  it('sends events within seconds even if their notification is lost', async () => {
    const log = { warn: () => undefined, error: () => undefined };
    const liveStreams = {
      ...createLiveStreams({ ...api.deps, links: api.deps.mediaLinks, log }),
      wake: () => undefined,
    };
    const deaf = await startApi({ databaseUrl: api.databaseUrl, deps: { liveStreams } });
    const id = await newSession();
    const [live, ofOrg] = [await stream(ofSession(id), { at: deaf }), await stream('/events', { at: deaf })];
    await sleep(50);
    const saidAt = Date.now();
    await say(id, 'unheard');
    expect(texts(await live.take(1))).toEqual(['unheard']);
    expect(texts(await ofOrg.take(1))).toEqual(['unheard']);
    expect(Date.now() - saidAt).toBeLessThan(5_000);
    await deaf.close();
  });

  it('buffers little for a client that does not read, and sends it everything later', async () => {
    const id = await newSession();
    const { hostname, port } = new URL(api.url);
    const connections: { writableLength: number }[] = [];
    const note = (socket: { writableLength: number }) => void connections.push(socket);
    api.app.server.on('connection', note);
    const socket = connectSocket(Number(port), hostname);
    socket.write(`GET ${ofSession(id)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.org.key}\r\n\r\n`);
    const markers: number[] = [];
    let unread = '';
    let hasBegun = false;
    socket.setEncoding('utf8').on('data', (text: string) => {
      unread += text;
      hasBegun ||= unread.includes('retry:');
      for (const [, marker] of unread.matchAll(/<(\d+)>/g)) markers.push(Number(marker));
      unread = unread.slice(Math.max(unread.lastIndexOf('>') + 1, unread.length - 10));
    });
    await eventually('the stream', () => hasBegun);
    api.app.server.off('connection', note);
    socket.pause();

    const count = 400;
    for (let n = 0; n < count; n += 20) {
      const events = Array.from({ length: 20 }, (_, m) => {
        return {
          id: newId(),
          type: 'custom_data_changed',
          data: { keys: [`<${n + m}>${randomBytes(36_000).toString('base64')}`] },
        } as const;
      });
      await inTransaction(api.db, (trx) => appendEvents(trx, api.org.id, id, { events, announcements: [] }));
    }
    await sleep(1_500);
    expect(connections).toHaveLength(1);
    expect(connections[0]?.writableLength).toBeLessThan(500_000);
    expect(markers.length).toBeLessThan(count);
    socket.resume();
    await eventually('the rest', () => markers.at(-1) === count - 1);
    expect(markers).toEqual(Array.from({ length: count }, (_, n) => n));
    socket.destroy();
  }, 30_000);
});
