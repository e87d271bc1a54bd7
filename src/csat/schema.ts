import { z } from 'zod';
import { Cursor, Id, Order, SessionChannel, Time, Timestamp } from '../schemas/parts.ts';
import { MAX_COMMENT_LENGTH } from './survey/page.rules.ts';

export const Score = z.int().min(1).max(5).describe('From 1, not satisfied at all, to 5.');
export const Comment = z.string().max(MAX_COMMENT_LENGTH);

export const SubmitScore = z.object({ session_id: Id, score: Score, comment: Comment.nullish() }).meta({
  id: 'SubmitCsatScore',
  examples: [{ session_id: '00000000-0000-4000-8000-000000000000', score: 5, comment: 'Quick and kind.' }],
});
export type SubmitScore = z.infer<typeof SubmitScore>;

export const CsatScore = z
  .object({
    id: Id.describe('Also the id of the event csat_submitted in the session’s history.'),
    session_id: Id,
    score: Score,
    comment: z.string().nullable().describe('null where there is none, or once it is redacted.'),
    channel: SessionChannel,
    created_at: Timestamp,
  })
  .meta({ id: 'CsatScore' });

export const ScoredSession = z.object({ id: Id });

export const ListScores = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  order: Order,
  from: Time.optional().describe('Given then or later. Absent: 30 days before `to`.'),
  to: Time.optional().describe('Given earlier. Absent: now.'),
  channel: SessionChannel.optional(),
  team_id: Id.optional().describe('Only sessions that this team has now.'),
});
export type ListScores = z.infer<typeof ListScores>;

export const ScorePage = z.object({ items: z.array(CsatScore), next: z.string().nullable() }).meta({
  id: 'CsatScorePage',
  examples: [
    {
      items: [
        {
          id: '00000000-0000-4000-8000-000000000000',
          session_id: '00000000-0000-4000-8000-000000000001',
          score: 5,
          comment: 'Quick and kind.',
          channel: 'web',
          created_at: '2026-01-05T12:00:00.000Z',
        },
      ],
      next: null,
    },
  ],
});
