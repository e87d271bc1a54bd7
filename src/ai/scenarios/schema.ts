import { z } from 'zod';
import type { Training } from '../../knowledge/training/schema.ts';
import { Id } from '../../schemas/parts.ts';

/** Placeholders can make a title longer than it was: it has 255 characters at most. */
const MAX_TITLE = 180;
const MAX_CONTENT = 8_000;

const Words = (max: number) => z.string().trim().min(1).max(max).nullable();

/** A model's scenario of a conversation. Both are null if there is nothing to learn. */
export const ScenarioAnswer = z
  .object({ title: Words(MAX_TITLE), content: Words(MAX_CONTENT) })
  .refine(({ title, content }) => (title === null) === (content === null));
export type ScenarioAnswer = z.infer<typeof ScenarioAnswer>;

/** The JSON Schema of the same, for models. */
export const SCENARIO_SCHEMA = {
  type: 'object',
  properties: {
    title: { type: ['string', 'null'], description: 'The question or the situation, in one short sentence' },
    content: { type: ['string', 'null'], description: 'How to answer it, in Markdown' },
  },
  required: ['title', 'content'],
} as const;

export const GenerateScenario = z
  .object({ session_id: Id.describe('A session in which a person has answered.') })
  .meta({ id: 'GenerateScenario', examples: [{ session_id: '01900000-0000-7000-8000-000000000001' }] });

/** Texts of a session in a Training. */
export const LEARNED_TEXTS = {
  sessionOf: (_request: unknown, item: z.infer<typeof Training>) => item.learned_from_session_id,
  withoutTexts: (item: z.infer<typeof Training>) => ({
    ...item,
    title: '[redacted]',
    content: '[redacted]',
    draft_title: '[redacted]',
    draft_content: '[redacted]',
  }),
};
