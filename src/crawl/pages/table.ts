import type { ColumnType, Generated } from 'kysely';
import type { PageReason } from '../reasons.rules.ts';

type Texts = ColumnType<string[], string[] | undefined, string[]>;

export type PageStatus = 'pending' | 'synced' | 'error' | 'excluded' | 'removed';

export interface CrawlPagesTable {
  org_id: string;
  /** The knowledge item has the same id. */
  id: string;
  datasource_id: string;
  /** Shared by all URLs of the page. */
  url_key: string;
  /** `url_key` without the query. */
  path_key: string;
  url: string;
  /** A user's choice, valid for all crawls. */
  choice: 'excluded' | 'included' | 'deleted' | null;
  status: Generated<PageStatus>;
  reason: PageReason | null;
  /** Details of the reason, such as the target URL of a redirect. Without a reason: which part of a long text is read. */
  detail: string | null;
  title: string | null;
  /** Number of links from the start URL to this page. */
  depth: number;
  found_on: string | null;
  /** The key of the page's redirect target or canonical page. */
  leads_to: string | null;
  /** Number of consecutive redirects before this page. */
  redirects: Generated<number>;
  is_queued: Generated<boolean>;
  /** The last crawl with this page in its queue. */
  job_id: string | null;
  /** The last crawl with a link or sitemap entry for this page. */
  found_in: string | null;
  /** The batch currently visiting the page. */
  lease: number | null;
  /** It waits for a browser. */
  is_to_render: Generated<boolean>;
  due_at: Generated<Date>;
  tries: Generated<number>;
  /** To be fetched fully, without a conditional request. */
  is_forced: Generated<boolean>;
  /** It is in the search index. */
  is_stored: Generated<boolean>;
  /** The reason to remove it from the search index at the end of the crawl. */
  removal: PageReason | null;
  /** Consecutive crawls without finding it. */
  gone_count: Generated<number>;
  /** Consecutive complete crawls without a link to it. */
  unseen_count: Generated<number>;
  http_status: number | null;
  etag: string | null;
  last_modified: string | null;
  /** Versions of settings and extractor at the last fetch. */
  fetched_with: string | null;
  raw_hash: Buffer | null;
  text_hash: Buffer | null;
  /** The hash of title and text without the queries of its links. */
  similarity: Buffer | null;
  markdown: string | null;
  language: string | null;
  links: Texts;
  last_crawled_at: Date | null;
  last_changed_at: Date | null;
  /** When it last left the search index by a crawl. It stays if the page comes back. */
  removed_at: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    crawl_pages: CrawlPagesTable;
  }
}
