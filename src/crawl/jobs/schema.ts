import { z } from 'zod';
import { Cursor, eventsOf, Id, Timestamp } from '../../schemas/parts.ts';

export const JobPath = z.object({ id: Id.describe('The datasource.'), jobId: Id });

export const ListJobs = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

export const CrawlJob = z
  .object({
    id: Id,
    datasource_id: Id,
    kind: z.enum(['full', 'pages']).describe('pages: certain pages, whose links are not followed.'),
    status: z.enum(['pending', 'scraping', 'completed', 'failed', 'cancelled']),
    started_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
    total_pages: z.int().describe('Completed and waiting pages known so far.'),
    completed_pages: z.int(),
    new_pages: z.int(),
    updated_pages: z.int(),
    removed_pages: z.int(),
    unchanged_pages: z.int(),
    held_pages: z
      .int()
      .describe(
        'Gone from the site, but kept until reviewed, because there are too many at once. A later crawl counts them again.',
      ),
    dropped_urls: z
      .int()
      .describe(
        'URLs found beyond a limit: 50,000 of the datasource, 10,000 links of a page, 50 sitemaps with 50,000 URLs each. If there are any, no page is removed for not being found.',
      ),
    page_limit_reached: z.boolean().describe('Pages were left out because of the datasource’s `page_limit`.'),
    sitemap_problems: z
      .array(z.object({ url: z.string(), problem: z.string() }))
      .describe('Sitemaps that gave no address, and why.'),
    error_message: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'CrawlJob' });

/** Serializes a CrawlJob as JSON. */
export const crawlJobJson = (job: z.output<typeof CrawlJob>): string => JSON.stringify(z.encode(CrawlJob, job));

export const CrawlJobPage = z.object({ items: z.array(CrawlJob), next: z.string().nullable() });

const ChangeKind = z.enum(['new', 'updated', 'removed']);

export const ListChanges = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  kind: ChangeKind.optional(),
});
export type ListChanges = z.infer<typeof ListChanges>;

export const CrawlChangePage = z.object({
  items: z.array(
    z
      .object({
        id: Id,
        page_id: Id,
        kind: ChangeKind,
        url: z.string(),
        title: z.string().nullable(),
        diff: z
          .string()
          .nullable()
          .describe(
            'Line diff of an updated page’s text. Null if nearly all of it changed. A long one ends with a line that begins with \\ and says how much was left out.',
          ),
        created_at: Timestamp,
      })
      .meta({ id: 'CrawlChange' }),
  ),
  next: z.string().nullable(),
});

export const Affected = z.object({ affected: z.int() });

/** The OpenAPI description of a crawl's event stream. */
export const CrawlEvents = {
  description:
    'Server-sent events (WHATWG HTML): `event` is `progress`, `data` the CrawlJob as JSON, whenever it has changed. Ends with the crawl.',
  content: { 'text/event-stream': { schema: z.string().meta(eventsOf('CrawlJob')) } },
};
