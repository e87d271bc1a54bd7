import { sql } from 'kysely';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

it('a session knows the seq of its contact’s last message, whatever comes after it', async () => {
  const { id } = (await api.org.post('/chat/sessions', {})).body;
  const send = (sender: string) =>
    api.org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text: 'Hello' } });
  const known = async () => {
    const { rows } = await sql<{ known: number; counted: number }>`
      select last_contact_seq as known, coalesce((
        select max(seq) from session_events where org_id = sessions.org_id and session_id = sessions.id and sender = 'contact'
      ), 0) as counted from sessions where org_id = ${api.org.id} and id = ${id}`.execute(api.db);
    return rows[0];
  };
  expect(await known()).toEqual({ known: 0, counted: 0 });
  for (const sender of ['agent', 'contact', 'contact', 'agent', 'contact']) {
    await send(sender);
    const { known: seq, counted } = (await known()) ?? {};
    expect(seq).toBe(counted);
  }
  const { known: last } = (await known()) ?? {};
  await api.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
  expect(last).toBeGreaterThan(0);
  expect(await known()).toEqual({ known: last, counted: last });
});
