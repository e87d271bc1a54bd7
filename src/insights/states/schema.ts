import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';

const MAX_REASON = 1_000;
export const MAX_CONTENT = 500;

export const AssignInsight = z
  .object({ groupId: Id.nullable().describe('A team. null: nobody.') })
  .meta({ id: 'AssignInsight', examples: [{ groupId: '01900000-0000-7000-8000-000000000001' }, { groupId: null }] });
export type AssignInsight = z.infer<typeof AssignInsight>;

export const ArchiveInsight = z
  .object({ reason: z.string().trim().min(1).max(MAX_REASON) })
  .meta({ id: 'ArchiveInsight', examples: [{ reason: 'Works as designed' }] });
export type ArchiveInsight = z.infer<typeof ArchiveInsight>;

export const UpdateInsight = z
  .object({
    content: z.string().trim().min(1).max(MAX_CONTENT).optional().describe('A name that stays: nothing renames it.'),
    category: z
      .string()
      .max(255)
      .nullable()
      .optional()
      .describe(
        'One of the org’s categories, or null for none. It stays, and teaches the categories of other insights.',
      ),
  })
  .meta({ id: 'UpdateInsight', examples: [{ content: 'The parcel has not arrived' }, { category: 'Delivery' }] });
export type UpdateInsight = z.infer<typeof UpdateInsight>;
