import { z } from 'zod';
import { Id, Timestamp } from '../../schemas/parts.ts';

const MAX_NAME = 100;
const MAX_DESCRIPTION = 500;

/** Trimmed once parsed. */
const CategoryName = z
  .string()
  .min(1)
  .max(MAX_NAME)
  .trim()
  .refine((name) => name !== '', 'must not be blank')
  .describe('Surrounding white space is removed. Two categories differ in more than letter case.');

const Description = z.string().max(MAX_DESCRIPTION).nullable();

export const CreateTagCategory = z
  .object({ name: CategoryName, description: Description.default(null) })
  .meta({ id: 'CreateTagCategory', examples: [{ name: 'Topic', description: 'What the contact writes about' }] });
export type CreateTagCategory = z.infer<typeof CreateTagCategory>;

/** Absent fields stay unchanged. */
export const UpdateTagCategory = z
  .object({ name: CategoryName.optional(), description: Description.optional().describe('null: none.') })
  .refine(({ name, description }) => name !== undefined || description !== undefined, {
    error: 'must have name or description',
  })
  .meta({ id: 'UpdateTagCategory', examples: [{ name: 'Subject' }] });
export type UpdateTagCategory = z.infer<typeof UpdateTagCategory>;

export const TagCategoryPath = z.object({ id: Id });

export const TagCategory = z
  .object({
    id: Id.describe('The `category_id` of its tags.'),
    name: z.string(),
    description: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    id: 'TagCategory',
    examples: [
      {
        id: '00000000-0000-4000-8000-000000000000',
        name: 'Topic',
        description: 'What the contact writes about',
        created_at: '2026-01-05T12:00:00.000Z',
        updated_at: '2026-01-05T12:00:00.000Z',
      },
    ],
  });
