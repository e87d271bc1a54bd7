import { addAiMessage } from '../../src/conversations/ai/service.ts';
import { lockSession } from '../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { addTurn } from '../ai/calls/calling.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { unverified, type Widget } from './client.ts';

interface Item {
  publicId: string;
  content: { text: string };
  sender: { kind: string };
  sentAt: string;
}

let api: TestApi;
let widget: Widget;
let id: string;
beforeAll(async () => {
  api = await startApi();
  widget = await unverified(api, api.org);
  id = await widget.newSession();
});
afterAll(() => api.close());

const get = async (path: string) => {
  const { status, body } = await widget.get(path);
  expect(status).toBe(200);
  return body;
};
const textsOf = (items: Item[]) => items.map(({ content }) => content.text);

describe('a poll of the widget', () => {
  it('with the last item that the client has sends only what came after it, by its id or its time', async () => {
    const session = await widget.newSession();
    for (const text of ['One', 'Two', 'Three']) await widget.send(session, text);
    const history: Item[] = (await widget.poll(session)).history;
    const [, two, three] = history as [Item, Item, Item];
    for (const path of ['poll', 'session/history']) {
      const since = async (value: string): Promise<Item[]> => {
        const body = await get(`${path}/${session}?since=${encodeURIComponent(value)}`);
        return path === 'poll' ? body.history : body;
      };
      expect(textsOf(await since(two.publicId))).toEqual(['Three']);
      expect(await since(three.publicId)).toEqual([]);
      expect(textsOf(await since(two.sentAt)).slice(-2)).toEqual(['Two', 'Three']);
      expect(textsOf(await since('2001-01-01T00:00:00Z'))).toEqual(['One', 'Two', 'Three']);
      expect(await since('2101-01-01T00:00:00Z')).toEqual([]);
    }
    expect(await get(`session/history/${session}`)).toEqual(history);
  });

  it('misses no event whose time is earlier than that of the event before it', async () => {
    const session = await widget.newSession();
    for (const text of ['One', 'Two']) await widget.send(session, text);
    const [one] = (await widget.poll(session)).history;
    await api.db
      .updateTable('session_events')
      .set({ created_at: new Date(Date.parse(one.sentAt) - 1_000) })
      .where('session_id', '=', session)
      .where('content', '=', 'Two')
      .execute();
    expect(textsOf((await get(`poll/${session}?since=${one.sentAt}`)).history)).toEqual(['One', 'Two']);
  });

  it('sends the latest 500 items, and less of long ones, while a client that says what it has gets all', async () => {
    const session = await widget.newSession();
    await widget.send(session, 'First');
    const add = (from: number, count: number, length: number) =>
      api.db
        .insertInto('session_events')
        .values(
          Array.from({ length: count }, (_, n) => ({
            org_id: api.org.id,
            session_id: session,
            seq: from + n,
            id: crypto.randomUUID(),
            type: 'message' as const,
            sender: 'human_agent' as const,
            content: `${from + n} ${'x'.repeat(length)}`,
          })),
        )
        .execute();
    await add(1_000, 600, 1);
    const { history } = await get(`poll/${session}`);
    expect([history.length, history.at(-1).content.text]).toEqual([500, '1599 x']);
    const seen: Item[] = [await get(`session/history/${session}?since=2001-01-01T00:00:00Z`).then(([first]) => first)];
    for (let page: Item[] = seen; page.length > 0; seen.push(...page))
      page = await get(`session/history/${session}?since=${(seen.at(-1) as Item).publicId}`);
    expect(new Set(seen.map(({ publicId }) => publicId)).size).toBe(601);

    await add(2_000, 40, 50_000);
    const long: Item[] = (await get(`poll/${session}`)).history;
    expect(JSON.stringify(long).length).toBeLessThan(1_100_000);
    expect(long.at(-1)?.content.text).toMatch(/^2039 /);
  });

  it('never shows the history of another visitor', async () => {
    const other = await unverified(api, api.org);
    expect((await other.get(`session/history/${id}`)).status).toBe(404);
    expect((await other.get(`session/history/${id}?since=2001-01-01T00:00:00Z`)).status).toBe(404);
  });
});

describe('a message of the AI about an action', () => {
  it('names the action as the original’s client does, which fails without it, and shows nothing else of it', async () => {
    const session = await widget.newSession();
    await widget.send(session, 'Refund my order');
    const { turnId } = await addTurn(api.db, api.org, session);
    const call = { id: newId(), operation_id: 'refund_an_order', state: 'done' };
    await inTransaction(api.db, async (trx) => {
      const message = { id: newId(), text: 'Done', agent: 'extractive-1', turnId, citations: [], calls: [call] };
      await addAiMessage(trx, api.deps.sending, api.org.id, await lockSession(trx, api.org.id, session), message);
    });
    const shown = {
      operationId: 'refund_an_order',
      actionName: 'refund_an_order',
      state: 'done',
      args: null,
      result: null,
    };
    const { content, actionCalls } = (await widget.poll(session)).history.at(-1);
    expect([content.text, actionCalls]).toEqual(['Done', [shown]]);
  });
});

describe('what the page showed and knows', () => {
  it('is stored with the first message: its greetings before it, once, and its context', async () => {
    const session = await widget.newSession();
    const greeting = { uuid: crypto.randomUUID(), content: 'How can we help?' };
    const clientContext = { url: 'https://shop.example', cart: { items: 2 } };
    const first = { uuid: crypto.randomUUID(), initial_messages: [greeting, 'Ask us'], clientContext };
    await widget.send(session, 'Hi', first);
    await widget.send(session, 'Hi', first);
    await widget.send(session, 'Again', { initial_messages: [{ ...greeting, uuid: crypto.randomUUID() }] });
    const { history } = await widget.poll(session);
    expect(history.map(({ sender, content }: Item) => [sender.kind, content.text])).toEqual([
      ['ai', 'How can we help?'],
      ['ai', 'Ask us'],
      ['user', 'Hi'],
      ['user', 'Again'],
    ]);
    expect(history[0].publicId).toBe(greeting.uuid);
    expect(JSON.stringify(history)).not.toMatch(/cart/);

    const shown = async () =>
      (await api.org.get(`/chat/sessions/${session}/history`)).body.items
        .map(({ event }: { event: { type: string } }) => event)
        .filter(({ type }: { type: string }) => type === 'message');
    const [greeted, , said] = await shown();
    expect(JSON.stringify(greeted)).toMatch(/system/); // the visitor's page says so, and the AI never did
    expect(said).toMatchObject({ client_context: clientContext });
    expect((await api.org.get(`/chat/sessions/${session}`)).body.waiting_on).toBe('human_agents');

    await api.org.post('/redaction/message', { messageId: first.uuid });
    expect(JSON.stringify(await shown())).not.toMatch(/cart/);
  });

  it('keeps the ids of others apart', async () => {
    const taken = crypto.randomUUID();
    await (await unverified(api, api.org)).get('config');
    const other = await unverified(api, api.org);
    await other.send(await other.newSession(), 'x', { uuid: taken });
    const session = await widget.newSession();
    await widget.send(session, 'Hi', { uuid: taken, initial_messages: [{ uuid: taken, content: 'Hello' }] });
    const { history } = await widget.poll(session);
    expect(textsOf(history)).toEqual(['Hello', 'Hi']);
    expect(history[1].publicId).toBe(taken);
    expect(history[0].publicId).not.toBe(taken);
  });
});

describe('a score of the widget', () => {
  it('has the uuid of the widget as its public id, unless another item of the session has it', async () => {
    const uuid = crypto.randomUUID();
    const other = await unverified(api, api.org);
    await other.send(await other.newSession(), 'x', { uuid });
    const session = await widget.newSession();
    const message = crypto.randomUUID();
    await widget.send(session, 'Hi', { uuid: message });
    for (const system_message_uuid of [message, uuid]) {
      await widget.post('session/resolve', { session_id: session });
      const score = { session_id: session, score: 3, system_message_uuid };
      for (const _ of [1, 2]) expect((await widget.post('submit-csat', score)).body).toEqual({ success: true });
      await widget.send(session, 'More');
    }
    const { history } = await widget.poll(session);
    const ids = history.map(({ publicId }: Item) => publicId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(history.find(({ publicId }: Item) => publicId === message)).toMatchObject({ type: 'message' });
    expect(history.find(({ publicId }: Item) => publicId === uuid).systemMessagePayload.type).toBe('csat_submitted');
  });
});
