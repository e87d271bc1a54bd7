import { sql } from 'kysely';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';

/** Without a worker, no turn ends. */
let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
  org = api.org;
  await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true });
});
afterAll(() => api.close());

const MESSAGE = { sender: 'contact', message: { type: 'text', text: 'When?' } };
const NO_ANSWER_YET = { status: 201, body: { success: true, data: { success: true, sessionIsHandedOff: false } } };

const newSession = async (): Promise<string> =>
  (await org.post('/chat/sessions', { channel: { type: 'api' } })).body.id;
const countMessages = async (id: string) => (await org.get(`/chat/sessions/${id}/history`)).body.items.length;

describe('a request that waits for the AI’s answer to a stored message', () => {
  it('is answered at once, without an answer of the AI, when the process is to end', async () => {
    const ending = await startApi({ databaseUrl: api.databaseUrl });
    const id = await newSession();
    const sending = ending
      .client(org.key)
      .post(`/chat/sessions/${id}/send`, MESSAGE, { headers: { prefer: 'wait=20' } });
    await eventually('the message', async () => (await countMessages(id)) === 1);
    const beganAt = performance.now();
    await ending.close();
    expect(performance.now() - beganAt).toBeLessThan(5_000);
    expect(await sending).toMatchObject(NO_ANSWER_YET);
  });

  it('is answered without an answer of the AI if the wait fails', async () => {
    const id = await newSession();
    await sql`alter table ai_turns rename to lost_turns`.execute(api.db);
    try {
      expect(await org.post(`/chat/sessions/${id}/send`, MESSAGE)).toMatchObject(NO_ANSWER_YET);
    } finally {
      await sql`alter table lost_turns rename to ai_turns`.execute(api.db);
    }
    expect(await countMessages(id)).toBe(1);
  });
});
