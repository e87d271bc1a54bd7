import { z } from 'zod';
import { ProviderError } from '../../errors.ts';
import { joinUrl } from '../../urls.rules.ts';
import type { HttpClient } from '../egress/egress.ts';
import { jsonOf, reasonFrom, requestFailure, storableJsonOf } from '../egress/provider-responses.ts';
import { storable } from '../storable.rules.ts';

const BASE_URL = 'https://api.openai.com/v1';
/** Allows a model some time to think, but less than the timeout of a step. */
const TIMEOUT_MS = 100_000;

export interface LlmSettings {
  base_url?: string | undefined;
  api_key: string;
  model: string;
}

export interface ChatRequest {
  prompt: string;
  /** JSON Schema of the requested object. If absent, the response is text. */
  schema?: object | undefined;
}

const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
});
const Refusal = z.object({ error: z.object({ message: z.string() }) });
const JsonObject = z.record(z.string(), z.json());

/**
 * Sends one request by OpenAI's chat completions protocol, also supported by other providers. Returns the text, or the
 * object if a schema is given. Throws ProviderError. It is transient for an unusable response: the model may do better
 * next time.
 */
export async function completeChat(
  egress: HttpClient,
  { base_url = BASE_URL, api_key, model }: LlmSettings,
  { prompt, schema }: ChatRequest,
): Promise<string | z.infer<typeof JsonObject>> {
  const format = schema && { type: 'json_schema', json_schema: { name: 'output', schema } };
  const answer = await egress.request(joinUrl(base_url, '/chat/completions'), {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${api_key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }], response_format: format }),
    timeoutMs: TIMEOUT_MS,
  });
  if (answer.status !== 200) {
    const said = Refusal.safeParse(jsonOf(answer)).data?.error.message ?? `answered ${answer.status}`;
    const hint = answer.status === 401 || answer.status === 403 ? ' (check api_key: PUT /integrations/llm)' : '';
    throw requestFailure(answer, `The AI provider: ${reasonFrom(said, [api_key])}${hint}`);
  }
  const [choice] = Completion.safeParse(jsonOf(answer)).data?.choices ?? [];
  if (choice === undefined) throw unexpectedResponse('answered with no chat completion');
  const { content, refusal } = choice.message;
  if (typeof refusal === 'string' && refusal !== '')
    throw new ProviderError(`The AI refused: ${reasonFrom(refusal, [api_key])}`, { transient: false });
  if (choice.finish_reason === 'length')
    throw unexpectedResponse('stopped in the middle of its answer, as it was too long');
  if (typeof content !== 'string') throw unexpectedResponse('answered with no text');
  if (schema === undefined) return storable(content);
  const parsed = JsonObject.safeParse(storableJsonOf({ ...answer, body: content }));
  if (!parsed.success) throw unexpectedResponse('did not answer with the JSON object that output_schema asks for');
  return parsed.data;
}

const unexpectedResponse = (what: string) => new ProviderError(`The AI provider ${what}`, { transient: true });
