import robotsParser from 'robots-parser';
import { normalizeEscapes } from '../scope/urls.rules.ts';
import { rulesFor } from './robots-filter.rules.ts';

/** The name of our crawler. Rules for this name apply to us. */
export const USER_AGENT = 'SwitchboardBot';
/** The rest of a longer file is ignored (RFC 9309, 2.5). */
export const MAX_ROBOTS_BYTES = 500 * 1024;

const MAX_CRAWL_DELAY_MS = 60_000;

/** Its type declaration describes an ES module, but it is a CommonJS module. */
const createParser = robotsParser as unknown as typeof robotsParser.default;

/** The rules of a site's robots.txt (RFC 9309) for our crawler. */
export interface Robots {
  allows(url: URL): boolean;
  /** Delay between two requests. Null if the file sets none. */
  delayMs: number | null;
  sitemaps: string[];
}

/**
 * Parses a robots.txt of this origin. Escapes are normalized first: the parser compares them literally. It also treats
 * /robots.txt as an ordinary page.
 */
export function parseRobots(origin: string, content: string): Robots {
  const rules = rulesFor(USER_AGENT, content.replace(/^\uFEFF/, ''));
  const parser = createParser(`${origin}/robots.txt`, normalizeEscapes(rules));
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
