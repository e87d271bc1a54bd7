/** Hosts are the same for all organizations, so that they are polite together. */
export interface CrawlHostsTable {
  host: string;
  /** The next request may go out then. */
  next_at: Date;
}

export interface CrawlRobotsTable {
  origin: string;
  /** There is no such file: all is allowed. */
  content: string;
  fetched_at: Date;
}

declare module '../../../db/database.ts' {
  interface Database {
    crawl_hosts: CrawlHostsTable;
    crawl_robots: CrawlRobotsTable;
  }
}
