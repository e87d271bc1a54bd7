import { sql } from 'kysely';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
});

const QUOTATION = `On Fri, Nov 27, 2026 at 10:00 AM Support <support@shop.example> wrote:

> Do you agree to the replacement of your zeppelin? Please answer this e-mail within three days.`;
const ANSWER = 'Ja, bitte schicken Sie mir so bald wie möglich einen neuen Okapi an meine Adresse.';
const MAIL = `${ANSWER}\n\nMit freundlichen Grüßen\nAnn Wombat\n\n${QUOTATION}`;

async function newSession(type = 'email'): Promise<string> {
  const contact = { email: `${crypto.randomUUID()}@example.com` };
  const { id } = (await org.post('/contacts', { contact })).body;
  return (await org.post('/chat/sessions', { contact_id: id, channel: { type } })).body.id;
}
async function say(id: string, text: string): Promise<void> {
  const message = { sender: 'contact', message: { type: 'text', text } };
  expect((await org.post(`/chat/sessions/${id}/send`, message)).status).toBe(201);
}
async function sessionWith(text: string, type = 'email'): Promise<string> {
  const id = await newSession(type);
  await say(id, text);
  return id;
}
const sessionOf = async (id: string) => (await org.get(`/chat/sessions/${id}`)).body;
const found = async (q: string): Promise<number> =>
  (await org.get(`/chat/sessions/search?${new URLSearchParams({ q })}`)).body.messages.length;
const rowsOf = (id: string) =>
  api.db
    .selectFrom('session_events')
    .select(['id', 'own_words'])
    .where('session_id', '=', id)
    .where('type', '=', 'message')
    .execute();

describe('an e-mail that quotes another one', () => {
  it('tells the language of its session by its own words', async () => {
    expect(await sessionOf(await sessionWith(MAIL))).toMatchObject({ language: 'de' });
    expect(await sessionOf(await sessionWith(`Ja.\n\n${QUOTATION}`))).toMatchObject({ language: null });
  });

  it('is found by its own words alone, and the history shows it whole', async () => {
    const id = await sessionWith(MAIL);
    expect([await found('okapi'), await found('zeppelin'), await found('wombat')]).toEqual([1, 0, 0]);
    const [item] = (await org.get(`/chat/sessions/${id}/history`)).body.items;
    expect(item.event.content.text).toBe(MAIL);
    const [message] = (await org.get('/chat/sessions/search?q=okapi')).body.messages;
    expect(message.message).toBe(MAIL);
  });

  it('is found by its own words too where the language is detected later', async () => {
    const id = await sessionWith(`Okapis?\n\n${QUOTATION}`);
    expect(await sessionOf(id)).toMatchObject({ language: null });
    await say(id, 'When will you send the animals that I have ordered?');
    expect([await found('okapi '), await found('zeppelin ')]).toEqual([1, 0]);
  });

  it('is found by all of its words where it has none of its own', async () => {
    await sessionWith(QUOTATION);
    expect(await found('zeppelin')).toBe(1);
  });

  it('is a message like any other on a channel without e-mails', async () => {
    const id = await sessionWith(MAIL, 'api');
    expect([await found('okapi'), await found('zeppelin'), await found('wombat')]).toEqual([1, 1, 1]);
    expect(await rowsOf(id)).toMatchObject([{ own_words: null }]);
  });

  it('is summarized by its own words', async () => {
    const id = await sessionWith(`My lamp broke.\n\n${QUOTATION}`);
    await org.post(`/chat/sessions/${id}/handoff`, { reason: 'test' });
    const { handoff } = await sessionOf(id);
    expect(handoff).toMatchObject({ summary: 'Customer: My lamp broke.' });
  });

  it('loses its own words with its text', async () => {
    const id = await sessionWith(MAIL);
    const [row] = await rowsOf(id);
    expect(row).toMatchObject({ own_words: ANSWER });
    expect((await org.post('/redaction/message', { messageId: row?.id })).status).toBe(200);
    expect((await rowsOf(id))[0]).toMatchObject({ own_words: null });
    const [item] = (await org.get(`/chat/sessions/${id}/history`)).body.items;
    expect([item.event.content.text, await found('okapi')]).toEqual([null, 0]);
  });

  it('loses its own words with a change of its text', async () => {
    const id = await sessionWith(MAIL);
    await sql`update session_events set content = 'A quagga' where session_id = ${id} and type = 'message'`.execute(
      api.db,
    );
    expect([await found('quagga'), await found('okapi'), (await rowsOf(id))[0]?.own_words]).toEqual([1, 0, null]);
  });
});
