import { z } from 'zod';
import { Integration } from '../../orgs/integrations/schema.ts';
import { Timestamp } from '../../schemas/parts.ts';

/** Which model compares an org's questions with its knowledge. */
const EmbeddingInUse = z
  .object({
    model: z
      .string()
      .nullable()
      .describe('The model that the org’s knowledge is embedded by. Null if there is none: words alone are compared.'),
    source: z
      .enum(['connected', 'built_in'])
      .nullable()
      .describe(
        'Whose model it is: of the llm integration (`embedding_model`), or the one that comes with the product.',
      ),
    answering: z
      .string()
      .nullable()
      .describe(
        'The model by whose vectors questions are compared now. It differs from `model` until that one has embedded all of the knowledge. Null: by words.',
      ),
    passages: z.int(),
    embedded: z.int().describe('Passages with a vector of `model`.'),
    left_out: z.int().describe('Passages that it refused: tried again a day later.'),
  })
  .meta({ id: 'EmbeddingInUse' });

export type EmbeddingInUse = z.infer<typeof EmbeddingInUse>;

export const LlmIntegration = Integration.extend({
  provider: Integration.shape.provider.nullable().describe('Null if none is connected.'),
  created_at: Timestamp.nullable(),
  updated_at: Timestamp.nullable(),
  embedding: EmbeddingInUse,
}).meta({
  id: 'LlmIntegration',
  examples: [
    {
      ...{ kind: 'llm', name: 'Default', provider: null, settings: {}, connected: null, last_success_at: null },
      ...{
        last_error: null,
        last_error_at: null,
        failing_since: null,
        warnings: [],
        created_at: null,
        updated_at: null,
      },
      embedding: {
        ...{ model: 'multilingual-e5-small', source: 'built_in', answering: 'multilingual-e5-small' },
        ...{ passages: 412, embedded: 412, left_out: 0 },
      },
    },
  ],
});
