/** Why a page is not in the search index, or is there as an earlier crawl found it. */
export const PAGE_REASONS = [
  'other_site',
  'outside_path',
  'excluded_path',
  'not_included',
  'excluded_by_user',
  'page_limit',
  'too_deep',
  'repeated_path',
  'too_many_queries',
  'too_long_url',
  'robots',
  'robots_unreachable',
  'noindex',
  'redirect',
  'redirect_other_site',
  'redirect_loop',
  'canonical',
  'not_found',
  'forbidden',
  'http_error',
  'server_error',
  'busy',
  'timeout',
  'unreachable',
  'refused_address',
  'too_large',
  'too_slow_to_read',
  'unreadable',
  'unsupported_type',
  'script_only',
  'empty',
  'unseen',
  'removal_held',
] as const;
export type PageReason = (typeof PAGE_REASONS)[number];

/** Another try may end otherwise: what was known stays. */
const TRANSIENT: ReadonlySet<PageReason> = new Set([
  'server_error',
  'busy',
  'timeout',
  'unreachable',
  'robots_unreachable',
]);
export const isTransient = (reason: PageReason): boolean => TRANSIENT.has(reason);

/** The site says that the page is not to be here. */
const DELIBERATE: ReadonlySet<PageReason> = new Set([
  'other_site',
  'outside_path',
  'excluded_path',
  'not_included',
  'excluded_by_user',
  'page_limit',
  'too_deep',
  'repeated_path',
  'too_many_queries',
  'too_long_url',
  'robots',
  'noindex',
  'redirect',
  'redirect_other_site',
  'redirect_loop',
  'canonical',
]);

/** What the page counts as. */
export const statusOf = (reason: PageReason): 'excluded' | 'error' => (DELIBERATE.has(reason) ? 'excluded' : 'error');

/** Reasons for which a page that was stored is to leave the index. For others it stays as it was. */
const REMOVING: ReadonlySet<PageReason> = new Set([...DELIBERATE, 'not_found']);
export const isRemoving = (reason: PageReason): boolean => REMOVING.has(reason);

/** Of these, where too many come at once, somebody looks at them first: the site may just be out of order. */
export const SUSPICIOUS: PageReason[] = [
  'not_found',
  'unseen',
  'noindex',
  'robots',
  'redirect_other_site',
  'redirect_loop',
];
