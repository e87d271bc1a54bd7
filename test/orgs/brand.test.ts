import { createHash } from 'node:crypto';
import { contrastOf, readableOn, textColorOn } from '../../src/html/colors.rules.ts';
import { formWith, PNG } from '../media/samples.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const upload = async (org: TestOrg, bytes: Buffer, name: string) =>
  (await org.post('/media', formWith(bytes, name))).body.fileUrl as string;

const change = (org: TestOrg, brand: object | null) => org.patch('/org/settings', { brand });

async function helpPage(org: TestOrg) {
  const response = await fetch(`${api.url}/help/${org.id}`);
  return { html: await response.text(), policy: response.headers.get('content-security-policy') ?? '' };
}

describe('the brand of an org', () => {
  it('is shown by the help center, with a logo, a colour that the policy allows and a link home', async () => {
    const org = await api.createOrg();
    await org.put('/help-center/content', { categories: [{ name: 'All', slug: 'all', articles: [] }] });
    const logo = await upload(org, PNG, 'logo.png');
    const brand = { name: 'Acme & Co', logo, color: '#FFEE00', home: 'https://acme.example/start' };
    const { status, body } = await change(org, brand);
    expect([status, body.brand]).toEqual([200, { ...brand, color: '#ffee00', logo: expect.stringMatching('/media/') }]);
    expect((await change(org, body.brand)).body.brand).toEqual(body.brand); // what was read can be sent back
    const { html, policy } = await helpPage(org);
    expect(html).toContain('<span>Acme &amp; Co</span>');
    expect(html).toContain(`<img src="${body.brand.logo}" alt="">`);
    expect(html).toContain('<a class="site" href="https://acme.example/start">acme.example</a>');
    expect((await fetch(body.brand.logo)).headers.get('content-type')).toBe('image/png');
    const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style = '']) => style);
    expect(styles).toHaveLength(2);
    expect(styles[1]).toContain('--accent:#ffee00;--on:#000000');
    for (const style of styles)
      expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    await change(org, null);
    expect((await helpPage(org)).html).not.toContain('<img');
  });

  it('has no logo once its file was redacted, and can be changed without it', async () => {
    const org = await api.createOrg();
    await org.put('/help-center/content', { categories: [{ name: 'All', slug: 'all', articles: [] }] });
    const { body: session } = await org.post('/chat/sessions', {});
    const attachments = [{ name: 'logo.png', base64: PNG.toString('base64') }];
    const message = { type: 'text', text: 'Our logo', attachments };
    await org.post(`/chat/sessions/${session.id}/send`, { sender: 'agent', message });
    const { items } = (await org.get(`/chat/sessions/${session.id}/history`)).body;
    const logo = items[0].event.attachments[0].url;
    const { brand } = (await change(org, { name: 'Acme', logo })).body;
    expect((await helpPage(org)).html).toContain(`<img src="${brand.logo}" alt="">`);
    await org.post('/redaction/session', { sessionId: session.id });
    const { html } = await helpPage(org);
    expect([html.includes('<span>Acme</span>'), html.includes('<img')]).toEqual([true, false]);
    expect((await org.get('/org/settings')).body.brand).toEqual({ name: 'Acme' });
    const { status, body } = await change(org, { ...brand, color: '#1c4fd8' }); // as it was read before
    expect([status, body.brand]).toEqual([200, { name: 'Acme', color: '#1c4fd8' }]);
    expect((await change(org, brand)).status).toBe(400); // no longer the logo that it has
  });

  it('takes only a picture of the org, a colour and a web address', async () => {
    const [org, other] = [await api.createOrg(), await api.createOrg()];
    const refused = [
      { logo: await upload(org, Buffer.from('Only text.'), 'logo.txt') },
      { logo: await upload(other, PNG, 'logo.png') },
      { logo: 'https://elsewhere.example/logo.png' },
      { color: 'red' },
      { color: '#fff' },
      { home: 'javascript:alert(1)' },
      { name: ' ' },
    ];
    for (const brand of refused) {
      const { status, body } = await change(org, brand);
      expect([brand, status, body.issues?.[0]?.path]).toEqual([brand, 400, `body.brand.${Object.keys(brand)[0]}`]);
    }
    expect((await org.get('/org/settings')).body.brand).toBeNull();
  });
});

describe('the colours of a page', () => {
  it('can be read on every colour and background, by WCAG 2.2 AA', () => {
    const steps = [0, 51, 102, 127, 153, 204, 255].map((part) => part.toString(16).padStart(2, '0'));
    const colors = steps.flatMap((r) => steps.flatMap((g) => steps.map((b) => `#${r}${g}${b}`)));
    expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21);
    expect(contrastOf('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
    for (const color of colors) {
      expect(contrastOf(color, textColorOn(color))).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(readableOn('#eef0f4', color, '#000000'), '#eef0f4')).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(readableOn('#1d222b', color, '#ffffff'), '#1d222b')).toBeGreaterThanOrEqual(4.5);
    }
    expect(readableOn('#eef0f4', '#1c4fd8', '#000000')).toBe('#1c4fd8');
  });
});
