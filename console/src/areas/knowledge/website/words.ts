import type { Crawl, CrawlPage } from '../../../api/knowledge';

type ChipTone = 'plain' | 'warn' | 'bad' | 'good';

export const CRAWL_STATES: Record<Crawl['status'], { name: string; tone: ChipTone }> = {
  pending: { name: 'Waiting', tone: 'plain' },
  scraping: { name: 'Running', tone: 'plain' },
  completed: { name: 'Completed', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  cancelled: { name: 'Canceled', tone: 'warn' },
};

/**
 * Returns whether a later crawl has checked a crawl's held pages again. Pages it still holds are decided there. The crawls
 * are given with the newest first.
 */
export function isSuperseded(crawl: Crawl, crawls: Crawl[]): boolean {
  const later = crawls.slice(
    0,
    crawls.findIndex(({ id }) => id === crawl.id),
  );
  return crawl.held_pages > 0 && later.some((one) => one.status === 'completed' || one.held_pages > 0);
}

export const isUnderWay = ({ status }: Crawl): boolean => status === 'pending' || status === 'scraping';

export const PAGE_STATES: Record<CrawlPage['status'], { name: string; tone: ChipTone }> = {
  synced: { name: 'Known', tone: 'good' },
  pending: { name: 'Waiting', tone: 'plain' },
  error: { name: 'Failed', tone: 'bad' },
  excluded: { name: 'Left out', tone: 'plain' },
  removed: { name: 'Removed', tone: 'warn' },
};

/** Why a page is not known, in words. */
export const REASONS: Record<NonNullable<CrawlPage['reason']>, string> = {
  other_site: 'On another site',
  outside_path: 'Outside the path of the website',
  excluded_path: 'Its path is excluded',
  not_included: 'Its path is not included',
  excluded_by_user: 'Excluded by hand',
  page_limit: 'Beyond the page limit',
  crawl_cancelled: 'The crawl was canceled before',
  too_deep: 'Too many links from the start',
  repeated_path: 'Its path repeats itself',
  too_many_queries: 'Too many variants of one path',
  too_long_url: 'Its address is too long',
  robots: 'robots.txt forbids it',
  robots_unreachable: 'robots.txt could not be read',
  noindex: 'The page asks not to be indexed',
  redirect: 'Redirects to another page',
  redirect_other_site: 'Redirects to another site',
  redirect_loop: 'Redirects in a circle',
  canonical: 'Another page is the original',
  session_id: 'Its address has a session',
  soft_not_found: 'Says that it does not exist',
  not_found: 'Not found',
  forbidden: 'Access refused',
  http_error: 'The server refused it',
  server_error: 'The server failed',
  busy: 'The server was busy',
  timeout: 'The server did not answer in time',
  unreachable: 'The server could not be reached',
  refused_address: 'Its address is not allowed',
  too_large: 'Too large',
  too_slow_to_read: 'Took too long to read',
  unreadable: 'Could not be read',
  unsupported_type: 'Is no page and no text',
  script_only: 'Shows nothing without scripts',
  empty: 'Has no text',
  unseen: 'No page links to it any more',
  removal_held: 'Gone, and kept until somebody decides',
};

/** Returns a detail in words. For a page with a held removal it is the reason why the page seems to be gone. */
export const shownDetail = (detail: string | null): string | null =>
  detail !== null && Object.hasOwn(REASONS, detail) ? REASONS[detail as keyof typeof REASONS] : detail;
