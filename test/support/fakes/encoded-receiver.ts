import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseDocument } from 'htmlparser2';

export interface ReceivedBody {
  contentType: string;
  /** What a program reads from the body in its media type. */
  content: unknown;
}

interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: (XmlElement | string)[];
}

export interface EncodedReceiver {
  url: string;
  received: ReceivedBody[];
  close(): Promise<void>;
}

/** A server that reads each body by its content type alone, and answers 415 where the two do not belong together. */
export async function startEncodedReceiver(): Promise<EncodedReceiver> {
  const received: ReceivedBody[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const contentType = request.headers['content-type'] ?? '';
    const content = await readBody(contentType, Buffer.concat(chunks)).catch(() => undefined);
    if (content !== undefined) received.push({ contentType, content });
    response.writeHead(content === undefined ? 415 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ claim: 4711 }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(contentType: string, bytes: Buffer): Promise<unknown> {
  const [type = ''] = contentType.split(';');
  if (type === 'application/json') return JSON.parse(bytes.toString());
  if (type === 'multipart/form-data') return readParts(contentType, bytes);
  if (type === 'application/x-www-form-urlencoded') return [...new URLSearchParams(bytes.toString())];
  if (type.endsWith('xml')) return readXml(bytes.toString());
  if (type.startsWith('text/')) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  return type === '' ? undefined : bytes.toString('base64');
}

/** Reads the parts as undici does: [name, text] or [name, file name, type, content as base64]. */
async function readParts(contentType: string, bytes: Buffer): Promise<unknown[]> {
  const headers = { 'content-type': contentType };
  const response: { formData(): Promise<FormData> } = new Response(new Uint8Array(bytes), { headers });
  const form = await response.formData();
  const parts: unknown[] = [];
  for (const [name, value] of form)
    parts.push(
      typeof value === 'string'
        ? [name, value]
        : [name, value.name, value.type, Buffer.from(await value.arrayBuffer()).toString('base64')],
    );
  return parts;
}

function readXml(text: string): XmlElement | undefined {
  if (!text.startsWith('<?xml version="1.0" encoding="UTF-8"?>')) throw new Error('no XML declaration');
  const { children } = parseDocument(text, { xmlMode: true });
  const [root, ...others] = children.flatMap(elementOf).filter((one) => typeof one !== 'string');
  if (root === undefined || others.length > 0) throw new Error('not one root element');
  return root;
}

function elementOf(node: ReturnType<typeof parseDocument>['children'][number]): (XmlElement | string)[] {
  if (node.type === 'text') return [node.data];
  if (node.type !== 'tag') return [];
  return [{ name: node.name, attributes: node.attribs, children: node.children.flatMap(elementOf) }];
}
