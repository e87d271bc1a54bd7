import { z } from 'zod';
import type { AskedTool, ToolRequest } from '../sending.ts';
import { deliveryIdOf, metadataOf, PhoneAgentMetadata, VapiCall } from './calls.ts';

const MAX_CALLS = 10;
/** Those beyond MAX_CALLS are told so. */
const MAX_ANSWERED = 100;

/** Models give arguments as JSON; Vapi passes them on as such, or parsed. */
const Arguments = z.union([z.string().transform(parsedJson), z.unknown()]).optional();
const Name = z.string().min(1).max(64);
const Identified = z.object({ id: z.string().min(1).max(256) });
const ToolCall = Identified.extend({
  name: Name.optional(),
  arguments: Arguments,
  parameters: Arguments,
  function: z.object({ name: Name, arguments: Arguments }).optional(),
}).transform(({ id, function: called, ...direct }) => ({
  id,
  name: called?.name ?? direct.name,
  arguments: called?.arguments ?? direct.arguments ?? direct.parameters,
}));

const Message = z.object({ type: z.literal('tool-calls'), call: VapiCall, toolCallList: z.array(z.unknown()) });

/**
 * Returns what an assistant asks for by its tools. Undefined for any other message. A call that is not to be made has a
 * problem: an assistant that is told nothing of it would wait, or take it for done.
 */
export function toolRequestOf(message: unknown): ToolRequest | undefined {
  const { success, data } = Message.safeParse(message);
  if (!success) return undefined;
  return {
    providerId: data.call.id,
    deliveryId: deliveryIdOf(data.call),
    agentId: metadataOf(data.call, PhoneAgentMetadata)?.phone_agent_id,
    calls: data.toolCallList.slice(0, MAX_ANSWERED).flatMap(askedTool),
  };
}

/** Returns a call of the list, or nothing if it has no id to answer it by. */
function askedTool(item: unknown, nth: number): AskedTool[] {
  const id = Identified.safeParse(item).data?.id;
  if (id === undefined) return [];
  const { name, arguments: args } = ToolCall.safeParse(item).data ?? {};
  if (name === undefined) return [{ id, problem: 'It does not name a tool' }];
  if (nth >= MAX_CALLS) return [{ id, name, problem: `At most ${MAX_CALLS} tools are used at once: ask again` }];
  return [{ id, name, arguments: args }];
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
