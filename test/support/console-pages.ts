import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import type { startBrowser } from './chromium.ts';
import type { TestOrg, TestPartner } from './stack/api.ts';

const ROOT = join(import.meta.dirname, '../..');
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');
const WAIT_MS = 8_000;

/** Builds the console where its sources have changed. */
export const buildConsole = () => promisify(execFile)(process.execPath, [join(ROOT, 'console/scripts/build.ts')]);

interface Installation {
  url: string;
  org: TestOrg;
  partner: TestPartner;
}

/** Returns what tests do with the pages of the console on an installation. */
export function createPages({ url, org, partner }: Installation, browser: Awaited<ReturnType<typeof startBrowser>>) {
  const linkFor = async (email: string, orgId = org.id): Promise<string> =>
    (await partner.post(`/partner/v1/orgs/${orgId}/login-links`, { email })).body.url;
  const say = async (id: string, text: string, sender: 'contact' | 'agent' = 'contact') => {
    const message = { type: 'text', text };
    const headers = { prefer: 'wait=0' };
    expect((await org.post(`/chat/sessions/${id}/send`, { sender, message }, { headers })).status).toBe(201);
  };
  return {
    linkFor,
    say,
    memberNamed: async (email: string) =>
      (await org.get('/members')).body.find((member: { email: string }) => member.email === email),
    async conversation(name: string, text = `${name} writes`): Promise<string> {
      const { body: contact } = await org.post('/contacts', {
        contact: { name, email: `${newId()}@customer.example` },
      });
      const { body: session } = await org.post('/chat/sessions', { contact_id: contact.id });
      await say(session.id, text);
      return session.id;
    },
    /** Signs an agent in and opens a page of the console. */
    async open(email: string, path: string, options: BrowserContextOptions & { width?: number } = {}) {
      const opened = await browser.open(await linkFor(email), options);
      opened.page.setDefaultTimeout(WAIT_MS);
      await opened.page.getByRole('navigation', { name: 'Areas' }).waitFor();
      await opened.page.goto(`${url}/console${path}`);
      await opened.page.getByRole('navigation', { name: 'Areas' }).waitFor();
      return opened;
    },
  };
}

/** Returns the rules that a page breaks, as axe sees it. */
export async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
}
