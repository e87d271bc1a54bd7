import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { up as renameIdTypes } from '../../src/db/migrations/0042-kinds-of-external-ids.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

it.each([
  ['ticket', 'ticket_id'],
  ['conversation', 'conversation_id'],
  ['thread', 'conversation_id'],
  ['ticket_id', 'ticket_id'],
])('a migration turns the kind of external id %s into %s, and can run twice', async (stored, shown) => {
  const { id } = (await api.org.post('/chat/sessions', {})).body;
  const ticketing = JSON.stringify({ name: 'hubspot', external_id: '17', id_type: stored });
  await sql`update sessions set ticketing_system = ${ticketing}::jsonb where id = ${id}`.execute(api.db);
  for (const _ of [1, 2]) await api.db.transaction().execute((trx) => renameIdTypes(trx as unknown as Kysely<unknown>));
  const session = await api.org.get(`/chat/sessions/${id}`);
  expect(session).toMatchObject({
    status: 200,
    body: { ticketing_system: { name: 'hubspot', external_id: '17', id_type: shown } },
  });
});
