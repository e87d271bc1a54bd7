import { sql } from 'kysely';
import { mergeContacts } from '../../../src/contacts/merging/service.ts';
import { saveContactsSilently } from '../../../src/contacts/saving/service.ts';
import type { Db } from '../../../src/db/connect.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { receiveCallback } from '../../../src/deliveries/callbacks/service.ts';
import type { MessageSenders } from '../../../src/deliveries/sending/message-sender.ts';
import { reconcileSends } from '../../../src/deliveries/sending/reconciliation.service.ts';
import { sendRequested } from '../../../src/deliveries/sending/requested-sends.service.ts';
import { addSuppression } from '../../../src/deliveries/suppressions/service.ts';
import { unsubscribe } from '../../../src/deliveries/suppressions/unsubscribing.service.ts';
import { newId } from '../../../src/ids.ts';
import type { SendOutcome } from '../../../src/providers/sending.ts';
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

/** SQL: whether a transaction that waits for a name has not locked or written a row yet. */
const HAS_NO_ROW = sql`wait_event = 'advisory' and backend_xid is null`;

/** Begins `work` while a merge is done but not committed, and commits it once `work` waits for it. */
async function whileMerging<T>(
  toId: string,
  fromId: string,
  work: () => Promise<T>,
  condition = sql`true`,
): Promise<T> {
  const begun = await inTransaction(api.db, async (trx) => {
    await mergeContacts(trx, api.deps.contactMerges, org.id, { fromId, toId });
    const pending = work();
    await untilOneWaits(api.db, condition);
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

const FIRST = { email: 'goes@race.example', phone: '+14155550101' };
const SECOND = { email: 'stays@race.example', phone: '+14155550102' };

/** A delivery to the contact that is absorbed. */
interface Sent {
  id: string;
  contactId: string;
}

/** A sender whose provider knows that the recipient has opted out. */
const REFUSED: SendOutcome = { kind: 'rejected', because: 'suppress', reason: '21610 unsubscribed' };
const refusing = (send: () => Promise<SendOutcome> = async () => REFUSED): MessageSenders => ({
  of: async () => ({
    provider: 'twilio',
    fromAddress: null,
    concurrency: 1,
    pool: {},
    send,
    findLostSend: async () => REFUSED,
  }),
  close: () => undefined,
});
const sendBy = (db: Db, senders: MessageSenders, { id: deliveryId }: Sent) =>
  sendRequested({ db, senders, isStopped: () => false }, org.id, { deliveryId }, 'sms');

/** Sends until the provider is asked. Returns what has it answer, and waits for the end. */
async function beginToSend(sent: Sent): Promise<() => Promise<unknown>> {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<SendOutcome>()];
  const senders = refusing(() => {
    asked.resolve();
    return answered.promise;
  });
  const sending = sendBy(api.db, senders, sent);
  await asked.promise;
  return () => {
    answered.resolve(REFUSED);
    return sending;
  };
}

const insertDelivery = async (channel: 'email' | 'sms', contactId: string, more: object = {}): Promise<Sent> => {
  const id = newId();
  const to = channel === 'email' ? FIRST.email : FIRST.phone;
  await api.db
    .insertInto('deliveries')
    .values({ org_id: org.id, id, contact_id: contactId, channel, to, status: 'delivered', ...more })
    .execute();
  return { id, contactId };
};

type OptOut = (trx: Db, sent: Sent) => Promise<unknown>;
type Begin = typeof beginToSend;

/** The ways in which a contact opts out, with what was sent to it before. */
const OPT_OUTS: Record<string, [channel: 'email' | 'sms', sent: object, optOut: OptOut, begin?: Begin]> = {
  'the page of an e-mail': [
    'email',
    {},
    (trx, { id: deliveryId }) => unsubscribe(trx, api.deps.mediaLinks, { orgId: org.id, deliveryId }),
  ],
  'a suppression by the API': [
    'email',
    {},
    (trx) => addSuppression(trx, org.id, { channel: 'email', address: FIRST.email }),
  ],
  'STOP by SMS': [
    'sms',
    {},
    (trx) => {
      const stop = { providerId: 'SM1', from: FIRST.phone, to: '+15005550006', text: 'STOP' };
      return receiveCallback(trx, org.id, 'twilio', { channel: 'sms', reports: [], messages: [stop] });
    },
  ],
  'a report of the provider, behind one about its files': [
    'sms',
    { status: 'accepted', provider: 'twilio', provider_id: 'SM2', content: JSON.stringify({ body: 'Hi' }) },
    (trx, { id: deliveryId }) => {
      const report = { providerId: 'SM2', deliveryId, status: 'failed' } as const;
      const reports = [
        { ...report, reason: '30019', isSuppressing: false, isFileRefused: true },
        { ...report, reason: '21610', isSuppressing: true },
      ];
      return receiveCallback(trx, org.id, 'twilio', { channel: 'sms', reports, messages: [] });
    },
  ],
  'the refusal of a send': [
    'sms',
    { status: 'queued', content: JSON.stringify({ body: 'Hi' }) },
    (trx, sent) => sendBy(trx, refusing(), sent),
    beginToSend,
  ],
  'the answer about a send in doubt': [
    'sms',
    { status: 'unknown', began_at: new Date(), look_up_at: new Date(), content: JSON.stringify({ body: 'Hi' }) },
    (trx) => reconcileSends(trx, refusing(), org.id),
  ],
};

const suppressedAddresses = async (): Promise<string[]> =>
  (await org.get('/suppressions')).body.items.map(({ address }: { address: string }) => address).sort();
const prepare = async (channel: 'email' | 'sms', sent: object) => {
  const [toId, fromId] = [await save(SECOND), await save(FIRST)];
  const both = [FIRST, SECOND].map(({ email, phone }) => (channel === 'email' ? email : phone)).sort();
  return { toId, fromId, both, sent: await insertDelivery(channel, fromId, sent) };
};

describe.each(Object.keys(OPT_OUTS))('an opt-out by %s', (way) => {
  const [channel, before, optOut, begin] = OPT_OUTS[way] as (typeof OPT_OUTS)[string];

  it('waits without a row for a merge, and reaches the addresses of the contact that another one becomes', async () => {
    const { toId, fromId, both, sent } = await prepare(channel, before);
    const end = begin === undefined ? () => optOut(api.db, sent) : await begin(sent);
    await whileMerging(toId, fromId, end, HAS_NO_ROW);
    expect(await suppressedAddresses()).toEqual(both);
  });

  it('is seen by a merge that begins before its commit', async () => {
    const { toId, fromId, both, sent } = await prepare(channel, before);
    const { merging } = await inTransaction(api.db, async (trx) => {
      await optOut(trx, sent);
      const pending = org.post(`/contacts/${toId}/merge`, { from_id: fromId });
      await untilOneWaits(api.db);
      return { merging: pending };
    });
    expect((await merging).status).toBe(200);
    expect(await suppressedAddresses()).toEqual(both);
  });
});

it('a preview does not wait for who has the contacts locked', async () => {
  const id = await save({ email: 'stays@race.example' });
  const fromId = await save({ email: 'goes@race.example' });
  await inTransaction(api.db, async (trx) => {
    await sql`select from contacts where org_id = ${org.id} for update`.execute(trx);
    expect((await org.post(`/contacts/${id}/merge`, { from_id: fromId, preview: true })).status).toBe(200);
  });
});
