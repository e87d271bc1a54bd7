import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { OWN_PAGE } from './signing-in.ts';

/** What a foreign page tries with the cookie of its visitor. Each resolves to what the page learns. */
const ATTACKS = `
  const api = new URLSearchParams(location.search).get('api');
  const stream = () => new Promise((resolve) => {
    const source = new EventSource(api + '/events', { withCredentials: true });
    source.onopen = () => resolve('open');
    source.onerror = () => { source.close(); resolve('refused'); };
  });
  const read = () => fetch(api + '/contacts', { credentials: 'include' }).then(() => 'read', () => 'refused');
  const blind = () => fetch(api + '/contacts', {
    method: 'POST', mode: 'no-cors', credentials: 'include', body: JSON.stringify({ contact: { email: 'blind@example.com' } }),
  }).then(() => 'sent', () => 'refused');
  window.attacks = { stream, read, blind };
`;
const FORM = (action: string, field: string) =>
  `<form method="post" enctype="text/plain" action="${action}"><input name='${field}'><button>Win</button></form>`;

(CHROMIUM ? describe : describe.skip)('a foreign page', () => {
  let api: TestApi;
  let foreign: Server;
  let port: number;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    api = await startApi();
    browser = await startBrowser();
    const contact = `{"contact":{"email":"form@example.com"},"ignored":"`;
    foreign = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`${FORM(`${api.url}/contacts`, contact)}<script>${ATTACKS}</script>`);
    });
    await new Promise<void>((resolve) => foreign.listen(0, () => resolve()));
    port = (foreign.address() as AddressInfo).port;
  });
  afterAll(async () => {
    foreign.close();
    await browser.close();
    await api.close();
  });

  const signedIn = async (email: string) => {
    const path = `/partner/v1/orgs/${api.org.id}/login-links`;
    const { body } = await api.partner.post(path, { email, opens: 'page' });
    const { page } = await browser.open(body.url, { width: 380 });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/console/);
    return page;
  };
  /** With the cookies of the browser, as a page of ours asks. */
  const statusOfMe = async (page: Page) =>
    (await page.context().request.get(`${api.url}/me`, { headers: OWN_PAGE })).status();
  const contacts = async () => (await api.org.get('/contacts')).body.items as unknown[];

  // Another port of the same host is the same site: the browser sends the cookie along.
  it.each(['localhost', '127.0.0.1'])('on %s can do nothing with the cookie of its visitor', async (host) => {
    const page = await signedIn(`${host}@acme.example`);
    expect(await statusOfMe(page)).toBe(200);
    await page.goto(`http://${host}:${port}/?api=${encodeURIComponent(api.url)}`);
    expect(await page.evaluate('attacks.stream()')).toBe('refused');
    expect(await page.evaluate('attacks.read()')).toBe('refused');
    await page.evaluate('attacks.blind()');
    await page.getByRole('button', { name: 'Win' }).click();
    await page.waitForURL(`${api.url}/contacts`);
    expect(await page.getByRole('heading').textContent()).toMatch(/Unauthorized|Forbidden|Unsupported Media Type/);
    expect(await contacts()).toEqual([]);
    const { body } = await api.client().get('/metrics');
    const streams = [...String(body).matchAll(/seconds_count\{method="GET",route="\/events",status="(\d+)"/g)];
    expect(streams.map(([, status]) => status).filter((status) => status !== '401' && status !== '403')).toEqual([]);
    expect(streams.length).toBeGreaterThan(0);
    await page.context().close();
  });

  it('has no cookie to read, and neither has a page of ours', async () => {
    const page = await signedIn('cookie@acme.example');
    expect(await page.evaluate('document.cookie')).toBe('');
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: 'switchboard_session', httpOnly: true, sameSite: 'Lax' });
  });
});
