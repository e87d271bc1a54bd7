import { z } from 'zod';

const MAX_QUERIES = 3;
const MAX_QUERY = 500;
const MAX_CALLS = 20;
const MAX_TOPIC = 500;

/** The plan of a model, besides the functions it calls. Unknown properties are left out. */
export const Plan = z.object({
  language: z.string().min(2).max(20).nullish(),
  queries: z
    .array(z.string().max(MAX_QUERY))
    .nullish()
    .transform((queries) => (queries ?? []).filter((query) => query.trim() !== '').slice(0, MAX_QUERIES)),
  calls: z
    .array(z.object({ action: z.string().max(255), arguments: z.record(z.string(), z.unknown()).nullish() }))
    .max(MAX_CALLS)
    .nullish()
    .transform((calls) => calls ?? []),
  handoff_reason: z.string().max(100).nullish(),
  prohibited_topic: z.string().max(MAX_TOPIC).nullish(),
});

/** The JSON Schema of the same, for models. */
export const PLAN_SCHEMA = {
  type: 'object',
  properties: {
    language: { type: 'string', description: 'ISO 639-1, of the customer' },
    queries: { type: 'array', items: { type: 'string' }, maxItems: MAX_QUERIES },
    handoff_reason: {
      type: 'string',
      enum: ['user_request', 'prohibited_topic', 'missing_tool', 'unclear_instructions', 'identity_required'],
    },
    prohibited_topic: {
      type: 'string',
      description: 'Of the handoff_reason prohibited_topic: the topic, as it is listed',
    },
  },
  required: ['language', 'queries'],
} as const;
