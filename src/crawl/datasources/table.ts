import type { ColumnType, Generated } from 'kysely';

type Texts = ColumnType<string[], string[] | undefined, string[]>;

export interface DatasourcesTable {
  org_id: string;
  id: string;
  url: string;
  display_name: string;
  status: Generated<'active' | 'paused'>;
  page_limit: number | null;
  exclude_paths: Texts;
  include_paths: Texts;
  crawl_interval_hours: number | null;
  /** Whether pages made by scripts are rendered. */
  rendering: Generated<'never' | 'auto'>;
  /** Query parameters that were recognised as not changing any page. */
  ignored_parameters: Texts;
  /** The host with and without "www." is the same site: one redirects to the other. */
  includes_www: Generated<boolean>;
  /** Incremented by changes after which every page must be fetched again. */
  settings_version: Generated<number>;
  last_crawl_started_at: Date | null;
  last_crawl_completed_at: Date | null;
  error_message: string | null;
  /** Set while its pages are being deleted. */
  deleted_at: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    datasources: DatasourcesTable;
  }
}
