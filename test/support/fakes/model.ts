import { LLMock } from '@copilotkit/aimock';

interface Asked {
  model: string;
  messages: { role: string; content: string }[];
  tools: string[];
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

/** A model behind OpenAI's protocol, on aimock: it answers as the script says, by what it is asked and never by order. */
export async function startFakeModel(script: (asked: Asked) => Said | Promise<Said> = () => ({ text: '{}' })) {
  const asked: Asked[] = [];
  const usage = { input: 0, output: 0, calls: 0 };
  let answer = script;
  const mock = new LLMock({ port: 0, strict: true });
  mock.on({ predicate: () => true }, async (request) => {
    const parsed = read(request as never);
    asked.push(parsed);
    const said = await answer(parsed);
    if ('status' in said)
      return {
        error: { message: said.message ?? 'not now', ...(said.code && { code: said.code }) },
        status: said.status,
      };
    const tokens = { prompt_tokens: 100 + parsed.messages.length, completion_tokens: 20 };
    usage.input += tokens.prompt_tokens;
    usage.output += tokens.completion_tokens;
    usage.calls++;
    const counted = { usage: { ...tokens, total_tokens: tokens.prompt_tokens + tokens.completion_tokens } };
    if ('calls' in said)
      return {
        toolCalls: said.calls.map((call) => ({
          name: call.name,
          arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
        })),
        ...counted,
      };
    return { content: 'json' in said ? JSON.stringify(said.json) : said.text, ...counted };
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

function read(request: {
  model: string;
  messages: { role: string; content: string }[];
  tools?: { function: { name: string } }[];
}): Asked {
  const last = request.messages.at(-1)?.content ?? '';
  const data = /Data:\n(.*)/.exec(last)?.[1];
  return {
    model: request.model,
    messages: request.messages,
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
