import { sql } from 'kysely';
import { blockedEmail } from '../../src/contacts/blocklist/service.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const isBlocked = async (org: TestOrg, email: string | null) => {
  const { rows } = await sql<{ blocked: boolean }>`
    select ${blockedEmail(org.id, 'given.address')} as blocked from (select ${email}::text as address) as given`.execute(
    api.db,
  );
  return rows[0]?.blocked;
};

it('a blocked e-mail is listed with its contact until it is unblocked', async () => {
  const contact = { email: 'ada@example.com', name: 'Ada', phone: '+442079460958' };
  const { body: saved } = await api.org.post('/contacts', { contact });
  for (const email of ['ADA@example.com', 'nobody@example.com']) {
    const { status, body } = await api.org.post('/blocklist/contacts', { email, reason: 'Spam' });
    expect([status, body]).toEqual([200, '']);
  }
  await api.org.post('/blocklist/contacts', { email: 'ada@example.com' });
  const { body } = await api.org.get('/blocklist/contacts');
  expect(body).toMatchObject({ total: 2, page: 1, total_pages: 1 });
  const [nobody, ada] = body.data;
  expect(ada).toEqual({
    id: expect.any(String),
    contact_id: saved.id,
    email: 'ada@example.com',
    name: 'Ada',
    phone_number: '+442079460958',
    reason: 'Spam',
    created_at: expect.any(String),
  });
  expect(nobody).toMatchObject({ contact_id: null, name: null, phone_number: null });
  expect([await isBlocked(api.org, 'Ada@Example.com'), await isBlocked(api.other, 'ada@example.com')]).toEqual([
    true,
    false,
  ]);

  const { body: found } = await api.org.get('/blocklist/contacts?email=Ada@example.com');
  expect(found).toMatchObject({ total: 1, data: [{ id: ada.id }] });
  expect((await api.org.get('/blocklist/contacts?email=ann@example.com')).body).toMatchObject({ total: 0, data: [] });
  expect((await api.org.get('/blocklist/contacts?email=ada')).status).toBe(400);

  expect((await api.other.delete(`/blocklist/contacts/${ada.id}`)).status).toBe(404);
  expect((await api.org.delete(`/blocklist/contacts/${ada.id}`)).status).toBe(200);
  expect((await api.org.delete(`/blocklist/contacts/${ada.id}`)).status).toBe(404);
  expect(await isBlocked(api.org, 'ada@example.com')).toBe(false);
});

it('domains are blocked in one canonical spelling with their subdomains, and those blocked before are skipped', async () => {
  const first = await api.org.post('/blocklist/domains', {
    domains: 'Spam.Example, bücher.example,, spam.example.',
    reason: 'r',
  });
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ skipped: [], summary: { total: 2, blocked: 2, skipped: 0 } });
  expect(first.body.blocked.map(({ domain }: { domain: string }) => domain).sort()).toEqual([
    'spam.example',
    'xn--bcher-kva.example',
  ]);
  const { body } = await api.org.post('/blocklist/domains', { domains: 'junk.example,spam.example' });
  expect(body).toMatchObject({ skipped: ['spam.example'], summary: { total: 2, blocked: 1, skipped: 1 } });
  expect(body.blocked).toEqual([
    { id: expect.any(String), domain: 'junk.example', reason: null, created_at: expect.any(String) },
  ]);
  expect((await api.org.get('/blocklist/domains?limit=2&page=2')).body).toMatchObject({
    total: 3,
    page: 2,
    total_pages: 2,
    data: [{}],
  });

  const blocking = async (email: string) => {
    const { total, data } = (await api.org.get(`/blocklist/domains?email=${email}`)).body;
    expect(total).toBe(data.length);
    return data.map(({ domain }: { domain: string }) => domain);
  };
  expect(await blocking('a@mail.SPAM.example')).toEqual(['spam.example']);
  expect(await blocking('a@notspam.example')).toEqual([]);

  for (const [email, blocked] of [
    ['a@spam.example', true],
    ['a@mail.SPAM.example', true],
    ['a@notspam.example', false],
    ['a@example', false],
    [null, false],
  ] as const) {
    expect([email, await isBlocked(api.org, email)]).toEqual([email, blocked]);
  }
  expect((await api.org.delete(`/blocklist/domains/${body.blocked[0].id}`)).status).toBe(200);
  expect(await isBlocked(api.org, 'a@junk.example')).toBe(false);
});

it('invalid domains are rejected by name, and nothing is blocked', async () => {
  const { status, body } = await api.org.post('/blocklist/domains', {
    domains: 'fine.example, a b, -x.example, http://y.example, 1.2.3.4',
  });
  expect(status).toBe(400);
  for (const wrong of ['a b', '-x.example', 'http://y.example', '1.2.3.4']) expect(body.message).toContain(wrong);
  expect(body.message).not.toContain('fine.example');
  expect(await isBlocked(api.org, 'a@fine.example')).toBe(false);
  expect((await api.org.post('/blocklist/domains', { domains: ' , ' })).status).toBe(400);
});
