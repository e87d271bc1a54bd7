import type { Generated } from 'kysely';

export type JobStatus = 'pending' | 'scraping' | 'completed' | 'failed' | 'cancelled';

/** A sitemap that gave no address. */
export interface SitemapProblem {
  url: string;
  /** Why, as a sentence. */
  problem: string;
}

export interface CrawlJobsTable {
  org_id: string;
  id: string;
  datasource_id: string;
  /** The full site, or single pages without following their links. */
  kind: 'full' | 'pages';
  status: Generated<JobStatus>;
  started_at: Date | null;
  completed_at: Date | null;
  total_pages: Generated<number>;
  completed_pages: Generated<number>;
  new_pages: Generated<number>;
  updated_pages: Generated<number>;
  removed_pages: Generated<number>;
  unchanged_pages: Generated<number>;
  /** Removals deferred until a user's review, because there are too many. */
  held_pages: Generated<number>;
  /** URLs found after the limit of stored URLs was reached. */
  dropped_urls: Generated<number>;
  /** Pages were left out because of the datasource's page limit. */
  page_limit_reached: Generated<boolean>;
  sitemap_problems: Generated<SitemapProblem[]>;
  error_message: string | null;
  created_at: Generated<Date>;
}

export interface CrawlChangesTable {
  org_id: string;
  id: string;
  job_id: string;
  page_id: string;
  kind: 'new' | 'updated' | 'removed';
  url: string;
  title: string | null;
  /** Line diff of the text. */
  diff: string | null;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    crawl_changes: CrawlChangesTable;
    crawl_jobs: CrawlJobsTable;
  }
}
