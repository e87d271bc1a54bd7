import { z } from 'zod';
import { MAX_SUGGESTIONS } from './decisions.rules.ts';

const MAX_NAMES = 100;

/** What a model answers: names of tags. */
export const GivenTags = z.object({ tags: z.array(z.string()).max(MAX_NAMES) });

/** The JSON Schema of the same, for models. */
export const GIVEN_TAGS_SCHEMA = {
  type: 'object',
  properties: { tags: { type: 'array', items: { type: 'string' }, maxItems: MAX_SUGGESTIONS } },
  required: ['tags'],
} as const;
