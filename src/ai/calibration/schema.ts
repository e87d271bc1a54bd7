import { z } from 'zod';
import { Timestamp } from '../../http/schemas.ts';

const Share = z.number().min(0).max(1);

export const Calibration = z
  .object({
    threshold: z.number().describe('The confidence from which on a quote is given as an answer.'),
    is_calibrated: z.boolean().describe('false: the default threshold is used.'),
    report: z
      .object({
        questions: z.int().describe('Titles and headings asked, at most 500.'),
        max_wrong: Share.describe('The share of wrong answers that it aimed at.'),
        wrong_share: Share.describe('The share of questions that got an answer while their item was hidden.'),
        answered_share: Share.describe('The share of questions that got an answer while their item was there.'),
        right_share: Share.nullable().describe('The share of the right item among those answers. null without any.'),
      })
      .nullable(),
    requested_at: Timestamp.nullable(),
    measured_at: Timestamp.nullable(),
  })
  .meta({
    id: 'AutopilotCalibration',
    examples: [
      {
        threshold: 1.6,
        is_calibrated: true,
        report: { questions: 353, max_wrong: 0.05, wrong_share: 0.048, answered_share: 0.62, right_share: 0.99 },
        requested_at: '2026-01-01T03:00:00.000Z',
        measured_at: '2026-01-01T03:00:12.000Z',
      },
    ],
  });
