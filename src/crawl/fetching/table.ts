/** Hosts are shared by all organizations, so that their combined request rate stays polite. */
export interface CrawlHostsTable {
  host: string;
  /** Time of the next allowed request. */
  next_at: Date;
}

export interface CrawlRobotsTable {
  origin: string;
  /** Empty if the file is missing: everything is allowed. */
  content: string;
  fetched_at: Date;
}

declare module '../../db/database.ts' {
  interface Database {
    crawl_hosts: CrawlHostsTable;
    crawl_robots: CrawlRobotsTable;
  }
}
