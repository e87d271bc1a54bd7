import { z } from 'zod';
import { Time, Timestamp } from '../../schemas/parts.ts';

const OUTCOMES = {
  sent: z.int().describe('Delivered ones too.'),
  delivered: z.int(),
  failed: z.int(),
  skipped: z.int(),
  unknown: z.int(),
};

/** How far a sequence is, over all its steps. */
export const SequenceFigures = z
  .object({
    due: z.int().describe('Enrollments with steps left.'),
    ...OUTCOMES,
    held: z.int().describe('Those of `due` that are deferred.'),
    held_by: z
      .object({ gate: z.string().nullable(), reason: z.string().nullable(), until: Timestamp })
      .nullable()
      .describe('Why the first of them is. Without a gate: a send that is tried again.'),
    next_due_at: Timestamp.nullable().describe('When the next message is due.'),
  })
  .meta({ id: 'SequenceFigures' });
export type SequenceFigures = z.infer<typeof SequenceFigures>;

export const SeriesQuery = z.object({
  bucket: z.enum(['hour', 'day']).default('day'),
  from: Time.optional().describe('Absent: 30 days before `to`, or 7 for hours.'),
  to: Time.optional().describe('Absent: now.'),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

export const SequenceSeries = z
  .object({
    from: Timestamp,
    to: Timestamp,
    timezone: z.string(),
    items: z.array(z.object({ at: Timestamp, waiting: z.int().describe('Not sent yet.'), ...OUTCOMES })),
  })
  .meta({ id: 'SequenceSeries' });
