import { z } from 'zod';
import { Comment, Score } from '../schema.ts';

export const SurveyPath = z.object({ token: z.string().min(1).max(255) });

const GivenOnce = z
  .string()
  .regex(/^[1-5]$/, 'must be a score from 1 to 5')
  .transform(Number)
  .pipe(Score);

/** The form of the page, with all values of its fields. */
export const SurveyForm = z.object({
  score: z.tuple([GivenOnce], 'must be given once, from 1 to 5'),
  comment: z.array(Comment).max(1, 'must be given once'),
});
export type SurveyForm = z.infer<typeof SurveyForm>;
