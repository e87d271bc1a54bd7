import { z } from 'zod';
import { SENTIMENTS, STATEMENT_KINDS } from '../schema.ts';

export const MAX_STATEMENTS = 8;
const MAX_TEXT = 2_000;

/** A model's answer. Each statement is checked against the conversation afterwards. */
export const ExtractionAnswer = z.object({
  statements: z.array(
    z.object({
      kind: z.enum(STATEMENT_KINDS),
      content: z.string().trim().min(1).max(MAX_TEXT),
      quote: z.string().trim().min(1).max(MAX_TEXT),
      message: z.int(),
      sentiment: z
        .enum(SENTIMENTS)
        .nullish()
        .transform((sentiment) => sentiment ?? null),
    }),
  ),
});

/** The JSON Schema of the same, for models. */
export const EXTRACTION_SCHEMA = {
  type: 'object',
  properties: {
    statements: {
      type: 'array',
      maxItems: MAX_STATEMENTS,
      items: {
        type: 'object',
        properties: {
          kind: { type: 'string', enum: STATEMENT_KINDS },
          content: { type: 'string', description: 'the matter in one short general sentence in English' },
          quote: { type: 'string', description: 'words of the customer that show it, copied unchanged' },
          message: { type: 'integer', description: 'the number of the message with the quote' },
          sentiment: { type: ['string', 'null'], enum: [...SENTIMENTS, null] },
        },
        required: ['kind', 'content', 'quote', 'message', 'sentiment'],
        additionalProperties: false,
      },
    },
  },
  required: ['statements'],
  additionalProperties: false,
} as const;
