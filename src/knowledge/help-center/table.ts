import type { Generated } from 'kysely';

export interface HelpCentersTable {
  org_id: string;
  openapi_spec: string | null;
}

export interface HelpCenterCategoriesTable {
  org_id: string;
  id: string;
  parent_id: string | null;
  /** The slugs from the root on, joined by slashes. */
  path: string;
  slug: string;
  name: string;
  description: string | null;
  icon: string | null;
  position: number;
  hash: Buffer;
}

export interface HelpCenterArticlesTable {
  org_id: string;
  id: string;
  category_id: string;
  path: string;
  slug: string;
  title: string;
  content_markdown: string | null;
  meta_title: string | null;
  meta_description: string | null;
  position: number;
  hash: Buffer;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface HelpCenterOperationsTable {
  org_id: string;
  id: string;
  /** The method and the path, such as `POST /refunds`. */
  path: string;
  hash: Buffer;
}

declare module '../../db/database.ts' {
  interface Database {
    help_center_articles: HelpCenterArticlesTable;
    help_center_categories: HelpCenterCategoriesTable;
    help_center_operations: HelpCenterOperationsTable;
    help_centers: HelpCentersTable;
  }
}
