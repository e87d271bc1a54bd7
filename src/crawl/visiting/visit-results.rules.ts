import type { PreparedItem } from '../../knowledge/index/service.ts';
import type { CrawlBatch } from '../context.ts';
import { NO_LINKS, type PageLinks } from '../queue/discovered-links.rules.ts';
import type { LeasedPage } from '../queue/shared.queries.ts';
import type { PageReason } from '../reasons.rules.ts';
import { keysOf } from '../scope/urls.rules.ts';

const MAX_REDIRECTS = 5;

export interface PageContent {
  title: string;
  markdown: string;
  language: string | null;
  links: PageLinks;
  etag: string | null;
  lastModified: string | null;
  rawHash: string;
  /** A browser has run its scripts. */
  isRendered: boolean;
  textHash: string;
  similarity: string;
  /** Which part of its text is read. Null: all of it. */
  readPart: string | null;
  /** The item for the search index. Undefined: title and text are unchanged. */
  item: PreparedItem | undefined;
}

/** A page of the same site, linked from another page as its redirect target or original. */
export interface PageTarget {
  url: string;
  key: string;
}

/** What a visit found. */
export type VisitResult =
  | { kind: 'content'; content: PageContent; duplicateOf: PageTarget | null }
  | { kind: 'unchanged' }
  /** A browser is to run its scripts. */
  | { kind: 'scripted'; links: PageLinks }
  | { kind: 'moved'; to: PageTarget; reason: 'redirect' }
  /** `links`: links to follow anyway. */
  | { kind: 'none'; reason: PageReason; detail: string | null; links: PageLinks; retryAfterMs: number | null };

export interface Visit {
  page: LeasedPage;
  /** The URL after redirects within the same page. */
  url: string;
  httpStatus: number | null;
  result: VisitResult;
}

/** Returns the result of a visit without content to store. */
export const noContent = (reason: PageReason, detail: string | null = null, links = NO_LINKS): VisitResult => ({
  kind: 'none',
  reason,
  detail,
  links,
  retryAfterMs: null,
});

/** Returns the result of a page that leads to another one. */
export function movedResult({ site }: CrawlBatch, page: LeasedPage, to: URL): VisitResult {
  if (!site.isOnSite(to)) return noContent('redirect_other_site', to.href);
  if (page.redirects >= MAX_REDIRECTS) return noContent('redirect_loop', to.href);
  const target = site.clean(to);
  return { kind: 'moved', reason: 'redirect', to: { url: target.href, key: keysOf(target).key } };
}
