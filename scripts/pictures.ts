/**
 * Takes the pictures of the README from what `npm start` runs: a conversation in the inbox, and the widget on a customer's
 * page. Adds conversations to the demo org, so start it on an empty data folder.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DevJson } from '../src/dev/stack.ts';
import { startBrowser } from '../test/support/chromium.ts';

const FOLDER = new URL('../docs/images/', import.meta.url);
const MAX_WAIT_MS = 60_000;
const POLL_MS = 500;
const AGENT = { email: 'ann@acme.example', name: 'Ann Lee' };

type Browser = Awaited<ReturnType<typeof startBrowser>>;
type Json = Record<string, unknown>;
type Call = (method: string, path: string, body?: object) => Promise<Json>;

interface Customer {
  name: string;
  channel: string;
  tags?: string[];
  /** What the customer writes. The AI answers each before the next one. */
  texts: string[];
}

const CUSTOMERS: Customer[] = [
  { name: 'Greta Lind', channel: 'web', texts: ['How do I change my password?'] },
  { name: 'Farid Haddad', channel: 'whatsapp', texts: ['Where is my parcel? It should have come yesterday.'] },
  { name: 'Emi Tanaka', channel: 'email', tags: ['invoice'], texts: ['My invoice has the wrong VAT number.'] },
  { name: 'Dimitri Petrov', channel: 'email', texts: ['Do you have a discount for students?'] },
  { name: 'Carla Nunes', channel: 'web', texts: ['How long does delivery take?'] },
  { name: 'Ada Moreau', channel: 'sms', tags: ['vip'], texts: ['The desk lamp flickers, is that normal?'] },
];
/** The one whose conversation is open. */
const OPENED: Customer = {
  name: 'Ben Okafor',
  channel: 'web',
  tags: ['refund'],
  texts: ['How do refunds work?', 'My lamp came broken. Can I talk to a person?'],
};

/** Returns a function that calls the API with a key. It throws if an answer is not 2xx. */
function callerOf(api: string, key: string): Call {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${api}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text || '{}') as Json;
  };
}

/** Opens a conversation and returns its id. On a channel of the AI, each text waits for what the AI does about it. */
async function converse(org: Call, { name, channel, tags = [], texts }: Customer): Promise<string> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@customer.example`;
  const { id: contact_id } = await org('POST', '/contacts', { contact: { name, email } });
  const { id } = await org('POST', '/chat/sessions', { contact_id, channel: { type: channel } });
  for (const tag_name of tags) await org('PUT', '/tags', { tag_name });
  if (tags.length > 0) await org('POST', `/chat/sessions/${id}/tags`, { tags });
  for (const [n, text] of texts.entries()) {
    await org('POST', `/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text } });
    if (channel === 'web') await untilAnswered(org, `${id}`, n + 1);
  }
  return `${id}`;
}

async function untilAnswered(org: Call, id: string, count: number): Promise<void> {
  for (const giveUpAt = Date.now() + MAX_WAIT_MS; Date.now() < giveUpAt; await sleep(POLL_MS)) {
    const { items } = (await org('GET', `/chat/sessions/${id}/history`)) as {
      items: { event: { turn_id?: string } }[];
    };
    if (items.filter(({ event }) => event.turn_id !== undefined).length >= count) return;
  }
  throw new Error(`The AI has not answered session ${id} after ${MAX_WAIT_MS / 1_000} s`);
}

async function takeInbox(browser: Browser, { api }: DevJson, signIn: string, session: string): Promise<void> {
  const { page } = await browser.open(signIn);
  await page.goto(`${api}/console/s/${session}?view=all`);
  await page.getByRole('textbox', { name: 'Reply' }).fill('Hello Ben, a new lamp leaves our warehouse today.');
  await page.getByText('Draft stored').waitFor();
  await page.screenshot({ path: new URL('console-inbox.png', FOLDER).pathname });
}

async function takeWidget(browser: Browser, { shop }: DevJson): Promise<void> {
  const { page } = await browser.open(shop);
  await page.locator('button.launcher').click();
  await page.getByRole('textbox').fill('How do I change my password?');
  await page.getByRole('textbox').press('Enter');
  await page.getByRole('list', { name: 'Sources' }).waitFor({ timeout: MAX_WAIT_MS });
  await page.screenshot({ path: new URL('widget.png', FOLDER).pathname });
}

if (import.meta.main) {
  const dev = JSON.parse(await readFile('.data/dev.json', 'utf8')) as DevJson;
  const [org, partner] = [callerOf(dev.api, dev.org_api_key), callerOf(dev.api, dev.partner_api_key)];
  await org('POST', '/sla/policies', { name: 'First reply', first_reply_target_seconds: 1_800 });
  const opened = await converse(org, OPENED);
  for (const customer of CUSTOMERS) await converse(org, customer);
  const { url } = await partner('POST', `/partner/v1/orgs/${dev.org_id}/login-links`, AGENT);
  const browser = await startBrowser();
  try {
    await takeInbox(browser, dev, `${url}`, opened);
    await takeWidget(browser, dev);
  } finally {
    await browser.close();
  }
}
