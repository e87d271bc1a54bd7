import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';
import { SiteUrl } from '../datasources/schema.ts';
import { PAGE_REASONS } from '../reasons.rules.ts';

const PageStatus = z.enum(['pending', 'synced', 'error', 'excluded', 'removed']);

export const ListPages = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  status: PageStatus.optional(),
  reason: z.enum(PAGE_REASONS).optional(),
  q: z.string().min(1).max(500).optional().describe('Text in the URL or the title, ignoring case.'),
});
export type ListPages = z.infer<typeof ListPages>;

const CrawlPage = z
  .object({
    id: Id,
    datasource_id: Id,
    url: z.string(),
    title: z.string().nullable(),
    status: PageStatus.describe(
      'synced: in the knowledge. removed: it was in the knowledge, but no longer exists on the site.',
    ),
    reason: z
      .enum(PAGE_REASONS)
      .nullable()
      .describe(
        'Why the page is not in the knowledge; of a synced page, why it is there as an earlier crawl found it.',
      ),
    detail: z
      .string()
      .nullable()
      .describe(
        'Details of the reason, such as the target URL of a redirect. Of a stored page: which part of a very long text is read.',
      ),
    http_status: z.int().nullable(),
    language: z.string().nullable(),
    depth: z.int().describe('Links from the start URL to here.'),
    found_on: z.string().nullable().describe('The page or sitemap that led here first.'),
    last_crawled_at: Timestamp.nullable(),
    last_changed_at: Timestamp.nullable(),
    removed_at: Timestamp.nullable().describe('Since when a removed page is.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'CrawlPage' });

export const CrawlPagePage = z.object({ items: z.array(CrawlPage), next: z.string().nullable() });

const PageIds = z.array(Id).min(1).max(100);

export const BulkPageAction = z.object({ page_ids: PageIds }).meta({ id: 'BulkPageAction' });

export const DeletePages = z
  .object({
    page_ids: PageIds,
    delete_kb_items: z.boolean().default(false).describe('Takes them out of the knowledge as well.'),
  })
  .meta({ id: 'DeletePages' });
export type DeletePages = z.infer<typeof DeletePages>;

export const SyncPageByUrl = z
  .object({ url: SiteUrl })
  .meta({ id: 'SyncPageByUrl', examples: [{ url: 'https://docs.example.com/intro' }] });
