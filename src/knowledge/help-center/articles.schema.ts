import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';
import { FeedbackCounts } from './feedback/schema.ts';

export const ArticlesQuery = z.object({
  q: z
    .string()
    .max(500)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .optional()
    .describe('A question. Returns the best articles for it, best first, in one page.'),
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ArticlesQuery = z.infer<typeof ArticlesQuery>;

export const ArticleRef = z.object({ id: Id });

const ListedArticle = z
  .object({
    id: Id,
    title: z.string(),
    slug: z.string(),
    path: z.string().describe('The slugs of its categories and its own, joined by slashes.'),
    url: z.url().describe('Where anybody reads it.'),
    meta_title: z.string().nullable(),
    meta_description: z.string().nullable(),
    feedback: FeedbackCounts,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'ListedHelpCenterArticle' });

export const ArticleList = z.object({ items: z.array(ListedArticle), next: z.string().nullable() });
export const ShownArticle = ListedArticle.extend({ content_markdown: z.string().nullable() }).meta({
  id: 'ShownHelpCenterArticle',
});
