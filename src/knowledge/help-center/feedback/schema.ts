import { z } from 'zod';
import { RedactionReason } from '../../../conversations/redaction/schema.ts';
import { Cursor, Id, Timestamp } from '../../../schemas/parts.ts';

export const MAX_COMMENT_LENGTH = 1_000;

/** The forms of the page, with all values of their fields: an answer, or a sentence about the answer before. */
export const FeedbackForm = z.union([
  z.object({ helpful: z.tuple([z.enum(['yes', 'no'])], 'must be given once, as yes or no') }),
  z.object({
    answer: z.tuple([z.uuid()], 'must be the id of an answer'),
    comment: z.tuple([z.string().max(MAX_COMMENT_LENGTH)], 'must be given once'),
  }),
]);
export type FeedbackForm = z.infer<typeof FeedbackForm>;

export const FeedbackPath = z.object({ orgId: z.string(), '*': z.string() });

export const ListFeedback = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListFeedback = z.infer<typeof ListFeedback>;

const Counts = { helpful: z.int(), not_helpful: z.int() };

/** What readers answered to "Was this article helpful?". */
export const FeedbackCounts = z
  .object(Counts)
  .describe('Answers to “Was this article helpful?” on its page, in all languages.');

export const Feedback = z
  .object({
    languages: z.array(z.object({ language: z.string(), ...Counts })).describe('By the language of the page.'),
    items: z.array(
      z.object({
        id: Id,
        language: z.string(),
        is_helpful: z.boolean(),
        comment: z.string(),
        created_at: Timestamp,
      }),
    ),
    next: z.string().nullable(),
  })
  .meta({ id: 'HelpCenterFeedback' });

export const RedactFeedback = z.object({ feedbackId: Id, reason: RedactionReason }).meta({ id: 'RedactFeedback' });
export type RedactFeedback = z.infer<typeof RedactFeedback>;
