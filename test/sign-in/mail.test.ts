import { runCommand } from '../../src/cli/commands.ts';
import { startApi } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { OWN_PAGE, signIn, withCookie } from './signing-in.ts';

const LIMIT = 4;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ env: { RATE_LIMIT_SIGN_IN: '1000', SIGN_IN_FROM: 'door@acme.example' } });
});
afterAll(() => stack.close());

const raw = (path: string, init: RequestInit = {}) => fetch(stack.url + path, { redirect: 'manual', ...init });
const newEmail = () => `${crypto.randomUUID()}@acme.example`;
const login = (email: string, more: object = {}) => stack.client().post('/login', { email, ...more });
const form = (path: string, fields: Record<string, string>) =>
  raw(path, { method: 'POST', body: new URLSearchParams(fields), headers: OWN_PAGE });
const addMember = async (org: typeof stack.org, email: string, name: string) => {
  await org.partner.post(`/partner/v1/orgs/${org.id}/login-links`, { email, name });
};

/** Returns the link of the next mail to an address. */
async function mailedLink(email: string, nth = 1): Promise<URL> {
  const mail = await eventually('a mail', () => stack.sink.to(email)[nth - 1]);
  expect(mail.from?.value[0]?.address).toBe('door@acme.example');
  return new URL(/http\S+/.exec(mail.text ?? '')?.[0] ?? '');
}

describe('sign-in by mail', () => {
  it('sends a member a link whose page says where and who, and whose button signs in, once', async () => {
    const email = newEmail();
    await addMember(stack.org, email, 'Ann');
    expect(await login(email.toUpperCase(), { next: '/console/s/1?a=b' })).toMatchObject({
      status: 202,
      body: { sent: true },
    });
    const link = await mailedLink(email);
    const page = await raw(link.pathname + link.search);
    const text = await page.text();
    expect([page.status, text.includes('Sign in to Org'), text.includes('<strong>Ann</strong>')]).toEqual([
      200,
      true,
      true,
    ]);
    const fields = { token: link.searchParams.get('token') ?? '', next: link.searchParams.get('next') ?? '' };
    const signedIn = await form('/sign-in', fields);
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/console/s/1?a=b']);
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await withCookie(stack, cookie).get('/me')).body.member.email).toBe(email);
    expect((await form('/sign-in', fields)).status).toBe(410);
  });

  it('invites a member by a mail whose link signs in, and an invited one again without changing the role', async () => {
    const email = newEmail();
    const invited = await stack.org.post('/members', { email: email.toUpperCase(), name: 'Nina', role: 'viewer' });
    expect(invited).toMatchObject({ status: 201, body: { email, name: 'Nina', role: 'viewer' } });
    const link = await mailedLink(email);
    expect(stack.sink.to(email)[0]?.subject).toBe('You were invited to Org');
    const { headers } = await form('/sign-in', { token: link.searchParams.get('token') ?? '' });
    const nina = withCookie(stack, headers.get('set-cookie')?.split(';')[0] ?? '');
    expect((await nina.get('/me')).body.member).toMatchObject({ email, role: 'viewer' });
    expect((await nina.post('/members', { email: newEmail() })).status).toBe(403);

    const again = await stack.org.post('/members', { email, name: 'Other', role: 'admin' });
    expect(again.body).toEqual(invited.body);
    await mailedLink(email, 2);
    expect((await stack.other.get('/members')).body).not.toContainEqual(expect.objectContaining({ email }));
    expect((await stack.org.post('/members', { email: newEmail(), role: 'owner' })).status).toBe(400);
  });

  it('answers the same for whoever is no member, or no longer one, and mails only members', async () => {
    const [stranger, leaver, member] = [newEmail(), newEmail(), newEmail()];
    const { id } = await signIn(stack, 'agent', { email: leaver });
    await stack.org.delete(`/members/${id}`);
    await addMember(stack.org, member, 'Ben');
    const answers = await Promise.all([stranger, leaver, member].map((email) => login(email)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([202, { sent: true }]));
    await mailedLink(member);
    expect([stack.sink.to(stranger), stack.sink.to(leaver)]).toEqual([[], []]);
    expect((await login('no address')).status).toBe(400);
  });

  it('leads nowhere but into the console', async () => {
    const email = newEmail();
    await addMember(stack.org, email, 'Cho');
    for (const [nth, next] of [
      'https://evil.example',
      '//evil.example',
      '/consoles',
      '/console\\@x',
      '/docs',
    ].entries()) {
      await login(email, { next });
      expect((await mailedLink(email, nth + 1)).searchParams.get('next')).toBeNull();
    }
    const token = (await mailedLink(email, 5)).searchParams.get('token') ?? '';
    const signedIn = await form('/sign-in', { token, next: '//evil.example' });
    expect(signedIn.headers.get('location')).toBe('/console');
  });

  it('is offered by the pages for whoever is signed out, and by a form that only our page can send', async () => {
    const email = newEmail();
    await addMember(stack.org, email, 'Dee');
    for (const path of ['/sign-in', '/sign-in?token=x'])
      expect(await (await raw(path)).text()).toContain('action="login-mail"');
    const sent = await form('/login-mail', { email });
    expect([sent.status, (await sent.text()).includes('Look into your mail')]).toEqual([202, true]);
    await mailedLink(email);
    expect((await form('/login-mail', { email: 'nonsense' })).status).toBe(400);
    const body = new URLSearchParams({ email });
    const foreign = await raw('/login-mail', { method: 'POST', body, headers: { 'sec-fetch-site': 'cross-site' } });
    expect(foreign.status).toBe(403);
  });

  it('is limited by e-mail address and by network address, and refused without a mail server', async () => {
    const env = { RATE_LIMIT_SIGN_IN: String(LIMIT), SMTP_URL: 'smtp://127.0.0.1:1', TRUSTED_PROXIES: '127.0.0.1/32' };
    const api = await startApi({ env });
    const ask = (email: string, ip: string) =>
      api.client().post('/login', { email }, { headers: { 'x-forwarded-for': ip } });
    const email = newEmail();
    const statuses: number[] = [];
    for (let nth = 0; nth <= LIMIT; nth++) statuses.push((await ask(email, `203.0.113.${nth}`)).status);
    expect(statuses).toEqual([...Array(LIMIT).fill(202), 429]);
    const ofNetwork: number[] = [];
    for (let nth = 0; nth <= LIMIT; nth++) ofNetwork.push((await ask(newEmail(), '198.51.100.1')).status);
    expect(ofNetwork).toEqual([...Array(LIMIT).fill(202), 429]);
    const { headers } = await ask(newEmail(), '198.51.100.1');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000);
    await api.close();

    const silent = await startApi();
    expect((await silent.client().post('/login', { email })).status).toBe(409);
    expect(await (await fetch(`${silent.url}/sign-in`)).text()).not.toContain('login-mail');
    await silent.close();
  });
});

describe('a member of several orgs', () => {
  it('sees them, and changes to another one in place of the present one', async () => {
    const member = await signIn(stack, 'agent');
    await signIn(stack, 'viewer', { org: stack.other, email: member.email });
    const { body } = await member.get('/me/orgs');
    expect(body.items).toEqual([
      { id: stack.org.id, name: 'Org', role: 'agent', is_current: true },
      { id: stack.other.id, name: 'Other org', role: 'viewer', is_current: false },
    ]);
    const switched = await member.post('/me/switch', { org_id: stack.other.id });
    expect(switched.status).toBe(200);
    const cookie = switched.headers.get('set-cookie')?.split(';')[0] ?? '';
    const me = (await withCookie(stack, cookie).get('/me')).body;
    expect([me.org.id, me.member.role]).toEqual([stack.other.id, 'viewer']);
    await eventually('the end of the former session', async () => (await member.get('/me')).status === 401);
  });

  it('changes to no org of others, and a key to none', async () => {
    const member = await signIn(stack, 'agent');
    expect((await member.post('/me/switch', { org_id: stack.other.id })).status).toBe(404);
    expect((await member.get('/me')).status).toBe(200);
    for (const call of [stack.org.get('/me/orgs'), stack.org.post('/me/switch', { org_id: stack.org.id })])
      expect((await call).status).toBe(403);
  });

  it('is signed in as long as it would have been', async () => {
    const member = await signIn(stack, 'agent');
    await signIn(stack, 'agent', { org: stack.other, email: member.email });
    const signedInAt = new Date(Date.now() - 30 * 86_400_000 + 60_000);
    await stack.db
      .updateTable('dashboard_sessions')
      .set({ created_at: signedInAt })
      .where('user_id', '=', member.id)
      .where('org_id', '=', stack.org.id)
      .execute();
    const { headers } = await member.post('/me/switch', { org_id: stack.other.id });
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    const { expires_at } = (await withCookie(stack, cookie).get('/me')).body;
    expect(Date.parse(expires_at) - Date.now()).toBeLessThan(61_000);
  });
});

it('has the operator print a link for a member', async () => {
  const email = newEmail();
  await addMember(stack.org, email, 'Eve');
  const { DATABASE_URL, JWT_SECRET, PUBLIC_URL } = stack.config;
  const env = { DATABASE_URL, JWT_SECRET, PUBLIC_URL, SECRET_KEYS: `k:${Buffer.alloc(32).toString('base64')}` };
  const run = async (...args: string[]) => {
    let printed = '';
    const print = (text: string) => {
      printed += text;
    };
    return { code: await runCommand(['login', ...args], { env, print, printError: print }), printed: () => printed };
  };
  const { code, printed } = await run('--org', stack.org.id, '--email', email.toUpperCase(), '--json');
  expect(code).toBe(0);
  const token = new URL(JSON.parse(printed()).url).searchParams.get('token') ?? '';
  expect((await form('/sign-in', { token })).status).toBe(303);
  expect((await run('--org', stack.other.id, '--email', email)).code).toBe(1);
  expect((await run('--org', 'x', '--email', email)).code).toBe(1);
  expect((await run('--org', stack.org.id)).code).toBe(2);
});
