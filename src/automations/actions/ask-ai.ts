import { z } from 'zod';
import { issuesOf } from '../../actions/calls/parameter-schemas.ts';
import { getPublishedAiSettings } from '../../ai/settings/service.ts';
import { conflict, ProviderError } from '../../errors.ts';
import { askModel, findModels, parseAnswer } from '../../models/asking.ts';
import { AnyJson } from '../blocks/schema.ts';
import { remoteAction } from './action.ts';

const MAX_PROMPT = 100_000;
const MAX_SCHEMA_CHARACTERS = 50_000;
const MAX_ANSWER_TOKENS = 8_000;

const OutputSchema = z
  .record(z.string(), AnyJson)
  .refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS, {
    error: `must have at most ${MAX_SCHEMA_CHARACTERS} characters`,
  })
  .refine(({ type }) => type === undefined || type === 'object', { path: ['type'], error: 'must be "object"' });

const JsonObject = z.record(z.string(), z.json());

export const askAi = remoteAction({
  type: 'ask-ai',
  title: 'Ask the AI',
  description:
    'Asks the model of the org’s llm integration (PUT /integrations/llm), within the budgets of the autopilot’s settings.',
  input: z.strictObject({
    prompt: z.string().min(1).max(MAX_PROMPT),
    output_schema: OutputSchema.optional().describe(
      'JSON Schema of an object. The answer is then an object that this schema allows.',
    ),
  }),
  output: z
    .union([z.object({ text: z.string() }), JsonObject])
    .describe('`{text}`, or the object that output_schema describes.'),
  async call(deps, { orgId }, { prompt, output_schema: schema }) {
    const settings = await getPublishedAiSettings(deps.db, orgId);
    const chain = await findModels(deps, orgId, settings.models);
    if (chain === undefined)
      throw conflict(
        'No AI is connected: PUT /integrations/llm with a provider, api_key and model, and base_url where it is not OpenAI',
      );
    const question = {
      sessionId: null,
      turnId: null,
      purpose: 'ask-ai',
      messages: [{ role: 'user' as const, content: prompt }],
      schema,
      maxTokens: MAX_ANSWER_TOKENS,
      read: ({ text }: { text: string }) => (schema === undefined ? { text } : objectOf(text, schema)),
    };
    const result = await askModel(deps, orgId, chain, settings, question, NEVER);
    if (result.kind === 'answered') return result.value;
    if (result.kind === 'over_budget')
      throw new ProviderError(`The AI budget of the ${result.budget} is used up: GET /autopilot/usage`, {
        transient: false,
      });
    throw result.error;
  },
});

/** The end of a step is not awaited by anybody: its own timeout ends it. */
const NEVER = new AbortController().signal;

/** Returns the object in an answer, or undefined if it is not one that the schema allows. */
function objectOf(text: string, schema: z.infer<typeof OutputSchema>): z.infer<typeof JsonObject> | undefined {
  const object = JsonObject.safeParse(parseAnswer(text)).data;
  return object !== undefined && issuesOf(schema, object, 'output').length === 0 ? object : undefined;
}
