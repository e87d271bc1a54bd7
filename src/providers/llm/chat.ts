import { LRUCache } from 'lru-cache';
import { joinUrl } from '../../text/urls.rules.ts';
import { EgressError, type EgressResponse, type HttpClient } from '../egress/egress.ts';
import { jsonOf, reasonFrom, retryAfterOf } from '../egress/provider-responses.ts';
import { type LlmAnswer, type LlmTool, readCompletion, readRefusal } from './completions.ts';
import { type Dialect, FIRST_DIALECT, nextDialect } from './dialects.ts';
import { LlmError } from './errors.ts';

const BASE_URL = 'https://api.openai.com/v1';
const MAX_CONNECTIONS_KNOWN = 1_000;

export interface LlmConnection {
  base_url?: string | undefined;
  api_key: string;
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  tools?: LlmTool[];
  /** JSON Schema of the requested object. If absent, the response is text. */
  schema?: object | undefined;
  maxTokens?: number;
  temperature?: number;
  /** For all ways of asking together. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** What was learnt of each provider's dialect, by address and model. */
const dialects = new LRUCache<string, Dialect>({ max: MAX_CONNECTIONS_KNOWN });

/**
 * Sends one request by OpenAI's chat completions protocol, also supported by other providers. A provider that refuses a
 * way of asking is asked in another way, and so from then on. Throws LlmError.
 */
export async function completeChat(
  egress: HttpClient,
  { base_url = BASE_URL, api_key }: LlmConnection,
  request: ChatRequest,
): Promise<LlmAnswer> {
  const key = `${base_url} ${request.model}`;
  const giveUpAt = performance.now() + request.timeoutMs;
  let dialect = dialects.get(key) ?? FIRST_DIALECT;
  for (;;) {
    const body = JSON.stringify(bodyOf(request, dialect));
    const answer = await send(egress, { url: joinUrl(base_url, '/chat/completions'), api_key }, body, {
      timeoutMs: giveUpAt - performance.now(),
      signal: request.signal,
    });
    if (answer.status === 200) {
      dialects.set(key, dialect);
      return readCompletion(jsonOf(answer), { sentCharacters: body.length });
    }
    const { problem, text } = readRefusal(answer.status, jsonOf(answer));
    const next = problem === 'invalid' ? nextDialect(dialect, text) : undefined;
    if (next === undefined) throw refusalOf(answer, { problem, text, api_key });
    dialect = next;
  }
}

async function send(
  egress: HttpClient,
  { url, api_key }: { url: string; api_key: string },
  body: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<EgressResponse> {
  try {
    return await egress.request(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${api_key}` },
      body,
      timeoutMs,
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const problem =
      error.problem === 'timeout' ? 'timeout' : error.problem === 'unreachable' ? 'unavailable' : 'invalid';
    throw new LlmError(problem, `The AI provider: ${error.message}`, { cause: error });
  }
}

function refusalOf(
  answer: EgressResponse,
  { problem, text, api_key }: { problem: LlmError['problem']; text: string; api_key: string },
): LlmError {
  const hint = problem === 'auth' ? ' (check api_key: PUT /integrations/llm)' : '';
  return new LlmError(problem, `The AI provider: ${reasonFrom(text, [api_key])}${hint}`, {
    retryAfterMs: retryAfterOf(answer.headers['retry-after']),
  });
}

function bodyOf(
  { model, messages, tools = [], schema, maxTokens, temperature }: ChatRequest,
  dialect: Dialect,
): object {
  const asked = schema === undefined || dialect.format === 'json_schema' ? messages : withSchema(messages, schema);
  return {
    model,
    messages: asked,
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(schema !== undefined &&
      dialect.format === 'json_schema' && {
        response_format: { type: 'json_schema', json_schema: { name: 'output', schema } },
      }),
    ...(schema !== undefined && dialect.format === 'json_object' && { response_format: { type: 'json_object' } }),
    ...(maxTokens !== undefined && { [dialect.limit]: maxTokens }),
    ...(temperature !== undefined && dialect.hasTemperature && { temperature }),
  };
}

const withSchema = (messages: ChatMessage[], schema: object): ChatMessage[] => [
  {
    role: 'system',
    content: `Answer with one JSON object of this JSON Schema and nothing else:\n${JSON.stringify(schema)}`,
  },
  ...messages,
];
