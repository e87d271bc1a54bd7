import { z } from 'zod';
import { Id, SessionChannel, Timestamp } from '../http/schemas.ts';

const MAX_COMMENT_LENGTH = 5_000;

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
