import type { PreparedItem } from '../../knowledge/index/service.ts';
import { NO_LINKS, type PageLinks } from '../queue/discovered-links.rules.ts';
import type { LeasedPage } from '../queue/shared.queries.ts';
import { isRemoving, isTransient, statusOf } from '../reasons.rules.ts';
import type { VisitedPage } from './shared.queries.ts';
import type { Visit, VisitResult } from './visit-results.rules.ts';

const RETRY_MS = 5_000;
const MAX_TRIES = 3;
const MAX_SLOW_TRIES = 2;
const MAX_BUSY_TRIES = 6;
/** Consecutive crawls without a page before its removal. */
const MAX_MISSING_CRAWLS = 2;

export interface VisitOutcome {
  row: VisitedPage;
  /** The effect on the search index. `later` if another attempt follows. */
  change: 'new' | 'updated' | 'unchanged' | 'none' | 'later';
  links: PageLinks;
  /** The new or updated item for the search index. */
  item?: PreparedItem | undefined;
}

/** Returns the new state of a page's row after a visit. `isDouble`: its original is stored instead. */
export function outcomeOf(
  { page, url, httpStatus, result }: Visit,
  fetchedWith: string,
  isDouble: boolean,
): VisitOutcome {
  const base = { ...rowOf(page), url, http_status: httpStatus };
  switch (result.kind) {
    case 'unchanged':
      return {
        row: { ...base, ...STORED_STATE, gone_count: 0 },
        change: 'unchanged',
        links: { urls: page.links, cut: 0 },
      };
    case 'scripted':
      return { row: { ...base, is_to_render: true, again_in_ms: 0 }, change: 'later', links: result.links };
    case 'moved':
      return removalOutcome(page, { ...base, leads_to: result.to.key, detail: result.to.url }, result.reason, NO_LINKS);
    case 'none':
      return missingOutcome(page, base, result);
    case 'content': {
      const { content, duplicateOf } = result;
      if (isDouble && duplicateOf !== null) {
        return removalOutcome(
          page,
          { ...base, leads_to: duplicateOf.key, detail: duplicateOf.url },
          'canonical',
          content.links,
        );
      }
      const { item } = content;
      const row: VisitedPage = {
        ...base,
        ...STORED_STATE,
        detail: content.readPart,
        gone_count: 0,
        title: content.title,
        language: content.language,
        links: content.links.urls,
        etag: content.etag,
        last_modified: content.lastModified,
        raw_hash: content.rawHash,
        text_hash: content.textHash,
        similarity: content.similarity,
        // Null: the next crawl reads again, because it counts links beyond the limit and says what it does not read, or
        // because scripts bring the text.
        fetched_with: content.links.cut > 0 || content.isRendered || content.readPart !== null ? null : fetchedWith,
        markdown: item === undefined ? undefined : content.markdown,
      };
      const change = item === undefined ? 'unchanged' : page.is_stored ? 'updated' : 'new';
      return { row, change, links: content.links, item };
    }
  }
}

const STORED_STATE = {
  status: 'synced',
  reason: null,
  detail: null,
  leads_to: null,
  removal: null,
  is_stored: true,
} as const;

function missingOutcome(
  page: LeasedPage,
  base: VisitedPage,
  { reason, detail, links, retryAfterMs }: Extract<VisitResult, { kind: 'none' }>,
): VisitOutcome {
  const tries = page.tries + 1;
  const most = reason === 'busy' ? MAX_BUSY_TRIES : reason === 'timeout' ? MAX_SLOW_TRIES : MAX_TRIES;
  if (isTransient(reason) && reason !== 'robots_unreachable' && tries < most) {
    const again_in_ms = retryAfterMs ?? RETRY_MS * 3 ** page.tries;
    return { row: { ...base, reason, detail, tries, again_in_ms }, change: 'later', links: NO_LINKS };
  }
  if (reason === 'not_found') return goneOutcome(page, { ...base, detail }, links);
  return removalOutcome(page, { ...base, detail }, reason, links);
}

function goneOutcome(page: LeasedPage, base: VisitedPage, links: PageLinks): VisitOutcome {
  const gone_count = page.gone_count + 1;
  const isKept = page.is_stored && gone_count < MAX_MISSING_CRAWLS;
  if (!isKept) return removalOutcome(page, { ...base, gone_count }, 'not_found', links);
  return { row: { ...base, gone_count, reason: 'not_found' }, change: 'none', links };
}

/** Schedules a page for removal at the end of the crawl, or keeps it unchanged if the reason is not one for removal. */
function removalOutcome(
  page: LeasedPage,
  base: VisitedPage,
  reason: NonNullable<VisitedPage['reason']>,
  links: PageLinks,
): VisitOutcome {
  if (!page.is_stored) return { row: { ...base, status: statusOf(reason), reason }, change: 'none', links };
  return { row: { ...base, reason, removal: isRemoving(reason) ? reason : page.removal }, change: 'none', links };
}

const hex = (bytes: Buffer | null) => bytes?.toString('hex') ?? null;

const rowOf = (page: LeasedPage): VisitedPage => ({
  id: page.id,
  url: page.url,
  status: page.is_stored ? 'synced' : page.status,
  reason: null,
  detail: null,
  leads_to: null,
  title: page.title,
  due_at: page.due_at,
  again_in_ms: null,
  tries: page.tries,
  is_to_render: false,
  is_forced: false,
  is_stored: page.is_stored,
  removal: page.removal,
  gone_count: page.gone_count,
  http_status: page.http_status,
  etag: page.etag,
  last_modified: page.last_modified,
  fetched_with: page.fetched_with,
  raw_hash: hex(page.raw_hash),
  text_hash: hex(page.text_hash),
  similarity: hex(page.similarity),
  language: page.language,
  links: page.links,
});
