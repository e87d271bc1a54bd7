import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';

export const ListChangedCitations = z.object({
  item_id: Id.optional().describe('Only citations of this item.'),
  session_id: Id.optional(),
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
});
export type ListChangedCitations = z.infer<typeof ListChangedCitations>;

const ChangedCitation = z
  .object({
    id: Id,
    turn_id: Id,
    session_id: Id,
    ticket_number: z.int(),
    contact_name: z.string().nullable(),
    message_id: Id.nullable().describe('The answer.'),
    item_id: Id,
    chunk: z.int().describe('The number that the passage had in its item.'),
    url: z.string().nullable(),
    title: z.string(),
    heading: z.string(),
    quote: z.string().nullable().describe('What was quoted. null: the answer only pointed at the item.'),
    changed_at: Timestamp.describe('When the passage was found to be gone.'),
  })
  .meta({ id: 'ChangedCitation' });

export const ChangedCitationPage = z.object({ items: z.array(ChangedCitation), next: z.string().nullable() }).meta({
  id: 'ChangedCitationPage',
  examples: [
    {
      items: [
        {
          id: '01900000-0000-7000-8000-000000000001',
          turn_id: '01900000-0000-7000-8000-000000000002',
          session_id: '01900000-0000-7000-8000-000000000003',
          ticket_number: 1042,
          contact_name: 'Ada Lovelace',
          message_id: '01900000-0000-7000-8000-000000000004',
          item_id: '01900000-0000-7000-8000-000000000005',
          chunk: 0,
          url: 'https://shop.example/refunds',
          title: 'Refunds',
          heading: 'Refunds',
          quote: 'Refunds arrive within five working days.',
          changed_at: '2026-01-02T08:00:00.000Z',
        },
      ],
      next: null,
    },
  ],
});
