/** Reasons for a page's absence from the search index, or for its unchanged content from an earlier crawl. */
export const PAGE_REASONS = [
  'other_site',
  'outside_path',
  'excluded_path',
  'not_included',
  'excluded_by_user',
  'page_limit',
  'crawl_cancelled',
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
  'session_id',
  'soft_not_found',
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

/** A retry may succeed, so the stored content stays. */
const TRANSIENT: ReadonlySet<PageReason> = new Set([
  'server_error',
  'busy',
  'timeout',
  'unreachable',
  'robots_unreachable',
]);
export const isTransient = (reason: PageReason): boolean => TRANSIENT.has(reason);

/** The site, a setting or a user excludes the page on purpose. */
const DELIBERATE: ReadonlySet<PageReason> = new Set([
  'other_site',
  'outside_path',
  'excluded_path',
  'not_included',
  'excluded_by_user',
  'page_limit',
  'crawl_cancelled',
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
  'session_id',
  'soft_not_found',
]);

/** Returns the page status for a reason. */
export const statusOf = (reason: PageReason): 'excluded' | 'error' => (DELIBERATE.has(reason) ? 'excluded' : 'error');

/** Reasons to remove a stored page from the index. For other reasons it stays unchanged. */
const REMOVING: ReadonlySet<PageReason> = new Set([...DELIBERATE, 'not_found']);
export const isRemoving = (reason: PageReason): boolean => REMOVING.has(reason);

/** Removals to be reviewed by a user if too many come at once: the site may only be broken. */
export const SUSPICIOUS: PageReason[] = [
  'not_found',
  'soft_not_found',
  'unseen',
  'noindex',
  'robots',
  'redirect_other_site',
  'redirect_loop',
];
