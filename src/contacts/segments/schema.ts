import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';
import { FullFilter } from '../filters/schema.ts';

const SegmentName = z.string().min(1).max(255);
const Filter = FullFilter.nullable().describe('Who belongs to the segment. null is all contacts.');

export const CreateSegment = z.object({ name: SegmentName, filter: Filter }).meta({
  id: 'CreateSegment',
  examples: [
    {
      name: 'Customers on pro',
      filter: { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ plan: 'pro' }] }] }] },
    },
  ],
});
export type CreateSegment = z.infer<typeof CreateSegment>;

export const UpdateSegment = z
  .object({ name: SegmentName.optional(), filter: Filter.optional() })
  .meta({ id: 'UpdateSegment', examples: [{ name: 'Customers', filter: null }] });
export type UpdateSegment = z.infer<typeof UpdateSegment>;

export const SegmentPath = z.object({ id: Id });

export const ListSegments = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListSegments = z.infer<typeof ListSegments>;

export const Segment = z
  .object({
    id: Id,
    name: z.string(),
    filter: FullFilter.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Segment' });

export const SegmentPage = z.object({ items: z.array(Segment), next: z.string().nullable() });
