import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { CHROMIUM, CHROMIUM_ENV } from '../support/chromium.ts';
import { type FakeSite, pageOf, type SiteAnswer, startFakeSite } from '../support/fakes/site.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';
import { crawlAgain, crawlSite, outcomesOf, pagesOf } from './crawling.ts';

const ENV = { EGRESS_ALLOW: '127.0.0.0/8', CRAWL_DELAY_MS: '0', ...CHROMIUM_ENV };
const SCRIPT: SiteAnswer = { headers: { 'content-type': 'text/javascript' } };
const JSON_DATA = { 'content-type': 'application/json' };
const LONG = 'A parcel that comes back within thirty days is paid for. '.repeat(6);

/** A page that is empty but for its script. */
const shell = (script: string, title = 'Shop'): SiteAnswer => ({
  body: `<!doctype html><html lang="en"><head><title>${title}</title></head><body><div id="root"></div><script src="${script}"></script></body></html>`,
});

/** A site whose start page and help page are made by scripts from data, and whose scripts try all ways out. */
function fill(site: FakeSite, socketPort = 1): void {
  const { pages } = site;
  pages.set('/', shell('/app.js'));
  pages.set('/app.js', {
    ...SCRIPT,
    body: `(async () => {
      new Image().src = '/pixel.png';
      navigator.sendBeacon('/beacon', 'seen');
      fetch('/orders', { method: 'POST', body: '{}' }).catch(() => 0);
      fetch('/private/data.json').catch(() => 0);
      try { new WebSocket('ws://127.0.0.1:${socketPort}/'); } catch {}
      try { new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${socketPort}' }] }).createDataChannel('x'); } catch {}
      navigator.serviceWorker?.register('/worker.js').catch(() => 0);
      const blocked = await fetch('http://10.1.2.3/', { mode: 'no-cors' }).then(() => 'reached', () => 'refused');
      const { text } = await (await fetch('/data.json')).json();
      document.getElementById('root').innerHTML =
        '<main><h1>Returns</h1><p>' + text + '</p><p>The inside was ' + blocked + '.</p><a href="/help">Help</a></main>';
    })();`,
  });
  pages.set('/data.json', { headers: JSON_DATA, body: JSON.stringify({ text: LONG }) });
  pages.set('/private/data.json', { headers: JSON_DATA, body: '{}' });
  pages.set('/robots.txt', { body: 'User-agent: *\nDisallow: /private/' });
  pages.set('/help', pageOf('Help'));
}

(CHROMIUM ? describe : describe.skip)('a page made by scripts, with Chromium', () => {
  let stack: Stack;
  let site: FakeSite;
  beforeAll(async () => {
    stack = await startStack({ env: ENV });
  });
  afterAll(() => stack.close());
  beforeEach(async () => {
    site = await startFakeSite();
  });
  afterEach(() => site.close());

  it('is read as a browser shows it, its links are followed, and only its data may change it', async () => {
    let connections = 0;
    const elsewhere = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    fill(site, (elsewhere.address() as AddressInfo).port);
    const { id, job } = await crawlSite(stack.org, { url: `${site.url}/` });
    expect(job).toMatchObject({ status: 'completed', new_pages: 2, completed_pages: 2 });
    expect(await outcomesOf(stack.org, id)).toEqual({ '/': 'synced', '/help': 'synced' });
    const { body } = await stack.org.post('/training/search', { query: 'When is a parcel paid for?' });
    expect(body.results[0]).toMatchObject({ url: `${site.url}/`, title: 'Shop' });
    expect(body.results[0].content).toContain('The inside was refused.');

    expect(new Set(site.paths())).toEqual(
      new Set(['/robots.txt', '/sitemap.xml', '/', '/app.js', '/data.json', '/help']),
    );
    expect(site.requests.every(({ headers }) => headers['user-agent'] === 'SwitchboardBot')).toBe(true);
    expect(connections).toBe(0);
    await new Promise((resolve) => elsewhere.close(resolve));

    expect(await crawlAgain(stack.org, id)).toMatchObject({ unchanged_pages: 2, updated_pages: 0, new_pages: 0 });
    site.pages.set('/data.json', { headers: JSON_DATA, body: JSON.stringify({ text: LONG.replace('thirty', 'ten') }) });
    expect(await crawlAgain(stack.org, id)).toMatchObject({ unchanged_pages: 1, updated_pages: 1 });
  });

  it('is left out if its setting says never and if a browser shows nothing', async () => {
    fill(site);
    const never = await crawlSite(stack.org, { url: `${site.url}/`, rendering: 'never' });
    expect(never.job).toMatchObject({ status: 'failed', error_message: expect.stringContaining('script_only') });
    expect(site.paths()).not.toContain('/app.js');
    const changed = await stack.org.patch(`/crawl/${never.id}`, { rendering: 'auto' });
    expect(changed.body.rendering).toBe('auto');
    expect(await crawlAgain(stack.org, never.id)).toMatchObject({ status: 'completed', new_pages: 2 });

    site.pages.set('/', pageOf('Home', { links: ['/nothing'] }));
    site.pages.set('/nothing', shell('/none.js'));
    const { id } = await crawlSite(stack.org, { url: `${site.url}/` });
    const [nothing] = (await pagesOf(stack.org, id)).filter(({ url }) => url.endsWith('/nothing'));
    expect(nothing).toMatchObject({ reason: 'script_only', detail: 'A browser shows hardly any text' });
  });
});

it('a page made by scripts is `script_only`, with what is missing, where no Chromium is installed', async () => {
  const stack = await startStack({ env: { ...ENV, CHROMIUM_PATH: 'none' } });
  const site = await startFakeSite();
  try {
    fill(site);
    site.pages.set('/', pageOf('Home', { links: ['/shop', '/help'] }));
    site.pages.set('/shop', shell('/app.js'));
    const { id, job } = await crawlSite(stack.org, { url: `${site.url}/` });
    expect(job).toMatchObject({ status: 'completed', new_pages: 2, completed_pages: 3 });
    const [shop] = (await pagesOf(stack.org, id)).filter(({ url }) => url.endsWith('/shop'));
    expect(shop).toMatchObject({ status: 'error', reason: 'script_only', detail: 'No Chromium is installed' });
    expect(site.paths().filter((path) => path === '/shop')).toHaveLength(1);
  } finally {
    await Promise.all([stack.close(), site.close()]);
  }
});
