import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface Result {
  isError?: boolean;
  content: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
}

export interface Assistant {
  instructions: string | undefined;
  tools(): Promise<{ name: string; inputSchema: Record<string, unknown> }[]>;
  /** Calls a tool. With a signal, the client gives up once that is aborted. */
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

/** Connects a client to an api by its address and a key. */
export type Connect = (url: string, key: string) => Promise<Assistant>;

/** The makers' clients, each as its users run it. */
export const CONNECT: Record<string, Connect> = {
  'the client of 2026 that negotiates': (url, key) => modern(url, key, { versionNegotiation: { mode: 'auto' } }),
  'the client of 2026 as it comes': (url, key) => modern(url, key, {}),
  'the client of 2025': older,
};

const endpointOf = (url: string) => new URL(`${url}/mcp`);
const sent = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

async function modern(url: string, key: string, options: object): Promise<Assistant> {
  const client = new ModernClient({ name: 'test', version: '1' }, options);
  await client.connect(new ModernTransport(endpointOf(url), sent(key)));
  return {
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, signal) =>
      (await client.callTool({ name, arguments: args }, signal && { signal })) as Result,
    close: () => client.close(),
  };
}

export async function older(url: string, key: string): Promise<Assistant> {
  const client = new OlderClient({ name: 'test', version: '1' });
  await client.connect(new OlderTransport(endpointOf(url), sent(key)));
  return {
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, signal) =>
      (await client.callTool({ name, arguments: args }, undefined, signal && { signal })) as Result,
    close: () => client.close(),
  };
}

/** What a model reads of a result. */
export const textOf = ({ content }: Result): string => content.map(({ text }) => text).join('\n');
