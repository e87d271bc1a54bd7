import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { startBrowser } from './chromium.ts';
import type { TestApi, TestOrg } from './stack/api.ts';

const ROOT = join(import.meta.dirname, '../..');
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');
const WAIT_MS = 8_000;

export type TestConsole = Awaited<ReturnType<typeof startConsole>>;

/** The console of an org in Chromium. Close it after use. */
export async function startConsole(api: Pick<TestApi, 'url' | 'partner'>, org: TestOrg) {
  await promisify(execFile)(process.execPath, [join(ROOT, 'console/scripts/build.ts')]);
  const browser = await startBrowser();

  const say = async (id: string, text: string, sender: 'contact' | 'agent' = 'contact') => {
    const message = { type: 'text', text };
    const headers = { prefer: 'wait=0' };
    expect(await org.post(`/chat/sessions/${id}/send`, { sender, message }, { headers })).toMatchObject({
      status: 201,
    });
  };
  const roleId = async (role: string): Promise<string> => {
    const { body } = await org.get('/roles');
    return body.items.find(({ name }: { name: string }) => name === role).id;
  };
  return {
    say,
    async conversation(name: string, text: string): Promise<string> {
      const contact = { name, email: `${newId()}@customer.example` };
      const { body } = await org.post('/contacts', { contact });
      const { body: session } = await org.post('/chat/sessions', { contact_id: body.id });
      await say(session.id, text);
      return session.id;
    },
    /** Signs a member in who is an agent if nothing else is said, and opens a conversation. */
    async open(email: string, sessionId: string, { role, ...options }: OpenOptions = {}) {
      const role_ids = role === undefined ? undefined : [await roleId(role)];
      const { body } = await api.partner.post(`/partner/v1/orgs/${org.id}/login-links`, { email, role_ids });
      const opened = await browser.open(body.url, options);
      opened.page.setDefaultTimeout(WAIT_MS);
      await opened.page.getByRole('navigation', { name: 'Areas' }).waitFor();
      await opened.page.goto(`${api.url}/console/s/${sessionId}`);
      await opened.page.getByRole('log').getByRole('article').last().waitFor();
      return { ...opened, ...partsOf(opened.page) };
    },
    close: browser.close,
  };
}

interface OpenOptions extends BrowserContextOptions {
  width?: number;
  role?: 'admin' | 'agent' | 'viewer';
}

const partsOf = (page: Page) => ({
  log: page.getByRole('log'),
  reply: page.getByRole('textbox', { name: 'Reply', exact: true }),
  note: page.getByRole('textbox', { name: 'Note', exact: true }),
  button: (name: string) => page.getByRole('button', { name, exact: true }),
});

/** Returns the rules that a page breaks, as axe sees it. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
}
