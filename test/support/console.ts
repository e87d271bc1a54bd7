import type { BrowserContextOptions, Page } from 'playwright-core';
import { startBrowser } from './chromium.ts';
import { buildConsole, createPages } from './console-pages.ts';
import type { TestApi, TestOrg } from './stack/api.ts';

const WAIT_MS = 8_000;

export type TestConsole = Awaited<ReturnType<typeof startConsole>>;

interface OpenOptions extends BrowserContextOptions {
  width?: number;
  role?: 'admin' | 'agent' | 'viewer';
}

/** The console of an org in Chromium. Close it after use. */
export async function startConsole({ url, partner }: Pick<TestApi, 'url' | 'partner'>, org: TestOrg) {
  await buildConsole();
  const browser = await startBrowser();
  const { say, conversation } = createPages({ url, org, partner }, browser);
  const roleId = async (role: string): Promise<string> => {
    const { body } = await org.get('/roles');
    return body.items.find(({ name }: { name: string }) => name === role).id;
  };
  return {
    say,
    conversation,
    /** Signs a member in, an agent if nothing else is said, and opens a conversation. */
    async open(email: string, sessionId: string, { role = 'agent', ...options }: OpenOptions = {}) {
      const link = { email, role_ids: [await roleId(role)] };
      const { body } = await partner.post(`/partner/v1/orgs/${org.id}/login-links`, link);
      const opened = await browser.open(body.url, options);
      opened.page.setDefaultTimeout(WAIT_MS);
      await opened.page.getByRole('navigation', { name: 'Areas' }).waitFor();
      await opened.page.goto(`${url}/console/s/${sessionId}`);
      await opened.page.getByRole('log').getByRole('article').last().waitFor();
      return { ...opened, ...partsOf(opened.page) };
    },
    close: browser.close,
  };
}

const partsOf = (page: Page) => ({
  log: page.getByRole('log'),
  reply: page.getByRole('textbox', { name: 'Reply', exact: true }),
  note: page.getByRole('textbox', { name: 'Note', exact: true }),
  button: (name: string) => page.getByRole('button', { name, exact: true }),
});
