import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { type ContextOptions, openIn, type startBrowser } from './chromium.ts';
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

export interface MemberOptions extends ContextOptions {
  role?: 'admin' | 'agent' | 'viewer';
  /** Tells a browser from the other one of the same member. */
  browserName?: string;
}

/** Returns what tests do with the pages of the console on an installation. */
export function createPages({ url, org, partner }: Installation, browser: Awaited<ReturnType<typeof startBrowser>>) {
  const linkFor = async (email: string, orgId = org.id, role_ids?: string[]): Promise<string> =>
    (await partner.post(`/partner/v1/orgs/${orgId}/login-links`, { email, role_ids })).body.url;
  const roleId = async (role: string): Promise<string> => {
    const { body } = await org.get('/roles');
    return body.items.find(({ name }: { name: string }) => name === role).id;
  };
  /** Signed-in members by what their browser is like: their pages load the files of the console once. */
  const contexts = new Map<string, BrowserContext>();
  const contextOf = async (email: string, { role = 'agent', ...options }: MemberOptions): Promise<BrowserContext> => {
    const key = JSON.stringify([email, role, options]);
    const known = contexts.get(key);
    if (known !== undefined) return known;
    const { browserName: _, ...look } = options;
    const context = await browser.newContext(look);
    const { headers } = await fetch(await linkFor(email, org.id, [await roleId(role)]), { redirect: 'manual' });
    const [name = '', value = ''] = headers.getSetCookie()[0]?.split(';')[0]?.split('=') ?? [];
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
    contexts.set(key, context);
    return context;
  };
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
    /** Opens a page of the console as a member, an agent if nothing else is said. Close the page, not its context. */
    async open(email: string, path: string, options: MemberOptions = {}) {
      const opened = await openIn(await contextOf(email, options), `${url}/console${path}`);
      opened.page.setDefaultTimeout(WAIT_MS);
      await opened.page.getByRole('navigation', { name: 'Areas' }).waitFor();
      return opened;
    },
  };
}

/** Returns the rules that a page breaks, as axe sees it: all rules, or the named ones. */
export async function violationsIn(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  return page.evaluate(
    `axe.run(${JSON.stringify(rules === undefined ? {} : { runOnly: rules })}).then(({ violations }) => violations.map(({ id }) => id))`,
  );
}
