import { z } from 'zod';
import { Id, Timestamp } from '../../schemas/parts.ts';

const MAX_LENGTH = 100;
const MAX_DESCRIPTION = 500;

/** Trimmed once parsed. */
export const TagName = z
  .string()
  .min(1)
  .max(MAX_LENGTH)
  .trim()
  .refine((name) => name !== '', 'must not be blank')
  .describe('Surrounding white space is removed. Names that differ only in letter case are the same tag.');

const ExcludeFromAutoTagging = z.boolean().describe('Whether the AI never applies it by itself.');

const Description = z
  .string()
  .max(MAX_DESCRIPTION)
  .nullable()
  .describe('What the tag is for. A connected model suggests it by that.');

const CategoryId = z.uuid('must be the id of a tag category: GET /tags/categories lists them').toLowerCase().nullable();

export const UpsertTag = z
  .object({
    tag_name: TagName,
    exclude_from_auto_tagging: ExcludeFromAutoTagging.default(false),
    description: Description.optional().describe('Absent: it stays. null: none.'),
    category_id: CategoryId.optional().describe('The category of the tag. Absent: it stays. null: none.'),
  })
  .meta({
    id: 'UpsertTag',
    examples: [
      { tag_name: 'refund' },
      { tag_name: 'VIP', exclude_from_auto_tagging: true, description: 'Customers with a contract' },
    ],
  });
export type UpsertTag = z.infer<typeof UpsertTag>;

export const TagPath = z.object({ tag_name: TagName });

export const Tag = z
  .object({
    tag_name: z.string().describe('As it was written last.'),
    exclude_from_auto_tagging: ExcludeFromAutoTagging,
    description: Description,
    category_id: Id.nullable().describe('The category of the tag. null: none.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Tag' });

export const ListTags = z.object({
  category_id: z.literal('none').or(Id).optional().describe('Only tags of this category, or `none`: of no category.'),
});
export type ListTags = z.infer<typeof ListTags>;

export const AutoTagging = z
  .object({ enabled: z.boolean().describe('Whether the AI applies tags by itself. Off until set.') })
  .meta({ id: 'AutoTagging', examples: [{ enabled: true }] });
