import { LLMock } from '@copilotkit/aimock';
import { keysOf } from '../../../src/collections/checked-access.ts';

interface Asked {
  model: string;
  messages: { role: string; content: string }[];
  tools: string[];
  temperature?: number | undefined;
  /** What stands after `Data:` in the last message. */
  data: {
    passages?: { passage: number; use: string; title: string; text: string; url?: string }[];
    receipts?: { receipt: string; text: string }[];
    /** Of a summary: what is to be summarized. */
    messages?: { message: number; from: string; text: string }[];
    /** Of a suggestion of tags: the tags, and what the customer wrote. */
    tags?: { tag: string; description?: string }[];
    conversation?: string;
    context?: Record<string, string>;
    /** Of a plan: what became of calls. */
    notes?: { note: string; said_by_server?: string }[];
  };
  /** What the customer wrote last. */
  question: string;
  isPlan: boolean;
}

type Said =
  | { json: unknown }
  | { text: string }
  | { calls: { name: string; arguments: object | string }[] }
  | { status: number; message?: string; code?: string };

export type FakeModel = Awaited<ReturnType<typeof startFakeModel>>;

/** What a model is asked beside turns: the beginning of the prompt. */
const BESIDE_TURNS = { summaries: 'You summarize', statements: 'You read a conversation', names: 'You name what' };
type Beside = keyof typeof BESIDE_TURNS;
/** Nothing worth noting, in the shape of each of them. */
const EMPTY_ANSWER: Said = { json: { sentences: [], sentiment: null, statements: [], name: '' } };

/**
 * A model behind OpenAI's protocol, on aimock: it answers as the script says, by what it is asked and never by order.
 * Questions beside turns get nothing, and are not listed, unless the test is `about` them.
 */
export async function startFakeModel(
  script: (asked: Asked) => Said | Promise<Said> = () => ({ text: '{}' }),
  about: readonly Beside[] = [],
) {
  const ignored = keysOf(BESIDE_TURNS).filter((kind) => !about.includes(kind));
  const asked: Asked[] = [];
  const usage = { input: 0, output: 0, calls: 0 };
  let answer = script;
  const mock = new LLMock({ port: 0, strict: true });
  mock.on({ predicate: () => true }, async (request) => {
    const parsed = read(request as never);
    const prompt = parsed.messages[0]?.content ?? '';
    const isIgnored = ignored.some((kind) => prompt.startsWith(BESIDE_TURNS[kind]));
    if (!isIgnored) asked.push(parsed);
    const said = isIgnored ? EMPTY_ANSWER : await answer(parsed);
    if (!('status' in said)) {
      const { prompt_tokens, completion_tokens } = tokensOf(parsed);
      usage.input += prompt_tokens;
      usage.output += completion_tokens;
      usage.calls++;
    }
    return answerOf(said, parsed);
  });
  await mock.start();
  return {
    settings: { base_url: `${mock.url}/v1`, api_key: 'sk-fake-model-key', model: 'helpful' },
    asked,
    /** The tokens of all answers. */
    usage,
    say: (next: typeof script) => {
      answer = next;
    },
    close: () => mock.stop(),
  };
}

const tokensOf = ({ messages }: Asked) => ({ prompt_tokens: 100 + messages.length, completion_tokens: 20 });

/** Returns an answer in aimock's words, with its tokens. */
function answerOf(said: Said, asked: Asked) {
  if ('status' in said)
    return {
      error: { message: said.message ?? 'not now', ...(said.code && { code: said.code }) },
      status: said.status,
    };
  const tokens = tokensOf(asked);
  const usage = { ...tokens, total_tokens: tokens.prompt_tokens + tokens.completion_tokens };
  if (!('calls' in said)) return { content: 'json' in said ? JSON.stringify(said.json) : said.text, usage };
  const toolCalls = said.calls.map((call) => ({
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));
  return { toolCalls, usage };
}

function read(request: {
  model: string;
  messages: { role: string; content: string }[];
  temperature?: number;
  tools?: { function: { name: string } }[];
}): Asked {
  const last = request.messages.at(-1)?.content ?? '';
  const data = /Data:\n(.*)/.exec(last)?.[1];
  return {
    model: request.model,
    messages: request.messages,
    temperature: request.temperature,
    tools: (request.tools ?? []).map((tool) => tool.function.name),
    data: data === undefined ? {} : JSON.parse(data),
    question: request.messages.findLast(({ role }) => role === 'user')?.content ?? '',
    isPlan: request.messages[0]?.content.startsWith('You plan') ?? false,
  };
}

/** An answer that quotes the first sentence of the first passage with these words. */
export const quoting = ({ data }: Asked, words: string, text: string) => {
  const passage = data.passages?.find((one) => one.text.includes(words));
  const quote = passage?.text.split(/(?<=\.)\s/).find((sentence) => sentence.includes(words)) ?? words;
  return {
    json: {
      kind: 'answer',
      language: 'en',
      covers: 'fully',
      parts: [{ text, support: [{ passage: passage?.passage ?? 1, quote }] }],
    },
  };
};
