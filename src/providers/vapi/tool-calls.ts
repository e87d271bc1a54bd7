import { z } from 'zod';
import { isUuid } from '../../ids.ts';
import type { ToolRequest } from '../sending.ts';
import { deliveryIdOf, metadataOf, VapiCall } from './calls.ts';

const MAX_CALLS = 10;

/** Models give arguments as JSON; Vapi passes them on as such, or parsed. */
const Arguments = z.union([z.string().transform(parsedJson), z.unknown()]).optional();
const Name = z.string().min(1).max(64);
const ToolCall = z
  .object({
    id: z.string().min(1).max(256),
    name: Name.optional(),
    arguments: Arguments,
    parameters: Arguments,
    function: z.object({ name: Name, arguments: Arguments }).optional(),
  })
  .transform(({ id, function: called, ...direct }) => ({
    id,
    name: called?.name ?? direct.name,
    arguments: called?.arguments ?? direct.arguments ?? direct.parameters,
  }));

const Message = z.object({ type: z.literal('tool-calls'), call: VapiCall, toolCallList: z.array(z.unknown()) });
const PhoneAgentMetadata = z.object({ phone_agent_id: z.string().refine(isUuid) });

/** Returns what an assistant asks for by its tools. Undefined for any other message. */
export function toolRequestOf(message: unknown): ToolRequest | undefined {
  const { success, data } = Message.safeParse(message);
  if (!success) return undefined;
  const calls = data.toolCallList.slice(0, MAX_CALLS).flatMap((item) => {
    const asked = ToolCall.safeParse(item).data;
    return asked?.name === undefined ? [] : [{ ...asked, name: asked.name }];
  });
  return {
    providerId: data.call.id,
    deliveryId: deliveryIdOf(data.call),
    agentId: metadataOf(data.call, PhoneAgentMetadata)?.phone_agent_id,
    calls,
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
