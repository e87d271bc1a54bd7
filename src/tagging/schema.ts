import { z } from 'zod';
import { AutoTagging } from '../desk/tags/schema.ts';
import { Id, Timestamp } from '../schemas/parts.ts';

const Share = z.number().min(0).max(1);

const LearntTag = z
  .object({
    tag_name: z.string(),
    examples: z.int().describe('Sessions that people gave this tag.'),
    threshold: z.number().nullable().describe('The score from which on it is applied. null: it never is.'),
    precision: Share.nullable().describe(
      'The share of right ones among those applied, measured on sessions held back while learning.',
    ),
    coverage: Share.nullable().describe('The share of the sessions with this tag that would get it.'),
    state: z
      .enum(['applied', 'suggested', 'uncertain', 'too_few_examples', 'too_many_tags', 'excluded'])
      .describe(
        'applied: it is applied from the threshold on. suggested: it is only suggested, as no threshold is precise enough. uncertain: neither. too_few_examples: under 10. too_many_tags: 200 tags have more examples. excluded: exclude_from_auto_tagging.',
      ),
  })
  .meta({ id: 'LearntTag' });

export const AutoTaggingReport = AutoTagging.extend({
  sessions: z.int().describe('The tagged sessions that were learnt from, at most 20,000.'),
  requested_at: Timestamp.nullable(),
  learnt_at: Timestamp.nullable().describe('null: nothing is learnt yet.'),
  tags: z.array(LearntTag),
}).meta({
  id: 'AutoTaggingReport',
  examples: [
    {
      enabled: true,
      sessions: 2_310,
      requested_at: '2026-01-01T03:00:00.000Z',
      learnt_at: '2026-01-01T03:00:09.000Z',
      tags: [
        { tag_name: 'refund', examples: 148, threshold: -0.21, precision: 0.92, coverage: 0.81, state: 'applied' },
        { tag_name: 'VIP', examples: 3, threshold: null, precision: null, coverage: null, state: 'too_few_examples' },
      ],
    },
  ],
});

export const SuggestionPath = z.object({ id: Id });

export const TagSuggestions = z
  .object({
    items: z.array(
      z.object({
        tag_name: z.string(),
        score: z.number().nullable().describe('null: a model suggested it.'),
        model: z.string().nullable().describe('The model that suggested it, by the tag’s name and description.'),
        created_at: Timestamp,
      }),
    ),
  })
  .meta({
    id: 'TagSuggestions',
    examples: [{ items: [{ tag_name: 'refund', score: -0.42, model: null, created_at: '2026-01-01T09:30:00.000Z' }] }],
  });
