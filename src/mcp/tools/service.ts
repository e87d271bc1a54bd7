import { CONFIRMED_TOOLS } from './confirmed.schema.ts';
import { CONTACT_TOOLS } from './contacts.schema.ts';
import { KNOWLEDGE_TOOLS } from './knowledge.schema.ts';
import { SESSION_READING_TOOLS, SESSION_WRITING_TOOLS } from './sessions.schema.ts';
import type { Tool } from './tool.schema.ts';

/** All tools, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  ...CONTACT_TOOLS,
  ...SESSION_READING_TOOLS,
  ...SESSION_WRITING_TOOLS,
  ...KNOWLEDGE_TOOLS,
  ...CONFIRMED_TOOLS,
];

/** A request to the API. */
export interface ToolRequest {
  method: Tool['method'];
  url: string;
  body?: unknown;
}

/** Returns the request that a call stands for: arguments of its path, and the rest as its query or body. */
export function requestOf({ method, path, bodyOf }: Tool, given: Record<string, unknown>): ToolRequest {
  const names = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)));
  if (method === 'GET' || method === 'DELETE') return { method, url: withQuery(filled, rest) };
  const body = bodyOf === undefined ? rest : bodyOf(rest);
  return Object.keys(rest).length === 0 && bodyOf === undefined
    ? { method, url: filled }
    : { method, url: filled, body };
}

function withQuery(path: string, parameters: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query}`;
}
