import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newId } from '../../src/ids.ts';
import { CHROMIUM, overflowOf, startBrowser, WIDTHS } from '../support/chromium.ts';
import { violationsIn } from '../support/console-pages.ts';
import { emailStep } from '../support/sequences.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

const CONSOLE = join(import.meta.dirname, '../../console');
/** Of the first page, and of a link to any other. */
const MAX_SCRIPT_BYTES = 150_000;
const MAX_CHUNK_BYTES = 60_000;
const MAX_STYLE_BYTES = 12_000;
const QUIET_MS = 400;
/** Shows itself where it runs. */
const HOSTILE = `<img src=x onerror="window.isBroken=1"><script>window.isBroken=1</script>javascript:alert(1)`;

(CHROMIUM ? describe : describe.skip)('the console', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let sessionId: string;
  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [join(CONSOLE, 'scripts/build.ts')]);
    api = await startApi();
    browser = await startBrowser();
    sessionId = await conversation('Zoe', 'How do I get a refund?');
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  const conversation = async (name: string, text: string) => {
    const { body: contact } = await api.org.post('/contacts', {
      contact: { name, email: `${newId()}@customer.example` },
    });
    const { body: session } = await api.org.post('/chat/sessions', { contact_id: contact.id });
    await say(session.id, text);
    return session.id as string;
  };
  const say = async (id: string, text: string) => {
    const message = { type: 'text', text };
    expect((await api.org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message })).status).toBe(201);
  };
  const linkFor = async (email: string) => {
    const { body } = await api.partner.post(`/partner/v1/orgs/${api.org.id}/login-links`, { email });
    return body.url as string;
  };
  const signedIn = async (email: string, options = {}) => {
    const opened = await browser.open(await linkFor(email), options);
    opened.page.setDefaultTimeout(8_000);
    await opened.page.getByRole('heading', { name: 'Home' }).waitFor();
    await opened.page.goto(`${api.url}/console/inbox`);
    await opened.page.getByText('Nothing is yours').waitFor();
    return opened;
  };

  it('opens the conversation of a link after the sign-in, where a customer is answered', async () => {
    const { page, complaints } = await browser.open(`${api.url}/chat/sessions/${sessionId}`);
    page.setDefaultTimeout(8_000);
    await page.getByRole('heading', { name: 'Sign in to Switchboard' }).waitFor();
    expect(complaints.every((line) => line.includes('401'))).toBe(true);
    complaints.length = 0;
    await page.goto(await linkFor('ann@acme.example'));
    await page.waitForURL(`${api.url}/console/s/${sessionId}`);
    await page.getByRole('textbox', { name: 'Reply' }).fill('Within a day.');
    await page.getByRole('textbox', { name: 'Reply' }).press('Control+Enter');
    await page.getByRole('log').getByText('Within a day.').waitFor();
    const { body } = await api.org.get(`/chat/sessions/${sessionId}/history`);
    expect(JSON.stringify(body)).toContain('Within a day.');
    await say(sessionId, 'Thank you!');
    await page.getByRole('log').getByText('Thank you!').waitFor();
    expect(await page.evaluate("document.getElementById('root').offsetTop")).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('shows what strangers write as text', async () => {
    const id = await conversation(HOSTILE, HOSTILE);
    const { page, complaints } = await signedIn('bo@acme.example');
    await page.goto(`${api.url}/console/s/${id}`);
    await page.getByRole('log').getByText('onerror').first().waitFor();
    expect(await page.evaluate('window.isBroken')).toBeUndefined();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('opens a page of an area that was not loaded yet by its address, by a link and by going back', async () => {
    const { page, complaints } = await signedIn('bo@acme.example');
    await page.getByRole('link', { name: 'Outbound' }).click();
    await page.getByRole('heading', { name: 'Outbound' }).waitFor();
    await page.goto(`${api.url}/console/outbound/deliveries?channel=sms`);
    await page.getByRole('button', { name: /^Remove the filter/ }).click();
    await page.waitForURL(`${api.url}/console/outbound/deliveries`);
    await page.goBack();
    await page.waitForURL(`${api.url}/console/outbound/deliveries?channel=sms`);
    for (const path of ['outbound/no/such/page', 'constructor']) {
      await page.goto(`${api.url}/console/${path}`);
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('says of a mistyped id the same as of an unknown one', async () => {
    const { page } = await signedIn('bo@acme.example');
    for (const [path, says] of [
      ['s/not-an-id', 'There is no such conversation'],
      ['contacts/nope', 'There is no such contact'],
      ['outbound/nope', 'There is no such sequence'],
    ] as const) {
      await page.goto(`${api.url}/console/${path}`);
      await page.getByText(says).waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    }
    await page.context().close();
  });

  it('signs out', async () => {
    const { page } = await signedIn('bo@acme.example');
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Switchboard' }).waitFor();
    await page.context().close();
  });

  it('asks a member who was removed to sign in, over the page', async () => {
    const { page } = await signedIn('cy@acme.example');
    const { body } = await api.org.get('/members');
    const member = body.find(({ email }: { email: string }) => email === 'cy@acme.example');
    await api.org.delete(`/members/${member.id}`);
    await page.getByRole('dialog').getByText('You are signed out').waitFor({ timeout: 5_000 });
    await page.context().close();
  });

  it.each(WIDTHS)('has no fault that axe finds at %d px, in either theme', async (width) => {
    const { page, complaints } = await signedIn('dee@acme.example', { width });
    const check = async () => {
      expect(await violationsIn(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      expect(await violationsIn(page, ['color-contrast'])).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
    };
    await page.goto(`${api.url}/console/inbox?view=all`);
    await page.getByRole('list', { name: 'Conversations' }).waitFor();
    await check();
    await page.goto(`${api.url}/console/s/${sessionId}`);
    await page.getByRole('log').getByText('How do I get a refund?').waitFor();
    await check();
    expect(await overflowOf(page)).toBe(0);
    const folder = process.env.SHOTS;
    for (const colorScheme of folder === undefined ? [] : (['light', 'dark'] as const)) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${width}-${colorScheme}.png` });
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('is small, comes in parts, and its files are kept by the browser', async () => {
    const assets = join(CONSOLE, 'dist/assets');
    const sizeOf = (file: string) => statSync(join(assets, `${file}.gz`)).size;
    const index = readFileSync(join(CONSOLE, 'dist/index.html'), 'utf8');
    const scripts = readdirSync(assets).filter((file) => file.endsWith('.js'));
    const { page } = await signedIn('size@acme.example');
    const loaded = () =>
      page.evaluate<string[]>(
        `performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1)).filter((name) => name.endsWith('.js'))`,
      );
    /** What a page has loaded by itself, once nothing more comes. */
    const sizeOfLoaded = async () => {
      let files: string[] = [];
      await eventually('all files', async () => {
        const before = files.length;
        await page.waitForTimeout(QUIET_MS);
        files = await loaded();
        return files.length > 0 && files.length === before;
      });
      return files.reduce((sum, file) => sum + sizeOf(file), 0);
    };
    expect((await loaded()).length).toBeGreaterThan(2);
    expect(await sizeOfLoaded()).toBeLessThan(MAX_SCRIPT_BYTES);
    await page.goto(`${api.url}/console/s/${sessionId}`);
    await page.getByRole('log').getByText('How do I get a refund?').waitFor();
    const ofConversation = await sizeOfLoaded();
    console.info(`A link to a conversation loads ${ofConversation} bytes of scripts`);
    expect((await loaded()).some((file) => file.startsWith('conversation'))).toBe(true);
    expect(ofConversation).toBeLessThan(MAX_SCRIPT_BYTES);
    const { body: sequence } = await api.org.post('/sequences', {
      name: 'Welcome',
      filter: null,
      steps: [emailStep('One')],
    });
    for (const path of ['outbound/deliveries', `outbound/${sequence.id}`]) {
      await page.goto(`${api.url}/console/${path}`);
      await page.getByText(path.endsWith('deliveries') ? 'Nothing was sent yet' : 'Nobody is enrolled').waitFor();
      expect([path, (await sizeOfLoaded()) < MAX_SCRIPT_BYTES]).toEqual([path, true]);
    }
    await page.context().close();
    const lazy = scripts.filter((file) => !index.includes(file));
    expect(lazy.length).toBeGreaterThan(3);
    expect(lazy.filter((file) => sizeOf(file) > MAX_CHUNK_BYTES)).toEqual([]);
    const styles = readdirSync(assets).filter((file) => file.endsWith('.css'));
    expect(styles.reduce((sum, file) => sum + sizeOf(file), 0)).toBeLessThan(MAX_STYLE_BYTES);
    const file = await fetch(`${api.url}/console/assets/${scripts[0]}`, { headers: { 'accept-encoding': 'br' } });
    expect(file.headers.get('content-encoding')).toBe('br');
    expect(file.headers.get('cache-control')).toContain('immutable');
    const answer = await fetch(`${api.url}/console/inbox`);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'");
  });
});
