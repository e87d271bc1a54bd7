import { z } from 'zod';
import { isRecord } from '../../collections/records.ts';
import { storable } from '../storable.rules.ts';
import { LlmError, type LlmProblem, type LlmUsage } from './errors.ts';
import { withoutThoughts } from './thoughts.rules.ts';

/** A function that the model may ask us to call. `parameters` is a JSON Schema. */
export interface LlmTool {
  name: string;
  description: string;
  parameters: object;
}

export interface LlmToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** What a model answered. */
export interface LlmAnswer {
  text: string;
  toolCalls: LlmToolCall[];
  usage: LlmUsage;
  /** The name that the provider gives the model. */
  model: string;
  requestId: string | null;
}

const MAX_TOOL_CALLS = 20;
const MAX_REFUSAL = 500;
/** A provider that counts more has no idea of it. */
const MAX_TOKENS = 100_000_000;

const Text = z.string().transform(storable);
const Tokens = z.number().int().min(0).max(MAX_TOKENS);

const Completion = z.object({
  id: Text.nullish(),
  model: Text.nullish(),
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z
            .union([
              Text,
              z.array(z.looseObject({ type: z.string().optional(), text: Text.optional().catch(undefined) })),
            ])
            .nullish(),
          refusal: z.string().nullish(),
          tool_calls: z.array(z.unknown()).nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: Tokens,
      completion_tokens: Tokens,
      prompt_tokens_details: z.object({ cached_tokens: Tokens.nullish() }).nullish(),
    })
    .nullish()
    .catch(null),
});

const ToolCall = z.object({
  function: z.object({ name: z.string().min(1).max(255).transform(storable), arguments: z.unknown().optional() }),
});

/**
 * Reads an answer of OpenAI's chat completions. Takes what other providers do: calls with any reason of finishing,
 * arguments as an object or empty, content in parts, no usage. Throws LlmError `malformed` for anything else, as a whole
 * if one of its calls cannot be read, and `refused` or `filtered` where the model or its provider declined. Its text can
 * be stored in any column; the arguments of its calls are as they came.
 */
export function readCompletion(body: unknown, { sentCharacters }: { sentCharacters: number }): LlmAnswer {
  const parsed = Completion.safeParse(body);
  const [choice] = parsed.data?.choices ?? [];
  if (!parsed.success || choice === undefined)
    throw new LlmError('malformed', 'The AI provider answered with no chat completion');
  const { content, refusal, tool_calls } = choice.message;
  const said = typeof content === 'string' ? content : (content ?? []).map(textOfPart).join('');
  const text = withoutThoughts(storable(said));
  const usage = usageOf(parsed.data.usage, { sent: sentCharacters, received: said.length });
  const fail = (problem: LlmProblem, message: string) => new LlmError(problem, message, { usage });
  if (typeof refusal === 'string' && refusal !== '')
    throw fail('refused', `The AI refused: ${storable(refusal.slice(0, MAX_REFUSAL))}`);
  if (choice.finish_reason === 'content_filter')
    throw fail('filtered', 'The AI provider’s filter kept the answer back');
  if (choice.finish_reason === 'length')
    throw fail('malformed', 'The AI stopped in the middle of its answer, as it was too long');
  const toolCalls = (tool_calls ?? []).slice(0, MAX_TOOL_CALLS).map(readToolCall);
  if (toolCalls.some((call) => call === undefined) || (tool_calls ?? []).length > MAX_TOOL_CALLS)
    throw fail('malformed', 'The AI asked for a call that cannot be read');
  if (text === '' && toolCalls.length === 0)
    throw fail(
      'malformed',
      said === '' ? 'The AI provider answered with no text' : 'The AI only thought aloud, and gave no answer',
    );
  return {
    text,
    toolCalls: toolCalls.filter((call) => call !== undefined),
    usage,
    model: parsed.data.model ?? '',
    requestId: storable(parsed.data.id ?? '') || null,
  };
}

function readToolCall(call: unknown): LlmToolCall | undefined {
  const parsed = ToolCall.safeParse(call);
  if (!parsed.success) return undefined;
  const { name, arguments: args } = parsed.data.function;
  const read = typeof args === 'string' ? (args.trim() === '' ? {} : parseJson(args)) : (args ?? {});
  return isRecord(read) ? { name, arguments: read } : undefined;
}

/** The types of parts that hold the answer. Others hold thoughts. */
const ANSWER_PARTS: ReadonlySet<string> = new Set(['text', 'output_text']);

const textOfPart = ({ type = 'text', text = '' }: { type?: string | undefined; text?: string | undefined }): string =>
  ANSWER_PARTS.has(type) ? text : '';

/**
 * Parses JSON, also within the last fence of Markdown, or an object between other words. Returns undefined for anything
 * else.
 */
export function parseJson(text: string): unknown {
  for (const part of [text.trim(), lastFenceIn(text), objectIn(text)]) {
    const parsed = part === undefined ? undefined : parsedOrUndefined(part);
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const FENCE = '```';

function lastFenceIn(text: string): string | undefined {
  const end = text.lastIndexOf(FENCE);
  const begin = text.lastIndexOf(FENCE, end - 1);
  if (end <= 0 || begin === -1) return undefined;
  const fenced = text.slice(begin + FENCE.length, end);
  return fenced.slice(fenced.indexOf('\n') + 1);
}

function objectIn(text: string): string | undefined {
  const [begin, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  return begin === -1 || end < begin ? undefined : text.slice(begin, end + 1);
}

const CHARACTERS_PER_TOKEN = 4;

function usageOf(
  usage: z.infer<typeof Completion>['usage'],
  { sent, received }: { sent: number; received: number },
): LlmUsage {
  if (usage === null || usage === undefined)
    return {
      input: Math.ceil(sent / CHARACTERS_PER_TOKEN),
      output: Math.ceil(received / CHARACTERS_PER_TOKEN),
      cached: 0,
      estimated: true,
    };
  return {
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cached: Math.min(usage.prompt_tokens_details?.cached_tokens ?? 0, usage.prompt_tokens),
    estimated: false,
  };
}

const Refusal = z.object({
  error: z.union([
    z.string(),
    z.object({ message: z.string(), code: z.string().nullish(), type: z.string().nullish() }),
  ]),
});

/** Returns what a refusal says: its problem and its text. */
export function readRefusal(status: number, body: unknown): { problem: LlmProblem; text: string } {
  const error = Refusal.safeParse(body).data?.error;
  const text = typeof error === 'string' ? error : (error?.message ?? `answered ${status}`);
  const code = typeof error === 'object' ? `${error.code ?? ''} ${error.type ?? ''}` : '';
  return { problem: problemOf(status, `${code} ${text}`.slice(0, 2_000).toLowerCase()), text };
}

function problemOf(status: number, said: string): LlmProblem {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402 || /insufficient_quota|exceeded your current quota|billing/.test(said)) return 'quota';
  if (status === 429) return 'rate_limited';
  if (status === 408 || status === 504) return 'timeout';
  if (status >= 500) return 'unavailable';
  if (/context_length|context length|context window|maximum context|too many tokens|prompt is too long/.test(said))
    return 'context_too_long';
  if (/content_filter|content_policy|content management policy/.test(said)) return 'filtered';
  return 'invalid';
}
