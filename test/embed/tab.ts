import type { BrowserContext, Page } from 'playwright-core';
import { openIn } from '../support/chromium.ts';

/** A tab of a browser with the chat on its page. */
export interface Tab {
  page: Page;
  complaints: string[];
  open(): Promise<void>;
  /** Writes without sending. */
  type(text: string): Promise<void>;
  say(text: string): Promise<void>;
  shows(text: string | RegExp): Promise<void>;
  /** All that the chat shows, with the text of its field. */
  seen(): Promise<string>;
  own(): Promise<string[]>;
  identify(token: string): Promise<void>;
}

/** Visits an address in a new tab of a browser's context. */
export async function openTab(context: BrowserContext, url: string): Promise<Tab> {
  const { page, complaints } = await openIn(context, url);
  const field = page.getByRole('textbox');
  const type = (text: string) => field.fill(text);
  return {
    page,
    complaints,
    async open() {
      await page.locator('button.launcher').click();
      await field.waitFor();
    },
    type,
    async say(text) {
      await type(text);
      await field.press('Enter');
    },
    shows: (text) => page.locator('.log').getByText(text).first().waitFor(),
    seen: async () => `${await page.locator('.log').textContent()}\n${await field.inputValue()}`,
    own: () => page.locator('.own .bubble').allTextContents(),
    identify: (token) => page.evaluate(`Switchboard('identify', { token: '${token}' })`),
  };
}
