import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';

/** What we read of opentelemetry/proto/trace/v1/trace.proto and what it is made of. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
  message Scope { string name = 1; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start = 7; fixed64 end = 8; repeated KeyValue attributes = 9; repeated Event events = 11;
    repeated Link links = 13; Status status = 15;
  }
  message Event { fixed64 time = 1; string name = 2; repeated KeyValue attributes = 3; }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; Value value = 2; }
  message Value { oneof value { string string = 1; bool bool = 2; int64 int = 3; double double = 4; Values array = 5; Pairs pairs = 6; } }
  message Values { repeated Value values = 1; }
  message Pairs { repeated KeyValue values = 1; }
`);
const Request = root.lookupType('Request');

export interface ReceivedSpan {
  service: string;
  traceId: string;
  id: string;
  /** Undefined for the root of a trace. */
  parentId: string | undefined;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  /** Everything of it, as JSON. */
  text: string;
}

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** What was wrong with what came in. */
  refused: string[];
  headers: Record<string, unknown>[];
  close(): Promise<void>;
}

interface KeyValue {
  key: string;
  value: Record<string, unknown>;
}
interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name?: string;
  kind?: number;
  start: string;
  end: string;
  attributes?: KeyValue[];
}

/** A receiver of traces by OTLP over HTTP, in protobuf, which refuses what the protocol does not allow. Close it after use. */
export async function startOtlpReceiver(port = 0): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const refused: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    headers.push(request.headers);
    try {
      if (request.method !== 'POST' || request.url !== '/v1/traces')
        throw new Error(`${request.method} ${request.url}`);
      if (request.headers['content-type'] !== 'application/x-protobuf') throw new Error('not protobuf');
      const body = await buffer(request);
      spans.push(...spansIn(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    } catch (error) {
      refused.push(String(error));
      response.writeHead(400).end();
    }
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    refused,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function spansIn(body: Buffer): ReceivedSpan[] {
  const decoded = Request.toObject(Request.decode(body), { longs: String, bytes: String });
  return (decoded.resourceSpans ?? []).flatMap(
    ({ resource, scopeSpans = [] }: { resource: { attributes: KeyValue[] }; scopeSpans?: { spans: SentSpan[] }[] }) =>
      scopeSpans.flatMap(({ spans }) => spans.map((span) => read(span, valuesOf(resource.attributes)))),
  );
}

function read(span: SentSpan, resource: Record<string, unknown>): ReceivedSpan {
  const traceId = hexOf(span.traceId);
  const id = hexOf(span.spanId);
  if (!/^(?!0+$)[\da-f]{32}$/.test(traceId)) throw new Error(`trace id ${traceId}`);
  if (!/^(?!0+$)[\da-f]{16}$/.test(id)) throw new Error(`span id ${id}`);
  if (!span.name) throw new Error('a span without a name');
  if (BigInt(span.start) === 0n || BigInt(span.end) < BigInt(span.start)) throw new Error(`times of ${span.name}`);
  const parentId = span.parentSpanId ? hexOf(span.parentSpanId) : undefined;
  if (parentId !== undefined && parentId.length !== 16) throw new Error(`parent id ${parentId}`);
  const attributes = valuesOf(span.attributes ?? []);
  const service = String(resource['service.name']);
  return {
    service,
    traceId,
    id,
    parentId,
    name: span.name,
    kind: span.kind ?? 0,
    attributes,
    text: JSON.stringify(span),
  };
}

const hexOf = (base64: string): string => Buffer.from(base64, 'base64').toString('hex');

const valuesOf = (pairs: KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Returns the names from the root of a trace to a span. Throws if a span on the way is missing. */
export function pathTo(spans: ReceivedSpan[], span: ReceivedSpan): string[] {
  if (span.parentId === undefined) return [span.name];
  const parent = spans.find(({ traceId, id }) => traceId === span.traceId && id === span.parentId);
  if (parent === undefined)
    throw new Error(`${span.name} has no parent among ${spans.map(({ name }) => name).join(', ')}`);
  return [...pathTo(spans, parent), span.name];
}
