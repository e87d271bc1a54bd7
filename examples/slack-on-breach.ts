// Posts to Slack when a customer has waited too long for the first reply, and removes all that it has made.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… SLACK_WEBHOOK_URL=https://hooks.slack.com/services/… node examples/slack-on-breach.ts
// RECEIVER_URL is where the API reaches this program: by default this machine, which needs EGRESS_ALLOW=127.0.0.1.
// Without SLACK_WEBHOOK_URL, what Slack would get is printed.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Switchboard, verifyWebhook, WebhookRefused } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '', SLACK_WEBHOOK_URL, RECEIVER_URL } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
/** What is read here of the event `sla.breached`. */
interface Breach {
  session: { ticket_number: number };
  metric: string;
}

const posted = Promise.withResolvers<void>();
let secret = '';

async function postToSlack(message: { text: string }): Promise<void> {
  if (SLACK_WEBHOOK_URL === undefined) return console.log(JSON.stringify(message));
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(SLACK_WEBHOOK_URL, { method: 'POST', headers, body: JSON.stringify(message) });
  if (!answer.ok) throw new Error(`Slack answered ${answer.status}`);
}

/** A failure is answered by 500: the webhook is sent again later. */
async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const event = await verifyWebhook<Breach>({ headers: request.headers, body: await text(request), secret });
    if (event.type === 'sla.breached') {
      const { session, metric } = event.data;
      await postToSlack({ text: `Ticket ${session.ticket_number} has missed its ${metric.replace('_', ' ')}` });
      posted.resolve();
    }
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookRefused ? 401 : 500).end();
  }
}

const server = createServer((request, response) => void receive(request, response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

const url = RECEIVER_URL ?? `http://127.0.0.1:${port}/`;
const endpoint = await switchboard.createWebhookEndpoint({ body: { url, event_types: ['sla.breached'] } });
secret = endpoint.secret;
const policy = await switchboard.createSlaPolicy({
  body: { name: 'example: a second', first_reply_target_seconds: 1 },
});
await switchboard.assignSlaPolicy({ path: { id: policy.id }, body: { channels: ['api'] } });
const session = await switchboard.createChatSession({ body: { channel: { type: 'api' } } });
try {
  await switchboard.sendMessage({
    path: { id: session.id },
    body: { sender: 'contact', message: { type: 'text', text: 'Is anybody there?' } },
  });
  await posted.promise;
} finally {
  await switchboard.updateChatSession({ path: { id: session.id }, body: { status: 'closed_resolved' } });
  await switchboard.deleteSlaPolicy({ path: { id: policy.id } });
  await switchboard.deleteWebhookEndpoint({ path: { id: endpoint.id } });
  server.close();
}
