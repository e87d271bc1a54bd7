import type { ColumnType, Generated } from 'kysely';
import type { PageReason } from '../reasons.rules.ts';

type Texts = ColumnType<string[], string[] | undefined, string[]>;

export type PageStatus = 'pending' | 'synced' | 'error' | 'excluded' | 'removed';

export interface CrawlPagesTable {
  org_id: string;
  /** The knowledge item's as well. */
  id: string;
  datasource_id: string;
  /** The same for all URLs of one page. */
  url_key: string;
  /** The same without the query. */
  path_key: string;
  url: string;
  /** What a user said: it stays so over all crawls. */
  choice: 'excluded' | 'included' | 'deleted' | null;
  status: Generated<PageStatus>;
  reason: PageReason | null;
  /** What the reason is about, as the URL that a redirect leads to. */
  detail: string | null;
  title: string | null;
  /** Links from the start URL to here. */
  depth: number;
  found_on: string | null;
  /** The page that it redirects to or calls itself a double of, by its key. */
  leads_to: string | null;
  /** One after the other, that led here. */
  redirects: Generated<number>;
  is_queued: Generated<boolean>;
  /** The last crawl in whose queue it was. */
  job_id: string | null;
  /** The last crawl in which a link or a sitemap named it. */
  found_in: string | null;
  /** The batch that has it under way. */
  lease: number | null;
  due_at: Generated<Date>;
  tries: Generated<number>;
  /** To be fetched and read anew, whatever its server says of changes. */
  is_forced: Generated<boolean>;
  /** It is in the search index. */
  is_stored: Generated<boolean>;
  /** Why it is to leave the search index when the crawl is over. */
  removal: PageReason | null;
  /** Crawls in a row in which it was not there. */
  gone_count: Generated<number>;
  /** Whole crawls in a row in which nothing led to it. */
  unseen_count: Generated<number>;
  http_status: number | null;
  etag: string | null;
  last_modified: string | null;
  /** Settings and extractor of the last fetch. */
  fetched_with: string | null;
  raw_hash: Buffer | null;
  text_hash: Buffer | null;
  markdown: string | null;
  language: string | null;
  links: Texts;
  last_crawled_at: Date | null;
  last_changed_at: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../../db/database.ts' {
  interface Database {
    crawl_pages: CrawlPagesTable;
  }
}
