import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';
import { SENTIMENTS, STATEMENT_KINDS } from '../schema.ts';
import { MAX_CONTENT } from '../states/schema.ts';

const MAX_MERGED = 100;
const MAX_OCCURRENCES = 1_000;

const haveNoRepetition = (ids: string[]) => new Set(ids).size === ids.length;

export const MergeInsights = z
  .object({
    insight_ids: z
      .array(Id)
      .min(1)
      .max(MAX_MERGED)
      .refine(haveNoRepetition, 'must not have an id twice')
      .describe('The insights that become part of this one.'),
  })
  .meta({ id: 'MergeInsights', examples: [{ insight_ids: ['01900000-0000-7000-8000-000000000002'] }] });
export type MergeInsights = z.infer<typeof MergeInsights>;

export const SplitInsight = z
  .object({
    occurrence_ids: z
      .array(Id)
      .min(1)
      .max(MAX_OCCURRENCES)
      .refine(haveNoRepetition, 'must not have an id twice')
      .describe('The occurrences that become a separate insight, but not all of them.'),
    content: z
      .string()
      .trim()
      .min(1)
      .max(MAX_CONTENT)
      .optional()
      .describe('Its name. Absent: what the earliest of them says.'),
  })
  .meta({ id: 'SplitInsight', examples: [{ occurrence_ids: ['01900000-0000-7000-8000-000000000003'] }] });
export type SplitInsight = z.infer<typeof SplitInsight>;

export const Operation = z
  .object({
    id: Id,
    kind: z.enum(['merge', 'split']),
    insight_id: Id.describe('merge: the insight that became part of the other one. split: the new insight.'),
    other_id: Id.describe('merge: the insight that it became part of. split: the insight that it was taken from.'),
    done_by: Id.describe('The id of the API key.'),
    undone_by: Id.nullable(),
    created_at: Timestamp,
    undone_at: Timestamp.nullable(),
  })
  .meta({
    id: 'InsightOperation',
    examples: [
      {
        id: '01900000-0000-7000-8000-000000000009',
        kind: 'merge',
        insight_id: '01900000-0000-7000-8000-000000000002',
        other_id: '01900000-0000-7000-8000-000000000001',
        done_by: '01900000-0000-7000-8000-00000000000a',
        undone_by: null,
        created_at: '2026-01-30T10:00:00.000Z',
        undone_at: null,
      },
    ],
  });

export const OperationPath = z.object({ operationId: Id });
export const OperationList = z.object({ items: z.array(Operation) }).meta({ id: 'InsightOperations' });

export const ListOperations = z.object({
  insight_id: Id.optional().describe('Only operations of this insight.'),
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
});
export type ListOperations = z.infer<typeof ListOperations>;
export const OperationPage = z
  .object({ items: z.array(Operation), next: z.string().nullable() })
  .meta({ id: 'InsightOperationPage' });

export const ListOccurrences = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
});
export type ListOccurrences = z.infer<typeof ListOccurrences>;

export const OccurrencePage = z
  .object({
    items: z.array(
      z.object({
        id: Id,
        session_id: Id,
        message_id: Id,
        kind: z.enum(STATEMENT_KINDS).nullable().describe('null: it is not known.'),
        content: z.string(),
        quote: z.string().describe('Word for word what the customer wrote.'),
        sentiment: z.enum(SENTIMENTS).nullable(),
        said_at: Timestamp,
        created_at: Timestamp,
      }),
    ),
    next: z.string().nullable(),
  })
  .meta({
    id: 'InsightOccurrences',
    examples: [
      {
        items: [
          {
            id: '01900000-0000-7000-8000-000000000003',
            session_id: '01900000-0000-7000-8000-000000000004',
            message_id: '01900000-0000-7000-8000-000000000005',
            kind: 'problem',
            content: 'The parcel has not arrived',
            quote: 'my parcel still has not arrived',
            sentiment: 'angry',
            said_at: '2026-01-30T09:00:00.000Z',
            created_at: '2026-01-30T10:00:00.000Z',
          },
        ],
        next: null,
      },
    ],
  });
