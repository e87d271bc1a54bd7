// Receives a webhook, verifies its signature, and removes the endpoint again.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/verify-webhook.ts
// RECEIVER_URL is where the API reaches this program: by default this machine, which needs EGRESS_ALLOW=127.0.0.1.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Switchboard, verifyWebhook, type WebhookEvent, WebhookRefused } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '', RECEIVER_URL, RECEIVER_PORT = '0' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const received = Promise.withResolvers<WebhookEvent>();
let secret = '';

const server = createServer((request, response) => {
  text(request)
    .then((body) => verifyWebhook({ headers: request.headers, body, secret }))
    .then((event) => {
      response.writeHead(204).end();
      received.resolve(event);
    })
    .catch((error: unknown) => response.writeHead(error instanceof WebhookRefused ? 401 : 500).end());
});
server.listen(Number(RECEIVER_PORT), '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

const url = RECEIVER_URL ?? `http://127.0.0.1:${port}/`;
const endpoint = await switchboard.createWebhookEndpoint({ body: { url, description: 'verify-webhook' } });
try {
  secret = endpoint.secret;
  const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"type":"webhook.test"}' });
  console.log(`A request without a signature got ${forged.status}`);
  await switchboard.testWebhookEndpoint({ path: { id: endpoint.id } });
  const { type, organization_id } = await received.promise;
  console.log(`Received ${type} of the organization ${organization_id}`);
} finally {
  await switchboard.deleteWebhookEndpoint({ path: { id: endpoint.id } });
  server.close();
}
