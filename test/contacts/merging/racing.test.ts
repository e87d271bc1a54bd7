import { sql } from 'kysely';
import { mergeContacts } from '../../../src/contacts/merging/service.ts';
import { saveContactsSilently } from '../../../src/contacts/saving/service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { createUnsubscribeLinks } from '../../../src/deliveries/ledger/delivery-links.ts';
import { newId } from '../../../src/ids.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { untilOneWaits } from '../../support/stack/lock-waits.ts';

let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
});
beforeEach(async () => {
  org = await api.createOrg();
});
afterAll(() => api.close());

const save = async (contact: object): Promise<string> => (await org.post('/contacts', { contact })).body.id;

/** Begins `work` while a merge is done but not committed, and commits it once `work` waits for it. */
async function whileMerging<T>(toId: string, fromId: string, work: () => Promise<T>): Promise<T> {
  const begun = await inTransaction(api.db, async (trx) => {
    await mergeContacts(trx, api.deps.contactMerges, org.id, { fromId, toId });
    const pending = work();
    await untilOneWaits(api.db);
    return { pending };
  });
  return begun.pending;
}

it('an import finds the contact that another one becomes meanwhile', async () => {
  const id = await save({ email: 'stays@race.example' });
  const fromId = await save({ email: 'goes@race.example' });
  const change = { email: 'goes@race.example', custom_data: { imported: 'yes' } };
  const results = await whileMerging(id, fromId, () =>
    inTransaction(api.db, (trx) => saveContactsSilently(trx, org.id, [{ by: 'email', change }])),
  );
  expect(results).toEqual([{ id, created: false }]);
  expect((await org.get('/contacts')).body.items).toMatchObject([{ id, custom_data: { imported: 'yes' } }]);
});

const GOES = 'goes@race.example';
it.each([
  ['saved', () => org.post('/contacts', { contact: { email: GOES } }), (id: string) => ({ id })],
  [
    'saved with others',
    () => org.post('/contacts/batch', { contacts: [{ email: GOES }, { email: 'else@race.example' }] }),
    (id: string) => ({ results: [{ id, created: false }, { created: true }] }),
  ],
  [
    'authenticated in the widget',
    () => org.post('/widget/authenticate-user', { email: GOES }),
    (id: string) => ({ contact: { id } }),
  ],
  [
    'changed',
    async () => org.patch(`/contacts/${await save({ email: 'else@race.example' })}`, { contact: { email: GOES } }),
    (id: string) => ({ code: 'already_exists', conflicting: { id } }),
  ],
])('a contact that is %s meanwhile does not get what identifies the absorbed one', async (_, work, answer) => {
  const id = await save({ email: 'stays@race.example' });
  const fromId = await save({ email: GOES });
  const { body } = await whileMerging(id, fromId, work);
  expect(body).toMatchObject(answer(id));
  const { items } = (await org.get(`/contacts?email=${GOES}`)).body;
  expect(items.map((one: { id: string }) => one.id)).toEqual([id]);
});

it('an unsubscription reaches the addresses of the contact that another one becomes meanwhile', async () => {
  const id = await save({ email: 'stays@race.example' });
  const fromId = await save({ email: 'goes@race.example' });
  const delivery = { org_id: org.id, id: newId(), contact_id: fromId, to: 'goes@race.example' };
  await api.db
    .insertInto('deliveries')
    .values({ ...delivery, channel: 'email', status: 'delivered' })
    .execute();
  const links = createUnsubscribeLinks(api.config.signingSecrets, api.url);
  const page = links.urlOf({ orgId: org.id, deliveryId: delivery.id });
  const answer = await whileMerging(id, fromId, () => fetch(page, { method: 'POST' }));
  expect(answer.status).toBe(200);
  const { items } = (await org.get('/suppressions')).body;
  expect(items.map(({ address }: { address: string }) => address).sort()).toEqual([
    'goes@race.example',
    'stays@race.example',
  ]);
});

it('a preview does not wait for who has the contacts locked', async () => {
  const id = await save({ email: 'stays@race.example' });
  const fromId = await save({ email: 'goes@race.example' });
  await inTransaction(api.db, async (trx) => {
    await sql`select from contacts where org_id = ${org.id} for update`.execute(trx);
    expect((await org.post(`/contacts/${id}/merge`, { from_id: fromId, preview: true })).status).toBe(200);
  });
});
