import type { Page } from 'playwright-core';
import { CHROMIUM, startBrowser, WIDTHS } from '../../support/chromium.ts';
import { buildConsole, createPages, violationsIn } from '../../support/console-pages.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';

const SETTINGS_FILES = /\/assets\/(?:settings|overview|settings-page)-[\w-]+\.js$/;

/** Ends the body of an answer in its middle, as a connection does that is lost. */
const CUT_BODIES = `(() => {
  const real = window.fetch;
  window.fetch = async (address, init) => {
    const answer = await real(address, init);
    if (!String(address).startsWith('/org/settings')) return answer;
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"csat":')),
      pull: (controller) => controller.error(new TypeError('network error')),
    });
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
})()`;

(CHROMIUM ? describe : describe.skip)('the frame of the console', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    [api, browser] = await Promise.all([startApi(), startBrowser()]);
    pages = createPages(api, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  const open = (path: string) => pages.open('ann@acme.example', path, { role: 'admin' });
  const areas = (page: Page) => page.getByRole('navigation', { name: 'Areas' });
  const isInWindow = async (page: Page, name: string) => {
    const box = await areas(page).getByRole('link', { name, exact: true }).boundingBox();
    const size = page.viewportSize();
    if (box === null || size === null) return false;
    const { x, y, width, height } = box;
    return x >= 0 && y >= 0 && x + width <= size.width && y + height <= size.height;
  };

  const untilNewer = (page: Page) =>
    eventually('another page', async () => (await page.evaluate('window.isOld').catch(() => true)) !== true);

  it.each(WIDTHS)('has no fault that axe finds where somebody has to sign in, at %d px', async (width) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await browser.open(`${api.url}/console/inbox`, { width, colorScheme });
      await page.getByRole('textbox', { name: 'E-mail address' }).waitFor();
      expect(await violationsIn(page)).toEqual([]);
      await page.context().close();
    }
  });

  it('stays around an area whose files cannot be loaded, which is tried again', async () => {
    const { page } = await open('/inbox');
    await page.route(SETTINGS_FILES, (route) => route.abort());
    await areas(page).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'This page could not be shown', level: 1 }).waitFor();
    await areas(page).waitFor();
    await page.evaluate('window.isOld = true');
    await page.getByRole('button', { name: 'Try again' }).click();
    await untilNewer(page);
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
    await page.unroute(SETTINGS_FILES);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.close();
  });

  it('is loaded again where the server has a newer console, whose files have other names', async () => {
    const { page } = await open('/home-of-a-newer-one');
    await page.goto(`${api.url}/console/inbox`);
    await areas(page).waitFor();
    await page.evaluate('window.isOld = true');
    await page.route(SETTINGS_FILES, (route) => route.fulfill({ status: 404 }));
    await page.route('**/console/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html>Newer' }),
    );
    await areas(page).getByRole('link', { name: 'Settings' }).click();
    await untilNewer(page);
    await page.close();
  });

  it('has a sentence for an answer that ends in its middle', async () => {
    const { page } = await open('/settings');
    await page.addInitScript(CUT_BODIES);
    await page.goto(`${api.url}/console/settings/organization`);
    await page.getByRole('alert').getByText('The server cannot be reached').first().waitFor();
    await page.close();
  });

  it.each([
    [200, 'Something else than the server answered'],
    [502, 'The server is away (502)'],
  ])('has a sentence for the page of a proxy that answers %d', async (status, says) => {
    const { page } = await open('/settings/profile');
    await page.route('**/org/settings', (route) =>
      route.fulfill({ status, contentType: 'text/html', body: '<html><title>Proxy</title></html>' }),
    );
    await page.goto(`${api.url}/console/settings/organization`);
    await page.getByRole('alert').getByText(says).first().waitFor();
    await page.close();
  });

  it('shows the current area in a narrow and in a low window, and all others by scrolling', async () => {
    for (const viewport of [
      { width: 320, height: 700 },
      { width: 1280, height: 360 },
    ]) {
      const { page } = await open('/settings');
      await page.setViewportSize(viewport);
      await page.goto(`${api.url}/console/settings`);
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      await eventually('the area in the window', () => isInWindow(page, 'Settings'));
      await areas(page).getByRole('link', { name: 'Home', exact: true }).scrollIntoViewIfNeeded();
      expect([viewport, await isInWindow(page, 'Home')]).toEqual([viewport, true]);
      const account = await page.getByRole('button', { name: /^Account of/ }).boundingBox();
      expect((account?.y ?? 0) + (account?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
      await page.close();
    }
  });

  it('knows no integration by the name of what each object has', async () => {
    const { page, complaints } = await open('/settings/integrations/constructor');
    await page.getByText('There is no such integration').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});
