import { z } from 'zod';
import { Cursor, Id, Name, Timestamp } from '../../schemas/parts.ts';
import { CrawlJob } from '../jobs/schema.ts';
import { MAX_PATTERN_LENGTH, problemOfPattern } from '../scope/patterns.rules.ts';
import { MAX_URL_LENGTH, parsePageUrl } from '../scope/urls.rules.ts';

const MAX_PATTERNS = 100;
/** A hundred years. */
const MAX_INTERVAL_HOURS = 876_000;

const NO_URL = 'must be an http or https URL without user name and password, such as https://docs.example.com/';

/** The address of a page, as written by the user. */
export const SiteUrl = z
  .string()
  .min(1)
  .max(MAX_URL_LENGTH, { abort: true })
  .regex(/^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/i, { error: NO_URL, abort: true })
  .refine((text) => parsePageUrl(text) !== undefined, NO_URL);

const PathPattern = z
  .string()
  .min(1)
  .max(MAX_PATTERN_LENGTH, { abort: true })
  .regex(/^=?\//, 'must begin with / or =/, as in /docs, =/docs or /docs/*/intro')
  .check((context) => {
    const problem = problemOfPattern(context.value);
    if (problem !== undefined) context.issues.push({ code: 'custom', input: context.value, message: problem });
  });
const Patterns = z.array(PathPattern).max(MAX_PATTERNS);
const PATTERN_SYNTAX =
  '`/docs` is that path and all below it, `=/docs` just that; `*` is anything within a segment, `**` across segments.';

const DisplayName = Name.describe('The host’s name when absent.');
const PageLimit = z
  .int()
  .min(1)
  .max(5_000)
  .nullable()
  .describe('How many pages are stored at most, after the filters. Null: no limit.');
const Excluded = Patterns.describe(`Paths that are not fetched, whatever else they match. ${PATTERN_SYNTAX}`);
const Included = Patterns.describe(`Only these paths are stored, in place of the start URL’s. ${PATTERN_SYNTAX}`);
const Interval = z.int().min(24).max(MAX_INTERVAL_HOURS).nullable().describe('Null: crawls are started by hand.');

const Rendering = z
  .enum(['never', 'auto'])
  .describe(
    'auto: a page that is little more than scripts is read as a browser shows it, where Chromium is installed. Otherwise its reason is `script_only`.',
  );

export const CreateWebsiteDatasource = z
  .object({
    url: SiteUrl.describe(
      'Where the crawl begins. Its host is crawled, and of that its path and what is below, if it has one.',
    ),
    display_name: DisplayName.optional(),
    page_limit: PageLimit.default(100),
    exclude_paths: Excluded.default([]),
    include_paths: Included.default([]),
    crawl_interval_hours: Interval.default(168),
    rendering: Rendering.default('auto'),
    auto_start_crawl: z.boolean().default(true),
  })
  .meta({
    id: 'CreateWebsiteDatasource',
    examples: [
      { url: 'https://docs.example.com/', display_name: 'Documentation', exclude_paths: ['/blog', '/**/print'] },
    ],
  });
export type CreateWebsiteDatasource = z.infer<typeof CreateWebsiteDatasource>;

export const UpdateWebsiteDatasource = z
  .object({
    display_name: Name.optional(),
    page_limit: PageLimit.optional(),
    exclude_paths: Excluded.optional(),
    include_paths: Included.optional(),
    crawl_interval_hours: Interval.optional(),
    rendering: Rendering.optional(),
    status: z
      .enum(['active', 'paused'])
      .optional()
      .describe('paused: no crawl begins, and one that is under way waits.'),
  })
  .meta({ id: 'UpdateWebsiteDatasource', examples: [{ page_limit: 500, exclude_paths: ['/archive'] }] });
export type UpdateWebsiteDatasource = z.infer<typeof UpdateWebsiteDatasource>;

export const DatasourcePath = z.object({ id: Id });

export const ListDatasources = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

const shape = {
  id: Id,
  url: z.string(),
  display_name: z.string(),
  status: z.enum(['active', 'paused']),
  scope: z
    .object({ host: z.string(), path: z.string() })
    .describe('What is crawled: this host, this path and what is below it. include_paths take the path’s place.'),
  page_limit: z.int().nullable(),
  exclude_paths: z.array(z.string()),
  include_paths: z.array(z.string()),
  crawl_interval_hours: z.int().nullable(),
  rendering: Rendering,
  ignored_parameters: z
    .array(z.string())
    .describe('Query parameters that change no page, such as session ids: addresses are kept without them.'),
  last_crawl_started_at: Timestamp.nullable(),
  last_crawl_completed_at: Timestamp.nullable(),
  error_message: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Datasource = z.object(shape).meta({ id: 'WebsiteDatasource' });

export const DatasourceDetails = z
  .object({
    ...shape,
    page_stats: z.object({
      total: z.int(),
      synced: z.int(),
      pending: z.int(),
      error: z.int(),
      excluded: z.int(),
    }),
    active_crawl_job: CrawlJob.nullable(),
  })
  .meta({ id: 'WebsiteDatasourceDetails' });

export const DatasourcePage = z.object({ items: z.array(Datasource), next: z.string().nullable() });
