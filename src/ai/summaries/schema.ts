import { z } from 'zod';

const SENTIMENTS = ['angry', 'happy', 'neutral'] as const;
const MAX_SENTENCES = 20;

/** A model's digest of a conversation. Unknown properties are left out. */
export const ModelDigest = z.object({
  sentences: z.array(z.object({ text: z.string(), messages: z.array(z.unknown()).nullish() })).max(MAX_SENTENCES),
  sentiment: z.enum(SENTIMENTS).nullish().catch(null),
});
export type ModelDigest = z.infer<typeof ModelDigest>;

/** The JSON Schema of the same, for models. */
export const MODEL_DIGEST_SCHEMA = {
  type: 'object',
  properties: {
    sentences: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          messages: { type: 'array', items: { type: 'integer' }, description: 'The numbers of its messages' },
        },
        required: ['text', 'messages'],
      },
    },
    sentiment: { type: 'string', enum: SENTIMENTS },
  },
  required: ['sentences', 'sentiment'],
} as const;
