import { connectMeta, FAKES_ALLOWED, newNumber } from '../../support/channels.ts';
import { type FakeMeta, startFakeMeta } from '../../support/fakes/meta.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

let stack: Stack;
let meta: FakeMeta;
let org: TestOrg;
let url: string;
let user_id: string;
let users = 134_912;
beforeAll(async () => {
  meta = await startFakeMeta();
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await meta.close();
});
beforeEach(async () => {
  org = await stack.createOrg();
  url = await connectMeta(org, meta);
  user_id = `GB.${users++}`;
});

interface Session {
  id: string;
  contact: { id: string; name: string | null; phone_number: string | null };
}
const sessions = async (): Promise<Session[]> => (await org.get('/chat/sessions')).body.items;
const texts = async ({ id }: Session) =>
  (await org.get(`/chat/sessions/${id}/history`)).body.items.map(
    // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
    ({ event }: { event: any }) => event.content?.text,
  );
const contactCount = async () =>
  (await stack.db.selectFrom('contacts').select('id').where('org_id', '=', org.id).execute()).length;
const receive = async (user: object, text: string, fields?: object) =>
  expect(await meta.receiveFromUser(url, { user_id, ...user }, text, fields)).toBe(200);

describe('a WhatsApp user without a phone number', () => {
  it('is a contact without a number, and is answered by the id', async () => {
    await receive({ profile: { username: 'ann.smith' } }, 'Hello');
    await receive({}, 'Anybody?');
    const [session, ...others] = await sessions();
    if (session === undefined) throw new Error('no session');
    expect(others).toEqual([]);
    expect(session.contact).toMatchObject({ name: 'ann.smith', phone_number: null });
    expect(await texts(session)).toEqual(['Hello', 'Anybody?']);
    const message = { sender: 'agent', message: { type: 'text', text: 'Good day' } };
    expect((await org.post(`/chat/sessions/${session.id}/send`, message)).status).toBe(201);
    const sent = await eventually('the answer', async () => meta.texts.find(({ to }) => to === user_id));
    expect(sent).toMatchObject({ to: user_id, text: 'Good day' });
    const [delivery] = (await org.get('/deliveries?channel=whatsapp')).body.items;
    expect(delivery).toMatchObject({ to: user_id });
  });

  it('is found by the contacts of the callback if the message does not name the sender', async () => {
    await receive({}, 'Hello', { from_user_id: undefined });
    expect((await sessions()).length).toBe(1);
  });

  it('is found by the id of a parent account', async () => {
    user_id = `US.ENT.${users++}`;
    await receive({}, 'Hello');
    expect((await sessions()).length).toBe(1);
  });

  it('is one contact for messages at once', async () => {
    await Promise.all(['a', 'b', 'c'].map((text) => receive({}, text)));
    expect([(await sessions()).length, await contactCount()]).toEqual([1, 1]);
  });

  it('is another contact in another org', async () => {
    await receive({}, 'Hello');
    const first = (await sessions())[0]?.contact.id;
    org = await stack.createOrg();
    url = await connectMeta(org, meta);
    await receive({}, 'Hello');
    expect((await sessions())[0]?.contact.id).not.toBe(first);
  });

  it('gets the number once it is known', async () => {
    const number = newNumber();
    await receive({}, 'Hello');
    const first = (await sessions())[0]?.contact;
    expect(first).toMatchObject({ phone_number: null });
    await receive({ wa_id: number.slice(1) }, 'Here is my number');
    const [session, ...others] = await sessions();
    expect(session?.contact).toMatchObject({ id: first?.id, phone_number: number });
    expect([others, await contactCount()]).toEqual([[], 1]);
  });

  it('is the contact with the number, if there is one, once the number is known', async () => {
    const number = newNumber();
    const { id } = (await org.post('/contacts', { contact: { phone: number, name: 'Ann' } })).body;
    await receive({ wa_id: number.slice(1) }, 'With a number');
    await receive({}, 'Without');
    const [session, ...others] = await sessions();
    if (session === undefined) throw new Error('no session');
    expect([session.contact.id, others]).toEqual([id, []]);
    expect(await texts(session)).toEqual(['With a number', 'Without']);
  });

  it('becomes the contact with the number, also after messages as a contact without one', async () => {
    const number = newNumber();
    await receive({}, 'Before');
    const { id } = (await org.post('/contacts', { contact: { phone: number, name: 'Ann' } })).body;
    await receive({ wa_id: number.slice(1) }, 'With a number');
    await receive({}, 'Without');
    const all = await Promise.all((await sessions()).map(async (one) => [one.contact.id === id, await texts(one)]));
    expect(all.sort()).toEqual([
      [false, ['Before']],
      [true, ['With a number', 'Without']],
    ]);
  });

  it('is a new contact after the contact was deleted', async () => {
    await receive({}, 'Hello');
    const first = (await sessions())[0]?.contact.id;
    expect((await org.delete(`/contacts/${first}`)).status).toBeLessThan(300);
    await receive({}, 'Hello again');
    expect(await contactCount()).toBe(1);
  });
});
