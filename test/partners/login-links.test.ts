import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { deleteExpiredLogins } from '../../src/sign-in/links.service.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const createLink = (body: object, orgId = api.org.id) =>
  api.partner.post(`/partner/v1/orgs/${orgId}/login-links`, body);
const pathOf = ({ url }: { url: string }) => new URL(url).pathname + new URL(url).search;
const visit = (path: string) => api.client().get(path);
const meWith = (cookie: string) => api.client().get('/me', { headers: { cookie } });
const roles = async () => {
  const { body } = await api.org.get('/roles');
  return Object.fromEntries(body.items.map(({ id, name }: { id: string; name: string }) => [name, id]));
};
const memberNamed = async (email: string) =>
  (await api.org.get('/members')).body.find((member: { email: string }) => member.email === email);

describe('creating a login link', () => {
  it('returns a URL with 256 random bits that expires 15 minutes later', async () => {
    const before = Date.now();
    const { status, body } = await createLink({ email: 'shape@acme.example' });

    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(['expires_at', 'url']);
    expect(body.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/partner-login\?token=[A-Za-z0-9_-]{43}$/);
    expect(body.expires_at).toMatch(/Z$/);
    expect(Math.abs(Date.parse(body.expires_at) - before - 15 * 60_000)).toBeLessThan(5_000);
  });

  it('counts the link before it takes a connection for the transaction of an Idempotency-Key', async () => {
    const transactions: number[] = [];
    const { rateLimits } = api.deps;
    const consume: typeof rateLimits.consume = async (name, id) => {
      const { rows } = await sql<{ open: number }>`
        select count(*) as open from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
      `.execute(api.db);
      if (name === 'login-links') transactions.push(...rows.map(({ open }) => open));
      return rateLimits.consume(name, id);
    };
    const watched = await startApi({ databaseUrl: api.databaseUrl, deps: { rateLimits: { ...rateLimits, consume } } });
    const path = `/partner/v1/orgs/${api.org.id}/login-links`;
    const options = { headers: { 'idempotency-key': 'counted' } };
    const { status, headers } = await watched
      .client(api.partner.key)
      .post(path, { email: 'counted@acme.example' }, options);
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([201, `${rateLimits.limitOf('login-links')}`]);
    expect(transactions).toEqual([0]);
    await watched.close();
  });

  it('stores only the hash of the token', async () => {
    const { body } = await createLink({ email: 'hash@acme.example' });
    const token = new URL(body.url).searchParams.get('token') as string;
    const { rows } = await sql<{ row: string }>`select login_links::text as row from login_links`.execute(api.db);
    const stored = rows.map(({ row }) => row).join('\n');
    expect(stored).toContain(createHash('sha256').update(token).digest('hex'));
    expect(stored).not.toContain(token);
  });

  it('creates the account and the membership, as an agent named after the address', async () => {
    await createLink({ email: 'Ann.Lee@Acme.example' });
    expect(await memberNamed('ann.lee@acme.example')).toEqual({
      id: expect.any(Number),
      email: 'ann.lee@acme.example',
      name: 'ann.lee',
      role: 'agent',
      available: true,
      created_at: expect.any(String),
    });
  });

  it('gives a new member the requested name and roles, and does not change an existing one', async () => {
    const { admin, viewer } = await roles();
    await createLink({ email: 'boss@acme.example', name: 'Boss', role_ids: [admin, viewer, admin] });
    expect(await memberNamed('boss@acme.example')).toMatchObject({ name: 'Boss', role: 'admin' });

    const again = await createLink({
      email: 'boss@acme.example',
      name: 'Else',
      role_ids: [viewer, '01900000-0000-7000-8000-000000000000'],
    });
    expect(again.status).toBe(201);
    expect(await memberNamed('boss@acme.example')).toMatchObject({ name: 'Boss', role: 'admin' });
  });

  it('refuses a role of another org, and adds no member', async () => {
    const { body: foreign } = await api.other.get('/roles');
    const { status, body } = await createLink({ email: 'norole@acme.example', role_ids: [foreign.items[0].id] });
    expect(status).toBe(400);
    expect(body.message).toContain(foreign.items[0].id);
    expect(await memberNamed('norole@acme.example')).toBeUndefined();
  });

  it('adds one member for twenty simultaneous requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => createLink({ email: 'crowd@acme.example' })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const { body } = await api.org.get('/members');
    expect(body.filter(({ email }: { email: string }) => email === 'crowd@acme.example')).toHaveLength(1);
  });

  it.each([
    {},
    { email: 'nobody' },
    { email: 5 },
    { email: `${'x'.repeat(300)}@a.example` },
    { email: 'a@b.example', role_ids: ['x'] },
  ])('refuses the invalid body %j', async (body) => {
    expect((await createLink(body)).status).toBe(400);
  });
});

describe('visiting a login link', () => {
  it('signs in exactly one of 100 simultaneous visits', async () => {
    const { body } = await createLink({ email: 'race@acme.example' });
    const answers = await Promise.all(Array.from({ length: 100 }, () => visit(pathOf(body))));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 302)).toHaveLength(1);
    expect(statuses.filter((status) => status === 410)).toHaveLength(99);
    expect(answers.filter(({ headers }) => headers.has('set-cookie'))).toHaveLength(1);
  });

  it('signs in with a cookie protected from scripts and other sites, and leads to the console', async () => {
    const { body } = await createLink({ email: 'page@acme.example' });
    const login = await visit(pathOf(body));

    expect(login.status).toBe(302);
    expect(login.headers.get('location')).toBe('/console');
    expect(login.headers.get('cache-control')).toBe('no-store');
    expect(login.headers.get('referrer-policy')).toBe('no-referrer');
    const setCookie = login.headers.get('set-cookie') as string;
    expect(setCookie).toMatch(/^switchboard_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);

    const cookie = setCookie.split(';')[0] as string;
    const { body: me } = await meWith(cookie);
    expect([me.member.email, me.org.name]).toEqual(['page@acme.example', api.org.name]);

    const { rows } = await sql<{ row: string }>`select dashboard_sessions::text as row from dashboard_sessions`.execute(
      api.db,
    );
    expect(JSON.stringify(rows)).not.toContain(cookie.split('=')[1]);
  });

  it('sets the Secure flag of the cookie unless PUBLIC_URL is http on loopback', async () => {
    const outside = await startApi({
      databaseUrl: api.databaseUrl,
      env: { PUBLIC_URL: 'https://api.example.com', DASHBOARD_URL: 'https://app.example.com/desk/' },
    });
    const { body } = await outside.partner.post(`/partner/v1/orgs/${outside.org.id}/login-links`, {
      email: 'out@acme.example',
    });
    expect(body.url).toMatch(/^https:\/\/app\.example\.com\/desk\/partner-login\?token=/);
    const { headers } = await outside.client().get(`/partner-login${new URL(body.url).search}`);
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-switchboard_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(headers.get('location')).toBe('/desk/console');
    await outside.close();
  });

  it('does not consume the link on a HEAD request', async () => {
    const { body } = await createLink({ email: 'head@acme.example' });
    const head = await fetch(api.url + pathOf(body), { method: 'HEAD', redirect: 'manual' });
    expect(head.headers.has('set-cookie')).toBe(false);
    expect((await visit(pathOf(body))).status).toBe(302);
  });

  it.each(['/partner-login', '/partner-login?token=', '/partner-login?token=x', '/partner-login?token=a&token=b'])(
    'answers %s with 410 and a page',
    async (path) => {
      const { status, headers, body } = await visit(path);
      expect({ status, type: headers.get('content-type') }).toEqual({ status: 410, type: 'text/html; charset=utf-8' });
      expect(body).toContain('no longer valid');
      expect(headers.has('set-cookie')).toBe(false);
    },
  );

  it('is refused after the link has expired, and expired links are deleted', async () => {
    const { body } = await createLink({ email: 'late@acme.example' });
    await api.db.updateTable('login_links').set({ expires_at: sql<Date>`now() - interval '1 second'` }).execute();
    const { body: fresh } = await createLink({ email: 'late@acme.example' });

    expect((await visit(pathOf(body))).status).toBe(410);
    expect(await deleteExpiredLogins(api.db)).toBeGreaterThan(0);
    expect(await deleteExpiredLogins(api.db)).toBe(0);
    expect((await visit(pathOf(fresh))).status).toBe(302);
  });

  it('gives a removed member no access: neither their session nor their link works', async () => {
    const { body } = await createLink({ email: 'gone@acme.example' });
    const { body: second } = await createLink({ email: 'gone@acme.example' });
    const cookie = (await visit(pathOf(body))).headers.get('set-cookie')?.split(';')[0] as string;
    const { id } = await memberNamed('gone@acme.example');
    expect((await api.org.delete(`/members/${id}`)).status).toBe(200);

    expect((await meWith(cookie)).status).toBe(401);
    expect((await visit(pathOf(second))).status).toBe(410);
  });

  it('is no sign-in for an unknown or expired session', async () => {
    expect((await meWith('switchboard_session=x')).status).toBe(401);
    const { body } = await createLink({ email: 'ended@acme.example' });
    const cookie = (await visit(pathOf(body))).headers.get('set-cookie')?.split(';')[0] as string;
    await sql`update dashboard_sessions set expires_at = now()`.execute(api.db);
    expect((await meWith(cookie)).status).toBe(401);
  });

  it.each(['text/html', 'application/json', '*/*'])(
    'led to /dashboard once, which leads %s to the console',
    async (accept) => {
      const answer = await fetch(`${api.url}/dashboard`, { headers: { accept }, redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console']);
    },
  );
});
