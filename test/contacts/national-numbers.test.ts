import { openExternalSession } from '../../src/conversations/messages/external-messages.service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

const NATIONAL = '020 7946 0958';
const E164 = '+442079460958';

let api: TestApi;
let british: TestOrg;
beforeAll(async () => {
  api = await startApi();
  british = await api.createOrg();
  await british.patch('/org/settings', { country: 'gb' });
  await untilTaken(british, NATIONAL);
});
afterAll(() => api.close());

const save = (org: TestOrg, phone: string) => org.post('/contacts', { contact: { phone } });
/** Other processes know the country within a second. */
const untilTaken = (org: TestOrg, phone: string, status = 201) =>
  eventually(`${status} for ${phone}`, async () => (await save(org, phone)).status === status);
const numberOf = async (org: TestOrg, id: string) => (await org.get(`/contacts/${id}`)).body.phone_number;

describe('a phone number without a plus', () => {
  it('a phone number without a plus is refused with the way to take it, until the org has a country, and again once it has none', async () => {
    const org = await api.createOrg();
    expect((await org.get('/org/settings')).body.country).toBeNull();
    const refused = {
      status: 400,
      body: { issues: [{ path: 'body.contact.phone', message: expect.stringMatching(/country/) }] },
    };
    expect(await save(org, NATIONAL)).toMatchObject(refused);
    expect((await org.patch('/org/settings', { country: 'GB' })).body).toMatchObject({ country: 'GB' });
    await untilTaken(org, NATIONAL);
    const { body } = await save(org, NATIONAL);
    expect(await numberOf(org, body.id)).toBe(E164);
    await org.patch('/org/settings', { country: 'FR' });
    await eventually('a French number', async () => {
      const { body: french } = await save(org, '01 23 45 67 89');
      return (await numberOf(org, french.id)) === '+33123456789';
    });
    await org.patch('/org/settings', { country: null });
    await untilTaken(org, NATIONAL, 400);
    expect(await save(org, NATIONAL)).toMatchObject(refused);
    expect(await save(api.org, NATIONAL)).toMatchObject(refused);
  });

  it('a phone number without a plus is the number of the same contact in every spelling', async () => {
    const ids = await Promise.all(
      [E164, NATIONAL, '02079460958', '(020) 7946-0958', '0044 20 7946 0958', '442079460958'].map(
        async (phone) => (await save(british, phone)).body.id,
      ),
    );
    expect(new Set(ids).size).toBe(1);
    expect((await save(british, '+33 1 23 45 67 89')).status).toBe(201);
    for (const wrong of ['12', `${NATIONAL} ext 5`, 'call 020 7946 0958', '020 7946 0958 0958 0958', 'x']) {
      expect(await save(british, wrong)).toMatchObject({ status: 400 });
    }
  });

  it('a phone number without a plus is taken by batches, filters, segments, suppressions and the widget', async () => {
    const { id } = (await save(british, NATIONAL)).body;
    const batch = await british.post('/contacts/batch', { contacts: [{ phone: '02079460958' }] });
    expect(batch.body.results).toMatchObject([{ id }]);
    const filter = { or: [{ and: [{ type: 'contacts_phone_number_in', phone_number_in: ['020 79 46 09 58'] }] }] };
    const idsBy = async (by: object) =>
      (await british.post('/contacts/search', { filter: by })).body.items.map((item: { id: string }) => item.id);
    expect(await idsBy(filter)).toEqual([id]);
    await british.post('/suppressions', { channel: 'sms', address: '020 7946 0000' });
    const listed = await british.get(`/suppressions?channel=sms&address=${encodeURIComponent('(020) 79460000')}`);
    expect(listed.body.items).toMatchObject([{ address: '+442079460000' }]);
    const user = await british.post('/widget/authenticate-user', {
      email: `${crypto.randomUUID()}@example.com`,
      phone: '020 7946 0111',
    });
    expect(await numberOf(british, user.body.contact.id)).toBe('+442079460111');
  });

  it.each(['12345', 'BANK'])(
    'a contact who wrote from the short code or name %s can be sent back as it was read',
    async (from) => {
      const { id } = (await british.post('/contacts', { contact: { name: 'Somebody' } })).body;
      await api.db.updateTable('contacts').set({ phone_number: from }).where('id', '=', id).execute();
      const { body: read } = await british.get(`/contacts/${id}`);
      expect(read).toMatchObject({ phone: from, phone_number: from });
      expect((await british.patch(`/contacts/${id}`, { contact: { ...read, name: 'Else' } })).status).toBe(200);
      expect((await british.get(`/contacts/${id}`)).body).toMatchObject({ phone: from, name: 'Else' });
      expect((await british.patch(`/contacts/${id}`, { contact: { phone: '54' } })).status).toBe(400);
      expect((await british.patch('/contacts/no-id', { contact: { phone: from } })).status).toBe(400);
    },
  );

  it('a phone number without a plus is taken from a CRM', async () => {
    const numbersOf = async (org: TestOrg) => {
      const person = { name: 'Ann', email: `${crypto.randomUUID()}@example.com`, phone: '020 7946 0222' };
      const conversation = { person, channel: 'web', assistMode: false } as const;
      const { id } = await inTransaction(api.db, (trx) => openExternalSession(trx, org.id, conversation));
      return (await org.get(`/chat/sessions/${id}`)).body.contact.phone_number;
    };
    expect(await numbersOf(british)).toBe('+442079460222');
    expect(await numbersOf(api.org)).toBeNull();
  });

  it('a number of a country that does not exist is a 400', async () => {
    for (const country of ['XX', 'United Kingdom', '', 44, 'GBR'])
      expect(await british.patch('/org/settings', { country })).toMatchObject({ status: 400 });
  });
});
