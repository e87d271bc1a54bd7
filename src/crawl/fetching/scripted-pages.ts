import type { CrawlBatch } from '../context.ts';
import type { Rendered } from '../rendering/renderer.ts';
import { parsePageUrl } from '../scope/urls.rules.ts';
import { type FetchedPage, fetchResource } from './pages.ts';
import { USER_AGENT } from './robots.ts';

/** Renders a fetched page in a browser. What its scripts ask for is fetched under the rules of crawls. */
export async function renderPage(
  { deps, robots }: Pick<CrawlBatch, 'deps' | 'robots'>,
  url: URL,
  { bytes, contentType }: FetchedPage,
): Promise<Rendered> {
  if (deps.renderer === undefined) return { problem: 'No Chromium is installed' };
  return deps.renderer.render({
    url: url.href,
    bytes,
    contentType,
    userAgent: USER_AGENT,
    async load(address, maxBytes) {
      const resource = parsePageUrl(address);
      if (resource === undefined) return undefined;
      const answer = await robots.of(resource);
      return 'robots' in answer && answer.robots.allows(resource)
        ? fetchResource(deps.egress, resource.href, maxBytes)
        : undefined;
    },
  });
}
