import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A webhook as it came in. Its signature was accepted by the library of the Standard Webhooks project. */
export interface ReceivedWebhook {
  id: string;
  at: number;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every type
  body: any;
  raw: string;
}

export interface WebhookReceiver {
  url: string;
  /** The secrets that endpoints of this receiver were given. Every request must be signed by one. */
  secrets: string[];
  received: ReceivedWebhook[];
  /** What was refused because of its signature. */
  refused: string[];
  /** How it answers from now on; by default 200. */
  answer: (webhook: ReceivedWebhook, response: ServerResponse) => void;
  close(): Promise<void>;
}

const accept = (_: ReceivedWebhook, response: ServerResponse) => void response.writeHead(200).end('ok');

/** A receiver of webhooks as a customer would run it, on loopback. Close it after use. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8');
      if (!isSigned(receiver.secrets, raw, request.headers)) {
        receiver.refused.push(raw);
        response.writeHead(401).end();
        return;
      }
      const webhook = {
        id: String(request.headers['webhook-id']),
        at: Date.now(),
        headers: request.headers,
        body: JSON.parse(raw),
        raw,
      };
      receiver.received.push(webhook);
      receiver.answer(webhook, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hooks`,
    secrets: [],
    received: [],
    refused: [],
    answer: accept,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}

function isSigned(secrets: string[], raw: string, headers: IncomingHttpHeaders): boolean {
  const given = {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  };
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(raw, given);
      return true;
    } catch {
      return false;
    }
  });
}
