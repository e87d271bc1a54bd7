import type { TestOrg } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Body = any;

/** Adds a datasource, starting its crawl at once, and waits until the crawl has ended. */
export async function crawlSite(org: TestOrg, input: object): Promise<{ id: string; job: Body }> {
  const { status, body } = await org.post('/crawl', input);
  if (status !== 201) throw new Error(`The api answered ${status}: ${JSON.stringify(body)}`);
  return { id: body.id, job: await untilCrawled(org, body.id) };
}

/** Crawls again. */
export async function crawlAgain(org: TestOrg, id: string): Promise<Body> {
  const { status, body } = await org.post(`/crawl/${id}/crawls`);
  if (status !== 201) throw new Error(`The api answered ${status}: ${JSON.stringify(body)}`);
  return untilCrawled(org, id);
}

/** Waits until no crawl is running, and returns the last one. */
export function untilCrawled(org: TestOrg, id: string): Promise<Body> {
  return eventually('the end of the crawl', async () => {
    const { items } = (await org.get(`/crawl/${id}/crawls?limit=100`)).body;
    const last = items.at(-1);
    return !['pending', 'scraping'].includes(last.status) && last;
  });
}

/** Returns all pages of a datasource. */
export async function pagesOf(org: TestOrg, id: string, query = ''): Promise<Body[]> {
  const pages: Body[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await org.get(`/crawl/${id}/pages?limit=100${query}${cursor}`);
    pages.push(...body.items);
    if (body.next === null) return pages;
    cursor = `&cursor=${encodeURIComponent(body.next)}`;
  }
}

/** Returns the result of each path: `synced` or the reason. */
export async function outcomesOf(org: TestOrg, id: string): Promise<Record<string, string>> {
  const pages = await pagesOf(org, id);
  return Object.fromEntries(
    pages.map(({ url, status, reason }) => {
      const { pathname, search } = new URL(url);
      return [pathname + search, reason === null ? status : status === 'synced' ? `synced, ${reason}` : reason];
    }),
  );
}
