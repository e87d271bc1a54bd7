import { z } from 'zod';

const MAX_PARTS = 20;
const MAX_TEXT = 4_000;
const MAX_TOPIC = 500;

const Support = z.object({ passage: z.int().min(1).max(1_000), quote: z.string().max(MAX_TEXT) });

const Part = z.object({
  text: z.string().max(MAX_TEXT).nullish(),
  support: z.array(Support).max(MAX_PARTS).nullish(),
  receipt: z.string().max(100).nullish(),
  question: z.string().max(MAX_TEXT).nullish(),
  phrase: z.string().max(100).nullish(),
});
export type AnswerPart = z.infer<typeof Part>;

/** The answer of a model. Unknown properties are left out. */
export const ModelAnswer = z.object({
  kind: z.enum(['answer', 'ask', 'handoff', 'nothing']),
  language: z.string().min(2).max(20),
  covers: z.enum(['fully', 'partly']).catch('partly'),
  parts: z
    .array(Part)
    .max(MAX_PARTS)
    .nullish()
    .transform((parts) => parts ?? []),
  handoff_reason: z.string().max(100).nullish(),
  prohibited_topic: z.string().max(MAX_TOPIC).nullish(),
});
export type ModelAnswer = z.infer<typeof ModelAnswer>;

/** The JSON Schema of the same, for models. */
export const MODEL_ANSWER_SCHEMA = {
  type: 'object',
  properties: {
    kind: { type: 'string', enum: ['answer', 'ask', 'handoff', 'nothing'] },
    language: { type: 'string', description: 'ISO 639-1, of the answer' },
    covers: { type: 'string', enum: ['fully', 'partly'] },
    parts: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          support: {
            type: 'array',
            items: {
              type: 'object',
              properties: { passage: { type: 'integer' }, quote: { type: 'string' } },
              required: ['passage', 'quote'],
            },
          },
          receipt: { type: 'string' },
          question: { type: 'string' },
          phrase: { type: 'string' },
        },
      },
    },
    handoff_reason: {
      type: 'string',
      enum: [
        'user_request',
        'prohibited_topic',
        'missing_knowledge',
        'missing_tool',
        'unclear_instructions',
        'not_helping',
        'action_failed',
        'identity_required',
      ],
    },
    prohibited_topic: {
      type: 'string',
      description: 'Of the handoff_reason prohibited_topic: the topic, as it is listed',
    },
  },
  required: ['kind', 'language', 'parts'],
} as const;
