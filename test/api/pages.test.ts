import { createUnsubscribeLinks } from '../../src/deliveries/ledger/delivery-links.ts';
import { messageListPage } from '../../src/dev/mail/page.ts';
import { maskedAddress } from '../../src/html/masked-address.rules.ts';
import helpWords from '../../src/knowledge/help-center/words.json' with { type: 'json' };
import { formWith, PNG } from '../media/samples.ts';
import { CHROMIUM, isDark, lowestContrastOf, overflowOf, startBrowser, WIDTHS } from '../support/chromium.ts';
import { violationsIn } from '../support/console-pages.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { activate, expectRunsAsDescribed } from '../support/triggers.ts';

/** What Chromium sends where a person opens an address. */
const BROWSER =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';
/** Chromium reports a page's own status as a console error. */
const OF_STATUS = /status of 4\d\d/;
const IS_LONG = process.env.TEST_TIER === 'long';
const LOOKS = WIDTHS.flatMap((width) => (['light', 'dark'] as const).map((scheme) => [width, scheme] as const));
const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
});
afterAll(() => api.close());

const open = async (path: string, accept = BROWSER, init: RequestInit = {}) => {
  const response = await fetch(api.url + path, { redirect: 'manual', ...init, headers: { accept, ...init.headers } });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    text: await response.text(),
  };
};

const FIELDS = [
  { name: 'first_name', type: 'text', required: true },
  { name: 'email', type: 'email', required: true },
  { name: 'seats', type: 'number' },
  { name: 'plan', type: 'select', options: ['Small', 'Large & "best"'] },
  { name: 'newsletter', type: 'checkbox' },
];
const newForm = async () => {
  const { id, url } = await activate(api.org, {
    trigger_type: 'form-trigger',
    trigger_configuration: { fields: FIELDS },
  });
  return { id, path: new URL(url).pathname };
};
const unsubscribePath = async () => {
  const { body } = await api.org.post('/email', {
    from_email: 'hello@acme.example',
    fallback_email_subject: 'News',
    fallback_email_body: 'News',
    recipients: [{ to_email: 'dora.long@mail.example.com' }],
  });
  const { urlOf } = createUnsubscribeLinks(api.config.signingSecrets, api.url);
  return new URL(urlOf({ orgId: api.org.id, deliveryId: body.data[0].id })).pathname;
};

describe('an error', () => {
  it.each([
    ['GET', '/nowhere/<b>x', 404],
    ['GET', '/contacts', 401],
    ['PUT', '/', 405],
    ['GET', '/hooks/workflows/4f9bde4c-6b41-4a4b-8f0f-0d3c6a9a8a11/token', 405],
    ['GET', '/hooks/forms/4f9bde4c-6b41-4a4b-8f0f-0d3c6a9a8a11/token', 404],
    ['GET', '/hooks/forms/x/token', 400],
    ['GET', '/u/nothing', 404],
    ['POST', '/u/nothing', 404],
    ['GET', '/a/nothing', 404],
    ['GET', '/%ff', 400],
  ])('of %s %s is a page for a browser, and JSON for a program', async (method, path, status) => {
    const page = await open(path, BROWSER, { method });
    expect([page.status, page.type]).toEqual([status, HTML]);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; img-src 'self'; style-src 'sha256-/,
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('vary')).toContain('accept');
    expect(page.text).toMatch(/<h1>[^<]+<\/h1><p>[^<]+<\/p>/);
    expect(page.text).not.toContain('<b>');
    for (const accept of ['*/*', 'application/json', 'application/json, text/html', 'text/csv', '']) {
      const answer = await open(path, accept, { method });
      expect([accept, answer.status, answer.type]).toEqual([accept, status, JSON_TYPE]);
      expect(JSON.parse(answer.text)).toMatchObject({ statusCode: status, message: expect.any(String) });
    }
  });

  it('of a limit is a page for a browser too', async () => {
    const limited = await startApi({
      databaseUrl: api.databaseUrl,
      env: { RATE_LIMIT_REFUSED: '1', RATE_LIMIT_ADDRESS: '3' },
    });
    try {
      const get = (path: string) => fetch(limited.url + path, { headers: { accept: BROWSER } });
      await get('/contacts');
      for (const path of ['/contacts', '/u/x', '/u/x', '/u/x', '/u/x']) {
        const { status, headers } = await get(path);
        if (status === 429)
          expect([headers.get('content-type'), Number(headers.get('retry-after'))]).toEqual([HTML, expect.any(Number)]);
      }
      expect([(await get('/contacts')).status, (await get('/u/x')).status]).toEqual([429, 429]);
    } finally {
      await limited.close();
    }
  });
});

describe('a masked address', () => {
  it.each([
    ['dora.long@mail.example.com', 'd•••@m•••.com'],
    ['d@x.de', 'd•••@x•••.de'],
    ['😀a@b', '😀•••@b•••'],
    ['"a@b"@c.org', '"•••@c•••.org'],
    ['+4915112345678', '•••78'],
    ['1234', '•••'],
    ['', '•••'],
  ])('%s is shown as %s', (address, shown) => expect(maskedAddress(address)).toBe(shown));
});

describe('the hosted form', () => {
  const post = (path: string, fields: Record<string, string>, accept = BROWSER) =>
    open(path, accept, { method: 'POST', body: new URLSearchParams(fields) });

  it('shows its fields at its address, and thanks for a submission, which starts the workflow once', async () => {
    const { id, path } = await newForm();
    const page = await open(path);
    expect([page.status, page.type]).toEqual([200, HTML]);
    expect(page.text).toContain('<option value="Large &amp; &quot;best&quot;">');
    const sent = await post(path, { first_name: 'Ada', email: 'ada@example.com', seats: '2', plan: 'Small' });
    expect([sent.status, sent.type]).toEqual([202, HTML]);
    expect(sent.text).toContain('Thank you');
    const runs = await expectRunsAsDescribed(api.db, id);
    expect(runs.map(({ trigger_output }) => trigger_output.form)).toEqual([
      { first_name: 'Ada', email: 'ada@example.com', seats: 2, plan: 'Small', newsletter: false },
    ]);
  });

  it('shows what is wrong at each field and keeps what was typed, and answers programs by JSON as before', async () => {
    const { id, path } = await newForm();
    const wrong = await post(path, { first_name: '<i>Ada</i>', email: 'nobody', newsletter: 'true' });
    expect([wrong.status, wrong.type]).toEqual([400, HTML]);
    expect(wrong.text).toContain('value="&lt;i&gt;Ada&lt;/i&gt;"');
    expect(wrong.text).toMatch(
      /aria-invalid="true" aria-describedby="email-problem"><span class="problem" id="email-problem">Enter a valid e-mail/,
    );
    expect(wrong.text).toContain('checked');
    const answer = await post(path, { email: 'nobody' }, '*/*');
    expect([answer.status, JSON.parse(answer.text).issues.length]).toEqual([400, 2]);
    expect(await expectRunsAsDescribed(api.db, id)).toEqual([]);
  });

  it('is not shown for a workflow of another kind, an inactive one or a wrong token', async () => {
    const { path } = await newForm();
    const { url } = await activate(api.org, { trigger_type: 'webhook' });
    const other = new URL(url).pathname.replace('/hooks/workflows/', '/hooks/forms/');
    expect([(await open(other)).status, (await open(`${path}x`)).status]).toEqual([409, 404]);
  });
});

it('answers a browser that opens the server, also for its icon', async () => {
  const page = await open('/');
  expect([page.status, page.type]).toEqual([200, HTML]);
  for (const path of ['console', 'docs/', 'openapi.json', 'readyz']) expect(page.text).toContain(`href="${path}"`);
  const icon = await fetch(`${api.url}/favicon.ico`);
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
  expect(Buffer.from(await icon.arrayBuffer()).subarray(0, 4)).toEqual(Buffer.from([0, 0, 1, 0]));
});

it('links to the state of the server only where it is on the same port', async () => {
  const apart = await startApi({ databaseUrl: api.databaseUrl, env: { OPS_PORT: '1' } });
  const page = await (await fetch(`${apart.url}/`)).text();
  await apart.close();
  expect(page).not.toContain('readyz');
});

(CHROMIUM ? describe : describe.skip)('in a browser', () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  it('each small page can be read at both widths, light and dark, without a complaint of the browser', async () => {
    const refunds = { title: 'Refunds', slug: 'refunds', content_markdown: '# Refunds\n\nText.\n\n# Next\n\nMore.' };
    const categories = [{ name: 'All', slug: 'all', articles: [refunds] }];
    expect((await api.org.put('/help-center/content', { categories })).status).toBe(200);
    const logo = (await api.org.post('/media', formWith(PNG, 'logo.png'))).body.fileUrl;
    const brand = { name: 'Acme & Co', logo, color: '#ffee00', home: 'https://acme.example' };
    expect((await api.org.patch('/org/settings', { brand })).status).toBe(200);
    const paths = [
      '/',
      '/nowhere',
      '/contacts',
      '/u/nothing',
      '/a/nothing',
      '/partner-login?token=x',
      await unsubscribePath(),
      (await newForm()).path,
      `/help/${api.org.id}/all/refunds`,
      `/help/${api.org.id}/nowhere`,
    ];
    for (const path of paths) {
      const { page, complaints, status } = await browser.open(api.url + path);
      for (const [width, colorScheme] of LOOKS) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        const seen = {
          headings: await page.locator('h1').count(),
          overflow: await overflowOf(page),
          isReadable: (await lowestContrastOf(page)) >= 4.5,
          isDark: await isDark(page),
        };
        const wanted = { headings: 1, overflow: 0, isReadable: true, isDark: colorScheme === 'dark' };
        expect([path, width, seen]).toEqual([path, width, wanted]);
      }
      expect([path, status < 500, complaints.filter((text) => !OF_STATUS.test(text))]).toEqual([path, true, []]);
      await page.context().close();
    }
  });

  (IS_LONG ? it : it.skip)(
    'counts the answer of a reader, and takes a sentence, without scripts and by the rules of axe',
    async () => {
      const article = { title: 'Deliveries', slug: 'deliveries', content_markdown: 'Three days.' };
      await api.other.put('/help-center/content', { categories: [{ name: 'All', slug: 'all', articles: [article] }] });
      await api.other.patch('/org', { language: 'ar' });
      await api.other.patch('/org/settings', { brand: { color: '#ffee00' } });
      const words = helpWords.ar;
      for (const [nth, [width, colorScheme]] of LOOKS.entries()) {
        const { page, complaints } = await browser.open(`${api.url}/help/${api.other.id}/all/deliveries`, {
          width,
          colorScheme,
        });
        await page.setExtraHTTPHeaders({ 'x-forwarded-for': `203.0.113.${nth + 1}` });
        const check = async () => expect([await violationsIn(page), await overflowOf(page)]).toEqual([[], 0]);
        await check();
        await page.getByRole('button', { name: words.no, exact: true }).click();
        await page.getByRole('heading', { name: words.thanks }).waitFor();
        await check();
        await page.getByLabel(words.tell_us).fill('متى؟');
        await page.getByRole('button', { name: words.send, exact: true }).click();
        await page.getByRole('textbox', { name: words.tell_us }).waitFor({ state: 'detached' });
        await page.getByRole('link', { name: 'Deliveries' }).click();
        await page.getByRole('button', { name: words.yes, exact: true }).click();
        await page.getByRole('heading', { name: words.thanks }).waitFor();
        expect(await page.getByRole('textbox', { name: words.tell_us }).count()).toBe(0);
        expect(complaints).toEqual([]);
        await page.context().close();
      }
      const [{ id }] = (await api.other.get('/help-center/articles')).body.items;
      const { languages, items } = (await api.other.get(`/help-center/articles/${id}/feedback`)).body;
      expect(languages).toEqual([{ language: 'ar', helpful: 0, not_helpful: 4 }]);
      expect(items).toHaveLength(4);
    },
  );

  it('the list of caught mails fits a phone, and is dark where the reader wants it', async () => {
    const mail = { id: 'a', to: 'someone-with-a-long-address@mail.example.com', from: 'hello@acme.example' };
    const list = messageListPage(
      [{ ...mail, subject: 'News', received_at: '2026-01-01', headers: {}, text: '', html: '' }],
      1,
    );
    const { page } = await browser.open('about:blank', { width: 380, colorScheme: 'dark' });
    await page.setContent(list);
    expect([await overflowOf(page), await isDark(page), (await lowestContrastOf(page)) >= 4.5]).toEqual([
      0,
      true,
      true,
    ]);
  });

  it('the documentation loads from this server alone, without what its maker sells', async () => {
    const { page, complaints } = await browser.open(`${api.url}/docs/`);
    await page.locator('#app').getByText('Customer support and outbound messaging').first().waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.getByText(/generate mcp|deploy|share|configure/i).count()).toBe(0);
      expect(await overflowOf(page)).toBe(0);
    }
    expect(await page.locator('.outline').isVisible()).toBe(false);
    const addresses: string[] = await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)');
    expect(addresses.filter((address) => !address.startsWith(`${api.url}/`))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('the documentation can be read before its script is there', async () => {
    const { page } = await browser.open('about:blank', { width: 380, colorScheme: 'dark' });
    await page.route('**/scalar.js*', () => undefined);
    await page.goto(`${api.url}/docs/`, { waitUntil: 'commit' });
    await page.getByRole('heading', { name: 'Switchboard API' }).waitFor();
    await page.getByRole('heading', { name: 'Keys and scopes' }).waitFor();
    await page.getByText('POST /contacts/import').waitFor();
    expect([await page.title(), await overflowOf(page), await isDark(page)]).toEqual(['Switchboard API', 0, true]);
    expect(await lowestContrastOf(page)).toBeGreaterThanOrEqual(4.5);
    await page.context().close();
  });

  it('submits the hosted form, first with a mistake', async () => {
    const { id, path } = await newForm();
    const { page } = await browser.open(api.url + path, { width: 380 });
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Email').fill('ada@nowhere');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Enter a valid e-mail address').waitFor();
    expect(await page.getByLabel('First name').inputValue()).toBe('Ada');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    expect(await expectRunsAsDescribed(api.db, id)).toHaveLength(1);
  });

  it('stops mail by one press of a button, and shows the address only in part', async () => {
    const path = await unsubscribePath();
    const { page } = await browser.open(api.url + path);
    expect(await page.locator('main').textContent()).toContain('d•••@m•••.com');
    expect(await page.content()).not.toContain('dora.long');
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('heading', { name: 'Unsubscribed' }).waitFor();
    const { body } = await api.org.get('/suppressions');
    expect(body.items).toMatchObject([{ address: 'dora.long@mail.example.com', reason: 'unsubscribed' }]);
  });
});
