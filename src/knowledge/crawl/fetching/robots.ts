import robotsParser from 'robots-parser';
import { normalizeEscapes } from '../scope/urls.rules.ts';

/** How we introduce ourselves. Rules for this name are for us. */
export const USER_AGENT = 'SwitchboardBot';
/** More of a file is not read (RFC 9309, 2.5). */
export const MAX_ROBOTS_BYTES = 500 * 1024;

const MAX_CRAWL_DELAY_MS = 60_000;

/** Its declaration takes it for an ES module, which it is not. */
const createParser = robotsParser as unknown as typeof robotsParser.default;

/** What a site's robots.txt (RFC 9309) says to us. */
export interface Robots {
  allows(url: URL): boolean;
  /** Between two requests. Null: it does not say. */
  delayMs: number | null;
  sitemaps: string[];
}

/** Reads a robots.txt of this origin. The parser compares escapes as they are written and takes /robots.txt for a page like any other. */
export function parseRobots(origin: string, content: string): Robots {
  const parser = createParser(`${origin}/robots.txt`, normalizeEscapes(content.replace(/^\uFEFF/, '')));
  const seconds = parser.getCrawlDelay(USER_AGENT) ?? null;
  return {
    allows(url) {
      if (url.pathname === '/robots.txt') return true;
      return parser.isAllowed(origin + normalizeEscapes(url.pathname + url.search), USER_AGENT) !== false;
    },
    delayMs: seconds === null || seconds < 0 ? null : Math.min(seconds * 1_000, MAX_CRAWL_DELAY_MS),
    sitemaps: parser.getSitemaps(),
  };
}
