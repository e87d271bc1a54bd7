import { sql } from 'kysely';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { assertPositionsContinue } from '../../../src/db/positions.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { openEventStream, type ReceivedEvent } from '../../support/stack/event-stream.ts';

/** How many more transactions the server of the dump had seen. */
const AHEAD = 1_000_000_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const say = async (id: string, text: string) => {
  const body = { sender: 'contact', message: { type: 'text', text } };
  expect((await api.org.post(`/chat/sessions/${id}/send`, body)).status).toBe(201);
};
const textsOf = (events: ReceivedEvent[]) => events.map(({ data }) => data.event.content.text);
const stream = (headers: Record<string, string> = {}) =>
  openEventStream(`${api.url}/events`, { key: api.org.key, headers });

it('a dump restored on another server: streams have what happens since, and searches the newest first', async () => {
  const { id } = (await api.org.post('/chat/sessions', {})).body;
  const other = (await api.org.post('/chat/sessions', {})).body.id;
  for (const session of [id, other]) await say(session, 'needle old');
  const { rows } = await sql<{ last: string }>`
    with shifted as (update sessions set last_event_xid = (last_event_xid::text::bigint + ${AHEAD}::bigint)::text::xid8)
    update session_events set xid = (xid::text::bigint + ${AHEAD}::bigint)::text::xid8
    returning xid || '-' || session_id || '-' || seq as last
  `.execute(api.db);
  const lastEventId = rows
    .map(({ last }) => last)
    .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .at(-1);

  await expect(assertPositionsContinue(api.db)).rejects.toThrow('npm run migrate');
  await Promise.all([migrateToLatest(api.databaseUrl), migrateToLatest(api.databaseUrl)]);
  await assertPositionsContinue(api.db);

  const streams = [await stream(), await stream({ 'last-event-id': lastEventId ?? '' })];
  await say(id, 'needle new');
  await say(id, 'needle newer');
  for (const live of streams) {
    expect(textsOf(await live.take(2))).toEqual(['needle new', 'needle newer']);
    live.cut();
  }
  const { messages } = (await api.org.get('/chat/sessions/search?q=needle')).body;
  expect(messages.map(({ message }: { message: string }) => message)).toEqual([
    ...['needle newer', 'needle new'],
    ...['needle old', 'needle old'],
  ]);
});
