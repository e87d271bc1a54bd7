import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, PriorDiscovery, StreamableHTTPClientTransport, Tool } from '@modelcontextprotocol/client';
import { withDeadline } from '../egress/deadlines.ts';
import { EgressError, type StreamClient } from '../egress/egress.ts';
import { storableJson } from '../storable.rules.ts';
import { failureOf } from './failures.ts';

const CLIENT = { name: 'switchboard', title: 'Switchboard', version: '1.0' };
const CONNECT_TIMEOUT_MS = 10_000;
const LIST_TIMEOUT_MS = 10_000;
const CALL_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 1_000;
const MAX_ANSWER_BYTES = 2 * 1_024 * 1_024;
const MAX_PAGES = 10;
/** An answer that has ended is read in this time. */
const READING_MS = 250;
/** The id of a call, in the metadata of its request. */
const CALL_ID = 'switchboard/call-id';

/** Which of the protocol's eras a server speaks. Kept, it saves the requests that find it out. */
export type McpVerdict = PriorDiscovery;
/** A tool as a server lists it. */
export type McpTool = Tool;

export interface McpServer {
  url: string;
  /** Sent with each request. */
  headers: Record<string, string>;
  /** Null if it is not known yet. */
  verdict: McpVerdict | null;
}

/** A call of a tool. Its id is the request's `Idempotency-Key`, and in its metadata. */
export interface McpCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  inputSchema: McpTool['inputSchema'];
}

/** What a tool has answered. */
export interface McpAnswer {
  isError: boolean;
  content: readonly { type: string; text?: unknown }[];
  structuredContent: unknown;
}

/** A connection to a server, for one purpose. Its methods throw EgressErrors. */
export interface McpConnection {
  verdict: McpVerdict;
  /** The negotiated version of the protocol, such as 2026-07-28. */
  protocol: string;
  /** Returns all tools, whatever the server says about how long a list is good. */
  listTools(): Promise<McpTool[]>;
  callTool(call: McpCall): Promise<McpAnswer>;
}

/**
 * Connects to a server of the Model Context Protocol over HTTP, of 2025 or 2026-07-28, does `work`, and closes the
 * connection. All requests leave through the egress. Nothing is offered to the server: no questions, no sampling, no
 * roots, and no stream beside its call. Throws EgressErrors, whose `mayHaveArrived` says whether a tool may have run.
 */
export const withMcpServer = <Value>(
  egress: StreamClient,
  server: McpServer,
  timeoutMs: number,
  work: (connection: McpConnection) => Promise<Value>,
): Promise<Value> =>
  withDeadline(timeoutMs, undefined, async (signal) => {
    const opened = await open(egress, server, signal);
    try {
      return await work(connectionOf(opened, server, signal));
    } finally {
      await close(opened);
    }
  });

interface Opened {
  client: Client;
  transport: StreamableHTTPClientTransport;
  requests: WatchedRequests;
}

/** A verdict that does not hold any more is found out again. */
async function open(egress: StreamClient, server: McpServer, signal: AbortSignal): Promise<Opened> {
  const { verdict, url } = server;
  try {
    return await connect(egress, server, signal);
  } catch (error) {
    const failure = failureOf(error, { host: hostOf(url), isCalling: false });
    if (verdict === null || signal.aborted || failure.transient) throw failure;
  }
  return connect(egress, { ...server, verdict: null }, signal).catch((error: unknown) => {
    throw failureOf(error, { host: hostOf(url), isCalling: false });
  });
}

async function connect(
  egress: StreamClient,
  { url, headers, verdict }: McpServer,
  signal: AbortSignal,
): Promise<Opened> {
  // Loaded by the first call: most processes never need it.
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const requests = watchRequests(egress, signal);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: requests.fetch,
    requestInit: { headers, redirect: 'manual' },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
    },
    onInsufficientScope: 'throw',
  });
  const client = new Client(CLIENT, {
    versionNegotiation: { mode: 'auto' },
    inputRequired: { autoFulfill: false },
    listMaxPages: MAX_PAGES,
  });
  try {
    await client.connect(transport, {
      timeout: CONNECT_TIMEOUT_MS,
      signal,
      ...(verdict !== null && { prior: verdict }),
    });
    return { client, transport, requests };
  } catch (error) {
    await client.close();
    throw error;
  }
}

function connectionOf({ client, requests }: Opened, { url }: McpServer, signal: AbortSignal): McpConnection {
  const host = hostOf(url);
  const discover = client.getDiscoverResult();
  return {
    verdict:
      client.getProtocolEra() === 'modern' && discover !== undefined
        ? { kind: 'modern', discover: storableJson(discover) as typeof discover }
        : { kind: 'legacy' },
    protocol: client.getNegotiatedProtocolVersion() ?? '',
    async listTools() {
      try {
        const { tools } = await client.listTools({}, { timeout: LIST_TIMEOUT_MS, signal, cacheMode: 'bypass' });
        return tools;
      } catch (error) {
        throw failureOf(error, { host, isCalling: false });
      }
    },
    async callTool({ id, name, arguments: given, inputSchema }) {
      const end = requests.watchEnd(host);
      try {
        const called = client.callTool(
          { name, arguments: given, _meta: { [CALL_ID]: id } },
          {
            timeout: CALL_TIMEOUT_MS,
            signal,
            headers: { 'Idempotency-Key': id },
            toolDefinition: { name, inputSchema }, // without its outputSchema: an answer is never lost for its form
          },
        );
        const { isError = false, content = [], structuredContent } = await Promise.race([called, end.promise]);
        return { isError, content, structuredContent };
      } catch (error) {
        throw failureOf(error, { host, isCalling: end.hasBegun() });
      } finally {
        end.stop();
      }
    },
  };
}

/** A server that insists on a session loses it with the connection. */
async function close({ client, transport }: Opened): Promise<void> {
  if (transport.sessionId !== undefined)
    await Promise.race([transport.terminateSession().catch(() => undefined), sleep(CLOSE_TIMEOUT_MS)]);
  await client.close();
}

interface WatchedRequests {
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Watches the next request: `promise` rejects once its answer has ended, and was not a result. */
  watchEnd(host: string): { promise: Promise<never>; hasBegun: () => boolean; stop: () => void };
}

/**
 * Sends the client's requests through the egress. The client would wait until its time is over for an answer that has
 * ended without a result, or that was none: so the ends of answers are watched here.
 */
function watchRequests(egress: StreamClient, signal: AbortSignal): WatchedRequests {
  let watched: { begin(): void; end(): void } | undefined;
  return {
    async fetch(url, { method = 'GET', headers, body, signal: own } = {}) {
      // The stream of a server's own messages is not opened.
      if (method === 'GET') return new Response(null, { status: 405 });
      const watch = method === 'POST' ? watched : undefined;
      watched = undefined;
      watch?.begin();
      const response = await egress.fetch(String(url), {
        method: method as 'POST' | 'DELETE',
        headers: Object.fromEntries(new Headers(headers)),
        ...(typeof body === 'string' && { body }),
        signal: own ? AbortSignal.any([signal, own]) : signal,
        maxBytes: MAX_ANSWER_BYTES,
      });
      if (watch === undefined) return response;
      if (response.body === null) {
        watch.end();
        return response;
      }
      return new Response(ReadableStream.from(endingWith(response.body, watch.end)), response);
    },
    watchEnd(host) {
      const { promise, reject } = Promise.withResolvers<never>();
      promise.catch(() => undefined); // nobody waits for it once the call is over
      let hasBegun = false;
      let timer: NodeJS.Timeout | undefined;
      const fail = () =>
        reject(new EgressError(`${host} ended its answer without a result`, { transient: true, mayHaveArrived: true }));
      watched = {
        begin: () => {
          hasBegun = true;
        },
        end: () => {
          timer ??= setTimeout(fail, READING_MS);
        },
      };
      return { promise, hasBegun: () => hasBegun, stop: () => clearTimeout(timer) };
    },
  };
}

async function* endingWith(body: ReadableStream<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    end();
  }
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? 'The server';
