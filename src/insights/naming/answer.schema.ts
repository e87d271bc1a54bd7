import { z } from 'zod';

const MAX_NAME = 200;

/** An insight's name by a model. */
export const NameAnswer = z.object({ name: z.string().trim().min(1).max(MAX_NAME) });

/** The JSON Schema of the same, for models. */
export const NAME_SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
} as const;
