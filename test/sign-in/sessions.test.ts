import { sql } from 'kysely';
import { KeyScope } from '../../src/schemas/scopes.ts';
import { pathTo, readDocument } from '../security/document.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { OWN_PAGE, signIn, withCookie } from './signing-in.ts';

const HOUR_MS = 3_600_000;
const MISSING = 'Missing required scope';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ env: { TEMPORAL_UI_URL: 'https://temporal.example' } });
});
afterAll(() => api.close());

const raw = (path: string, init: RequestInit) => fetch(api.url + path, { redirect: 'manual', ...init });
const newSession = async () => (await api.org.post('/chat/sessions', { channel: { type: 'web' } })).body.id as string;

describe('a member who is signed in', () => {
  it('uses the API with the cookie, and learns by GET /me what it is and may do', async () => {
    const agent = await signIn(api, 'agent');
    const { body: team } = await api.org.post('/teams', { name: 'Support' });
    await api.org.post(`/teams/${team.id}/users`, { userId: agent.id });
    expect((await agent.get('/contacts')).status).toBe(200);
    const { status, body, headers } = await agent.get('/me');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      member: { id: agent.id, email: agent.email, name: 'The agent', role: 'agent', available: true, language: null },
      org: { id: api.org.id, name: api.org.name, language: 'en', timezone: null },
      orgs: 1,
    });
    expect(body.links).toEqual({ help_center: `${api.url}/help/${api.org.id}` });
    const admin = await signIn(api, 'admin');
    expect((await admin.get('/me')).body.links.temporal_ui).toBe('https://temporal.example');
    expect(body.member.teams).toEqual([{ id: team.id, name: 'Support' }]);
    expect(body.member.settings).toMatchObject({ theme: 'system', read_on: 'open', signature: null });
    expect(body.scopes).toEqual(expect.arrayContaining(['chat-sessions:write', 'confirmations:write']));
    for (const scope of ['org:read', 'org:write', 'teams:write', 'redaction:write', 'autopilot:write'])
      expect(body.scopes).not.toContain(scope);
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 12 * HOUR_MS)).toBeLessThan(60_000);
    expect(headers.get('x-ratelimit-limit')).toBe(`${api.config.RATE_LIMIT_MEMBER}`);
  });

  it('changes its own profile and nothing else of it', async () => {
    const viewer = await signIn(api, 'viewer');
    const changed = await viewer.patch('/me', { name: 'Vi', language: 'de', settings: { theme: 'dark' } });
    expect(changed.body.member).toMatchObject({ name: 'Vi', language: 'de', role: 'viewer', available: true });
    const again = await viewer.patch('/me', {
      available: false,
      settings: { signature: 'Vi', notify: { mention: false } },
    });
    expect(again.body.member).toMatchObject({
      name: 'Vi',
      available: false,
      settings: { theme: 'dark', signature: 'Vi', notify: { mention: false } },
    });
    for (const body of [{ role: 'admin' }, { settings: { theme: 'pink' } }, { settings: { unknown: 1 } }, { name: '' }])
      expect([body, (await viewer.patch('/me', body)).status]).toEqual([body, 400]);
  });

  it('is not an API key, which has no profile and no session', async () => {
    const { body } = await api.org.get('/me');
    expect([body.member, body.expires_at, body.org.id]).toEqual([null, null, api.org.id]);
    const limited = await api.org.withScopes('contacts:read');
    expect((await limited.get('/me')).body.scopes).toEqual(['contacts:read']);
    for (const call of [api.org.patch('/me', {}), api.org.post('/logout'), api.org.get('/me/sessions')])
      expect((await call).status).toBe(403);
  });

  it('speaks as itself, whatever the body says, and never as the contact', async () => {
    const agent = await signIn(api, 'agent');
    const id = await newSession();
    const message = { type: 'text', text: 'Hello' };
    const path = `/chat/sessions/${id}`;
    expect((await agent.post(`${path}/send`, { sender: 'contact', message })).status).toBe(403);
    const said = { sender: 'agent', agent: { id: 999, name: 'Boss', avatar_url: 'https://x.example/a.png' }, message };
    expect((await agent.post(`${path}/send`, said)).status).toBe(201);
    expect((await agent.post(`${path}/notes`, { text: 'A note' })).status).toBe(201);
    const { body } = await agent.get(`${path}/history`);
    const events = body.items.map(({ event }: { event: object }) => event);
    expect(events).toMatchObject(
      [
        { type: 'session_created' },
        { type: 'message', sender_id: agent.id, sender_name: 'The agent', sender_avatar_url: null },
        { type: 'human_agent_comment', human_agent_id: agent.id },
      ].slice(-events.length),
    );
  });

  it('reaches only the own org', async () => {
    const { body: foreign } = await api.other.post('/chat/sessions', { channel: { type: 'web' } });
    const admin = await signIn(api, 'admin');
    expect((await admin.get(`/chat/sessions/${foreign.id}`)).status).toBe(404);
  });
});

describe('a request with the cookie', () => {
  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, 201, 200],
    [{ 'sec-fetch-site': 'none' }, 403, 200],
    [{ 'sec-fetch-site': 'same-site' }, 403, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403, 403],
    [{ 'sec-fetch-site': 'cross-site', origin: 'own' }, 403, 403],
    [{}, 403, 200],
    [{ origin: 'own' }, 201, 200],
    [{ origin: 'https://evil.example' }, 403, 403],
    [{ origin: 'null' }, 403, 403],
  ])('from a page with %j is answered by %d, and one that only reads by %d', async (given, writing, reading) => {
    const agent = await signIn(api, 'agent');
    const { origin, ...site } = given as Record<string, string>;
    const headers = {
      cookie: agent.cookie,
      'content-type': 'application/json',
      ...site,
      ...(origin !== undefined && { origin: origin === 'own' ? api.url : origin }),
    };
    const body = JSON.stringify({ contact: { email: `${crypto.randomUUID()}@example.com` } });
    expect((await raw('/contacts', { method: 'POST', headers, body })).status).toBe(writing);
    const { status, headers: answered } = await raw('/contacts', { headers });
    expect([status, answered.get('access-control-allow-origin')]).toEqual([reading, null]);
  });

  it('and a key is one of the key, and a wrong cookie is none', async () => {
    const viewer = await signIn(api, 'viewer');
    const headers = { cookie: viewer.cookie, authorization: `Bearer ${api.other.key}` };
    expect(await (await raw('/me', { headers })).json()).toMatchObject({ org: { id: api.other.id } });
    for (const cookie of ['switchboard_session=', 'switchboard_session=x', `switchboard_session=${'x'.repeat(5_000)}`])
      expect((await raw('/me', { headers: { cookie, ...OWN_PAGE } })).status).toBe(401);
  });
});

describe('a session', () => {
  const sessionOf = async (userId: number) =>
    await api.db.selectFrom('dashboard_sessions').selectAll().where('user_id', '=', userId).executeTakeFirstOrThrow();
  const change = (userId: number, set: { expires_at?: Date; created_at?: Date }) =>
    api.db.updateTable('dashboard_sessions').set(set).where('user_id', '=', userId).execute();

  it('ends twelve hours after its last use, at most 30 days after the sign-in', async () => {
    const [used, fresh, old, idle] = await Promise.all([1, 2, 3, 4].map(() => signIn(api, 'viewer')));
    if (!used || !fresh || !old || !idle) throw new Error('four members');
    await change(used.id, { expires_at: new Date(Date.now() + HOUR_MS) });
    await change(old.id, {
      created_at: new Date(Date.now() - 30 * 24 * HOUR_MS + 2 * HOUR_MS),
      expires_at: new Date(Date.now() + HOUR_MS),
    });
    await change(idle.id, { expires_at: new Date() });
    const before = await sessionOf(fresh.id);
    const statuses = await Promise.all([used, fresh, old, idle].map(async (one) => (await one.get('/me')).status));
    expect(statuses).toEqual([200, 200, 200, 401]);
    const hoursLeft = async (id: number) => ((await sessionOf(id)).expires_at.getTime() - Date.now()) / HOUR_MS;
    expect(Math.round(await hoursLeft(used.id))).toBe(12);
    expect(Math.round(await hoursLeft(old.id))).toBe(2);
    expect((await sessionOf(fresh.id)).expires_at).toEqual(before.expires_at);
  });

  it('ends with POST /logout, and only that one, also where the cookie was copied', async () => {
    const email = 'twice@acme.example';
    const first = await signIn(api, 'agent', { email });
    const second = await signIn(api, 'agent', { email });
    const { body } = await first.get('/me/sessions');
    expect(body.items.map(({ is_current }: { is_current: boolean }) => is_current).sort()).toEqual([false, true]);
    const out = await first.post('/logout');
    expect(out.status).toBe(204);
    expect(out.headers.get('set-cookie')).toMatch(
      /^switchboard_session=; Max-Age=0; Path=\/; (?:Expires=[^;]+; )?HttpOnly/,
    );
    await eventually(async () => (await withCookie(api, first.cookie).get('/me')).status === 401);
    expect((await second.get('/me')).status).toBe(200);
    const third = await signIn(api, 'agent', { email });
    const { body: left } = await second.get('/me/sessions');
    const { id } = left.items.find(({ is_current }: { is_current: boolean }) => !is_current);
    const stranger = await signIn(api, 'agent');
    expect((await stranger.delete(`/me/sessions/${id}`)).status).toBe(404);
    expect((await second.delete(`/me/sessions/${id}`)).status).toBe(200);
    await eventually(async () => (await third.get('/me')).status === 401);
    expect((await second.get('/me')).status).toBe(200);
  });

  it('takes the place of the one that the browser had, under a token that nobody chose', async () => {
    const former = await signIn(api, 'viewer');
    const path = `/partner/v1/orgs/${api.org.id}/login-links`;
    const { body } = await api.partner.post(path, { email: 'next@acme.example' });
    const target = `/partner-login${new URL(body.url).search}`;
    const signedIn = await raw(target, { headers: { cookie: former.cookie } });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] as string;
    expect(cookie).not.toBe(former.cookie);
    expect((await withCookie(api, cookie).get('/me')).body.member.email).toBe('next@acme.example');
    expect(
      await api.db.selectFrom('dashboard_sessions').select('id').where('user_id', '=', former.id).execute(),
    ).toEqual([]);
  });

  it('is never one whose token somebody set in the browser before the sign-in', async () => {
    const chosen = `switchboard_session=${'A'.repeat(43)}`;
    const path = `/partner/v1/orgs/${api.org.id}/login-links`;
    const { body } = await api.partner.post(path, { email: 'fixed@acme.example' });
    const signedIn = await raw(`/partner-login${new URL(body.url).search}`, { headers: { cookie: chosen } });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] as string;
    expect(cookie).not.toBe(chosen);
    expect((await withCookie(api, chosen).get('/me')).status).toBe(401);
    expect((await withCookie(api, cookie).get('/me')).body.member.email).toBe('fixed@acme.example');
  });

  it('has the rights of the member’s role from the next request on', async () => {
    const member = await signIn(api, 'viewer');
    const tag = () => member.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com` } });
    expect((await tag()).status).toBe(403);
    expect((await api.org.patch(`/members/${member.id}`, { role: 'agent' })).status).toBe(200);
    await eventually(async () => (await tag()).status === 201);
    await api.org.patch(`/members/${member.id}`, { role: 'viewer' });
    await eventually(async () => (await tag()).status === 403);
  });

  it('and its streams end within a second of the member’s removal', async () => {
    const member = await signIn(api, 'viewer');
    const stream = await raw('/events', { headers: { cookie: member.cookie, ...OWN_PAGE } });
    const ended = stream.text();
    await api.org.delete(`/members/${member.id}`);
    const removedAt = Date.now();
    await ended;
    expect(Date.now() - removedAt).toBeLessThan(1_000);
    expect((await member.get('/me')).status).toBe(401);
  });

  it('allows ten streams of a member', async () => {
    const member = await signIn(api, 'viewer');
    const open = () => raw('/events', { headers: { cookie: member.cookie, ...OWN_PAGE } });
    const streams = await Promise.all(Array.from({ length: 11 }, open));
    expect(streams.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    await Promise.all(streams.map(({ body }) => body?.cancel()));
  });
});

/** Waits for up to a second: the state of a session may be that old. */
async function eventually(check: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 1_000;
  while (!(await check())) if (Date.now() > end) throw new Error('nothing changed within a second');
}

/** What agents may do besides reading. Everything else that changes something is for admins. */
const OF_AGENTS = `POST /contacts
PATCH /contacts/{id}
POST /contacts/batch
POST /blocklist/contacts
DELETE /blocklist/contacts/{id}
POST /blocklist/domains
DELETE /blocklist/domains/{id}
POST /chat/sessions
PATCH /chat/sessions/{id}
POST /chat/sessions/{id}/send
POST /chat/sessions/{id}/handoff
POST /chat/sessions/{id}/drafts/{draftId}/send
POST /contacts/import
POST /mcp/confirmations/{id}/confirm
POST /mcp/confirmations/{id}/reject
POST /chat/sessions/{id}/assign
POST /chat/sessions/{id}/notes
POST /chat/sessions/{id}/tags
DELETE /chat/sessions/{id}/tags
POST /chat/sessions/{id}/handoff/retry
POST /chat/sessions/{id}/handoff/settle
POST /chat/sessions/{id}/return-to-ai
POST /chat/sessions/{id}/snooze
POST /views
PATCH /views/{id}
DELETE /views/{id}
POST /chat/sessions/bulk
PUT /chat/sessions/{id}/draft
DELETE /chat/sessions/{id}/draft
PUT /chat/sessions/{id}/presence
DELETE /chat/sessions/{id}/presence
POST /saved-replies
PATCH /saved-replies/{id}
DELETE /saved-replies/{id}
POST /saved-replies/{id}/render
POST /suppressions
DELETE /suppressions/{id}
POST /autopilot/confirmations/{id}/confirm
POST /autopilot/confirmations/{id}/reject
POST /media`.split('\n');
/** What every member may do by another method than GET: the own profile and marks, searches and previews. */
const OF_ALL = `PATCH /me
POST /chat/sessions/{id}/read
POST /chat/sessions/{id}/unread
POST /me/notifications/read
POST /me/switch
DELETE /me/sessions/{id}
POST /contacts/search
POST /exports
POST /exports/{id}/cancel
POST /imports
POST /imports/{id}/cancel
POST /sequences/{id}/forecast
POST /chat/sessions/filter
POST /workflows/simulate
POST /workflows/validate
POST /training/search
POST /insights`.split('\n');
/** What only admins read: settings, keys and connections. */
const READ_BY_ADMINS = /^GET \/(?:audit|org(?!\/attention)|integrations|webhooks|crm\/inbound)(?:\/|$)/;
/** These would end the test's own session, or not end by themselves. */
const UNTRIED = ['POST /logout', 'GET /events'];

describe('a role', () => {
  it('allows just its operations, of all in the document', async () => {
    const document = readDocument((await api.client().get('/openapi.json')).body);
    const [agent, viewer] = [await signIn(api, 'agent'), await signIn(api, 'viewer')];
    const operations = document.operations.filter(({ key, name }) => key === 'org' && !UNTRIED.includes(name));
    const allowedFor = async (cookie: string) => {
      const allowed: string[] = [];
      for (const operation of operations) {
        const init = { method: operation.method, headers: { cookie, ...OWN_PAGE } };
        const answer = await raw(pathTo(operation, {}), init);
        const isRefused = answer.status === 403 && (await answer.text()).includes(MISSING);
        expect([operation.name, answer.status]).not.toEqual([operation.name, 401]);
        if (!isRefused) allowed.push(operation.name);
      }
      return allowed.sort();
    };
    const names = operations.map(({ name }) => name);
    const reading = names.filter((name) => name.startsWith('GET ') && !READ_BY_ADMINS.test(name));
    const [ofAgent, ofViewer] = await Promise.all([allowedFor(agent.cookie), allowedFor(viewer.cookie)]);
    expect(ofViewer).toEqual([...reading, ...OF_ALL].sort());
    expect(ofAgent).toEqual([...reading, ...OF_ALL, ...OF_AGENTS].sort());
  });

  it('lets admins use every operation', async () => {
    const admin = await signIn(api, 'admin');
    expect((await admin.get('/me')).body.scopes).toEqual(KeyScope.options);
    for (const path of ['/org', '/webhooks', '/integrations']) expect((await admin.get(path)).status).toBe(200);
    expect((await admin.post('/org/api-keys', { name: 'Made by a member' })).status).toBe(201);
  });
});

describe('a link that shows a page', () => {
  const newLink = async (email: string) => {
    const path = `/partner/v1/orgs/${api.org.id}/login-links`;
    const { body } = await api.partner.post(path, { email, name: 'Page', opens: 'page' });
    return {
      path: new URL(body.url).pathname + new URL(body.url).search,
      token: new URL(body.url).searchParams.get('token') ?? '',
    };
  };
  const press = (token: string, headers: Record<string, string> = OWN_PAGE) =>
    raw('/sign-in', { method: 'POST', body: new URLSearchParams({ token }), headers });

  it('survives visits of scanners, and signs in once by its button', async () => {
    const { path, token } = await newLink('scanned@acme.example');
    expect(path).toMatch(/^\/sign-in\?token=[\w-]{43}$/);
    for (const method of ['GET', 'HEAD', 'GET']) {
      const page = await raw(path, { method });
      expect([method, page.headers.get('set-cookie')]).toEqual([method, null]);
      if (method === 'GET') expect(await page.text()).toContain(`Sign in to ${api.org.name}`);
    }
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, {}] as Record<
      string,
      string
    >[])
      expect((await press(token, headers)).status).toBe(403);
    const signedIn = await press(token);
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/console']);
    expect([(await press(token)).status, (await raw(path, {})).status]).toEqual([410, 410]);
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] as string;
    expect((await press(token, { ...OWN_PAGE, cookie })).status).toBe(303);
    expect((await withCookie(api, cookie).get('/me')).body.member.email).toBe('scanned@acme.example');
  });

  it('that signs in by its first visit sends the browser that it signed in on, and nobody else', async () => {
    const path = `/partner/v1/orgs/${api.org.id}/login-links`;
    const { body } = await api.partner.post(path, { email: 'again@acme.example' });
    const target = `/partner-login${new URL(body.url).search}`;
    const cookie = (await raw(target, {})).headers.get('set-cookie')?.split(';')[0] as string;
    expect((await raw(target, { headers: { cookie } })).status).toBe(302);
    expect((await raw(target, {})).status).toBe(410);
    const other = await signIn(api, 'viewer');
    expect((await raw(target, { headers: { cookie: other.cookie } })).status).toBe(410);
    await sql`update dashboard_sessions set expires_at = now() where user_id = (select id from users where email = 'again@acme.example')`.execute(
      api.db,
    );
    expect((await raw(target, { headers: { cookie } })).status).toBe(410);
  });
});
