import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/transaction.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let count = 0;
const fresh = (name: string) => `${name}${++count}@together.example`;
const freshOnes = (length: number) => Array.from({ length }, () => fresh('one'));
const save = (email: string) => api.org.post('/contacts', { contact: { email } });
const statusesOf = async (emails: string[]) => (await Promise.all(emails.map(save))).map(({ status }) => status);

it('contacts saved at once share transactions, and each has its own id and one event', async () => {
  const emails = freshOnes(40);
  const answers = await Promise.all(emails.map(save));
  const { rows } = await sql<{ email: string; id: string; events: number; xmin: string }>`
    select email, id, xmin::text as xmin,
      (select count(*) from outbox where subject_id = contacts.id and type = 'contact-created') as events
    from contacts where email = any(${emails}::text[])
  `.execute(api.db);
  expect(new Map(rows.map(({ email, id }) => [email, id]))).toEqual(
    new Map(emails.map((email, nth) => [email, answers[nth]?.body.id])),
  );
  expect(rows.map(({ events }) => events)).toEqual(emails.map(() => 1));
  expect(new Set(rows.map(({ xmin }) => xmin)).size).toBeLessThan(emails.length);
});

it('contacts saved at once for two orgs are of the org of their request', async () => {
  const email = fresh('both');
  const [ours, theirs] = await Promise.all(
    [api.org, api.other].map((org) => org.post('/contacts', { contact: { email } })),
  );
  expect([ours?.status, theirs?.status]).toEqual([201, 201]);
  expect((await api.other.get(`/contacts/${ours?.body.id}`)).status).toBe(404);
  expect((await api.other.get(`/contacts/${theirs?.body.id}`)).body.email).toBe(email);
});

it('a contact that Postgres refuses fails alone', async () => {
  await sql`
    create function refuse_contact() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = '22000'; end $$
  `.execute(api.db);
  await sql`
    create trigger refuse_contact before insert on contacts for each row when (new.email like 'refused%')
      execute function refuse_contact()
  `.execute(api.db);
  const emails = [...freshOnes(5), fresh('refused'), ...freshOnes(5)];
  expect(await statusesOf(emails)).toEqual(emails.map((email) => (email.startsWith('refused') ? 400 : 201)));
  await sql`drop function refuse_contact cascade`.execute(api.db);
});

it('a contact whose e-mail a long transaction is taking fails alone', async () => {
  const taken = fresh('taken');
  await inTransaction(api.db, async (trx) => {
    await sql`insert into contacts (org_id, id, email, custom_data) values (${api.org.id}, uuidv7(), ${taken}, '{}')`.execute(
      trx,
    );
    const emails = [...freshOnes(3), taken, ...freshOnes(3)];
    expect(await statusesOf(emails)).toEqual(emails.map((email) => (email === taken ? 503 : 201)));
  });
});

it('a contact with an Idempotency-Key is saved once, beside others saved at once', async () => {
  const email = fresh('key');
  const once = () => api.org.post('/contacts', { contact: { email } }, { headers: { 'idempotency-key': email } });
  const [first] = await Promise.all([once(), ...freshOnes(10).map(save)]);
  expect(first?.status).toBe(201);
  expect((await once()).body).toEqual(first?.body);
});
