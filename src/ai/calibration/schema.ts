import { z } from 'zod';
import { Timestamp } from '../../schemas/parts.ts';

const Share = z.number().min(0).max(1);

export const Calibration = z
  .object({
    threshold: z.number().describe('The confidence from which on a quote is given as an answer.'),
    is_calibrated: z.boolean().describe('false: the default threshold is used.'),
    report: z
      .object({
        questions: z.int().describe('Words of own passages that were asked, at most 500.'),
        max_wrong: Share.describe('The share of wrong answers to customers that it aimed at.'),
        wrong_share: Share.describe(
          'The share of questions that got an answer while their item was hidden: about 0.3 of `max_wrong`, as customers’ questions find more.',
        ),
        answered_share: Share.describe('The share of questions that got an answer while their item was there.'),
        right_share: Share.nullable().describe('The share of the right item among those answers. null without any.'),
        measured_threshold: z.number().describe('The threshold before the feedback.'),
        feedback: z
          .object({
            answers: z.int().describe('Answers by quotes of the last 90 days, at most 5,000.'),
            upvotes: z.int(),
            downvotes: z.int(),
            handoffs: z
              .int()
              .describe('Answers without a vote after which the contact asked for a person, or the AI gave up.'),
            shift: z.number().describe('The share by which this moved the threshold, from -0.25 to 0.25.'),
          })
          .nullable()
          .describe('The results of answers. null: measured before there was any.'),
        words_threshold: z
          .number()
          .nullable()
          .describe(
            'The threshold of a search by words alone, for when the model is unavailable. Null if the search compared no vectors.',
          ),
        with_vectors: z
          .boolean()
          .describe(
            'Whether vectors of the embedding model were compared too. Until they were, answers are searched by words alone.',
          ),
      })
      .nullable(),
    requested_at: Timestamp.nullable(),
    measured_at: Timestamp.nullable(),
    progress: z.number().min(0).max(1).nullable().describe('Of a measurement under way.'),
    reason: z.string().nullable().describe('Why its last attempt failed. It is tried again.'),
  })
  .meta({
    id: 'AutopilotCalibration',
    examples: [
      {
        threshold: 0.92,
        is_calibrated: true,
        report: {
          questions: 353,
          max_wrong: 0.05,
          wrong_share: 0.014,
          answered_share: 0.62,
          right_share: 0.99,
          measured_threshold: 0.9,
          feedback: { answers: 214, upvotes: 12, downvotes: 9, handoffs: 8, shift: 0.023 },
          words_threshold: null,
          with_vectors: false,
        },
        requested_at: '2026-01-01T03:00:00.000Z',
        measured_at: '2026-01-01T03:00:12.000Z',
        progress: null,
        reason: null,
      },
    ],
  });
