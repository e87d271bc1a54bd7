import { z } from 'zod';

/** The most characters of an article. */
export const MAX_CONTENT = 200_000;
const MAX_SPECIFICATION = 2_000_000;
const MAX_SLUG = 100;
const MAX_CHILDREN = 1_000;

const Text = (most: number) => z.string().max(most);
const Title = Text(500).refine((text) => text.trim() !== '', 'must not be blank');
const Slug = Text(MAX_SLUG)
  .regex(/^[^\s/?#%\\]+$/, 'must be one part of a path, such as getting-started: without spaces and any of / ? # % \\')
  .refine((slug) => slug !== '.' && slug !== '..', 'must be one part of a path, not the way up');

const HelpArticle = z
  .object({
    title: Title,
    slug: Slug,
    content_markdown: Text(MAX_CONTENT).nullish().describe('Kept as it is given.'),
    meta_title: Text(500).nullish(),
    meta_description: Text(2_000).nullish(),
  })
  .meta({ id: 'HelpCenterArticle' });

const HelpCategory = z
  .object({
    name: Title,
    slug: Slug.describe('No other category or article of the same parent may have it.'),
    description: Text(5_000).nullish(),
    icon: Text(2_000).nullish(),
    articles: z.array(HelpArticle).max(MAX_CHILDREN),
    get categories() {
      return z
        .array(HelpCategory)
        .max(MAX_CHILDREN)
        .optional()
        .describe('Nested as deep as a request may be: up to 31 levels.');
    },
  })
  .meta({ id: 'HelpCenterCategory' });

export type HelpArticle = z.infer<typeof HelpArticle>;
export interface HelpCategory {
  name: string;
  slug: string;
  description?: string | null | undefined;
  icon?: string | null | undefined;
  articles: HelpArticle[];
  categories?: HelpCategory[] | undefined;
}

const SPECIFICATION =
  '{"openapi":"3.1.0","info":{"title":"Shop","version":"1"},"paths":{"/refunds":{"post":{"summary":"Refund"}}}}';

export const SyncContentTree = z
  .object({
    categories: z.array(HelpCategory).max(MAX_CHILDREN),
    openapi_spec: Text(MAX_SPECIFICATION)
      .meta({
        description:
          'An OpenAPI 3 document as JSON or YAML, of at most 50,000 values, 2,000 operations and 64 references in a row. Each of its operations is found by searching.',
        examples: [SPECIFICATION],
      })
      .optional(),
  })
  .meta({
    id: 'SyncContentTree',
    examples: [
      {
        categories: [
          {
            name: 'Billing',
            slug: 'billing',
            articles: [{ title: 'Refunds', slug: 'refunds', content_markdown: '# Refunds\n\nWithin **30 days**.' }],
            categories: [{ name: 'Invoices', slug: 'invoices', description: null, articles: [] }],
          },
        ],
        openapi_spec: SPECIFICATION,
      },
    ],
  });
export type SyncContentTree = z.infer<typeof SyncContentTree>;

const Count = z.int().min(0);
const Counts = z.object({ created: Count, updated: Count, deleted: Count, unchanged: Count });

export const SyncedContent = Counts.extend({
  categories: Counts,
  operations: Counts.describe('Operations of the OpenAPI document.'),
})
  .describe('Numbers of articles created, updated, deleted and unchanged, then the same for categories and operations.')
  .meta({ id: 'SyncedContentTree' });

export const ContentTree = z
  .object({ categories: z.array(HelpCategory), openapi_spec: z.string().optional() })
  .meta({ id: 'ContentTree' });
