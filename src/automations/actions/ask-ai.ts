import { z } from 'zod';
import { conflict } from '../../errors.ts';
import { findConnection } from '../../orgs/integrations/service.ts';
import { completeChat } from '../../providers/llm/chat.ts';
import { AnyJson } from '../blocks/schema.ts';
import { remoteAction } from './action.ts';

const MAX_PROMPT = 100_000;
const MAX_SCHEMA_CHARACTERS = 50_000;

const OutputSchema = z
  .record(z.string(), AnyJson)
  .refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS, {
    error: `must have at most ${MAX_SCHEMA_CHARACTERS} characters`,
  })
  .refine(({ type }) => type === undefined || type === 'object', { path: ['type'], error: 'must be "object"' });

export const askAi = remoteAction({
  type: 'ask-ai',
  title: 'Ask the AI',
  description: 'Asks the model of the org’s llm integration (PUT /integrations/llm).',
  input: z.strictObject({
    prompt: z.string().min(1).max(MAX_PROMPT),
    output_schema: OutputSchema.optional().describe(
      'JSON Schema of an object. The answer is then an object of this schema.',
    ),
  }),
  output: z
    .union([z.object({ text: z.string() }), z.record(z.string(), z.json())])
    .describe('`{text}`, or the object that output_schema describes.'),
  async call({ db, secrets, egress }, { orgId }, { prompt, output_schema: schema }) {
    const settings = await findConnection(db, secrets, orgId, 'llm');
    if (settings === undefined)
      throw conflict(
        'No AI is connected: PUT /integrations/llm with a provider, api_key and model, and base_url where it is not OpenAI',
      );
    const said = await completeChat(egress, settings, { prompt, schema });
    return typeof said === 'string' ? { text: said } : said;
  },
});
