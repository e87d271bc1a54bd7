import { z } from 'zod';
import { Id, Timestamp } from '../schemas/parts.ts';

export const STATEMENT_KINDS = ['problem', 'request', 'complaint', 'praise', 'question'] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

export const SENTIMENTS = ['angry', 'happy', 'neutral'] as const;
export const Sentiment = z.enum(SENTIMENTS);
export type Sentiment = z.infer<typeof Sentiment>;

export const INSIGHT_STATUSES = ['unresolved', 'resolved', 'archived'] as const;
export type InsightStatus = (typeof INSIGHT_STATUSES)[number];

export const InsightPath = z.object({ id: Id });

export const Insight = z
  .object({
    id: Id,
    number: z
      .int()
      .describe('Counts from 1 in the org. It stays for ever: merged, it leads to the insight that it is part of.'),
    content: z
      .string()
      .describe(
        'Its name: its most central statement, a model’s words over several quotes, or what somebody wrote. Without a model, statements are in the customers’ words.',
      ),
    category: z.string().nullable().describe('One of the org’s categories.'),
    status: z.enum(INSIGHT_STATUSES),
    sentiment: Sentiment.nullable().describe('The most frequent one of its statements. null: none is known.'),
    occurrence_count: z.int().describe('The number of sessions. In a filtered list: of those that match the filter.'),
    first_seen_at: Timestamp.nullable(),
    last_seen_at: Timestamp.nullable(),
    team: z.object({ id: Id, name: z.string() }).nullable(),
    resolved_at: Timestamp.nullable(),
    resolved_by: Id.nullable().describe('The id of the API key.'),
    archived_reason: z.string().nullable(),
    reopened_because: Id.nullable().describe('The session in which it occurred again after it was resolved.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    id: 'Insight',
    examples: [
      {
        id: '01900000-0000-7000-8000-000000000001',
        number: 7,
        content: 'The parcel has not arrived',
        category: 'Delivery',
        status: 'unresolved',
        sentiment: 'angry',
        occurrence_count: 42,
        first_seen_at: '2026-01-01T10:00:00.000Z',
        last_seen_at: '2026-01-30T10:00:00.000Z',
        team: null,
        resolved_at: null,
        resolved_by: null,
        archived_reason: null,
        reopened_because: null,
        created_at: '2026-01-01T10:00:00.000Z',
        updated_at: '2026-01-30T10:00:00.000Z',
      },
    ],
  });
