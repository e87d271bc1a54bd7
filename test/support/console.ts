import type { Page } from 'playwright-core';
import { startBrowser } from './chromium.ts';
import { buildConsole, createPages, type MemberOptions } from './console-pages.ts';
import type { TestApi, TestOrg } from './stack/api.ts';

export type TestConsole = Awaited<ReturnType<typeof startConsole>>;

/** The console of an org in Chromium. Close it after use. */
export async function startConsole({ url, partner }: Pick<TestApi, 'url' | 'partner'>, org: TestOrg) {
  await buildConsole();
  const browser = await startBrowser();
  const { say, conversation, open } = createPages({ url, org, partner }, browser);
  return {
    say,
    conversation,
    /** Opens a conversation as a member, an agent if nothing else is said. Close the page, not its context. */
    async open(email: string, sessionId: string, options: MemberOptions = {}) {
      const opened = await open(email, `/s/${sessionId}`, options);
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
