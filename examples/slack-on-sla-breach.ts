// Tells a channel of Slack when a customer has waited longer than promised. Makes such a case, and removes all again.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… SLACK_WEBHOOK_URL=… node examples/slack-on-sla-breach.ts
// SLACK_WEBHOOK_URL is an incoming webhook of Slack. Without it, a receiver of the example prints what Slack would show.
// RECEIVER_URL is where the API reaches this program: by default this machine, which needs EGRESS_ALLOW=127.0.0.1.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Switchboard, verifyWebhook, WebhookRefused, type WebhookSlaBreached } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '', RECEIVER_URL, RECEIVER_PORT = '0' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });

type Listener = (...args: Parameters<RequestListener>) => Promise<unknown>;

async function serve(listener: Listener, port = 0) {
  const server = createServer((request, response) => void listener(request, response)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Slack reads &, < and > as its own marks. */
const escaped = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const MISSED = { first_reply: 'first reply', next_reply: 'next reply', resolution: 'resolution' };
async function messageOf(data: WebhookSlaBreached['data']): Promise<string> {
  // The event of a very large conversation has its id only.
  const session =
    'session' in data ? data.session : await switchboard.getChatSession({ path: { id: data.session_id } });
  const policy = 'policy' in data ? data.policy : null;
  const link = `<${SWITCHBOARD_URL}/console/s/${session.id}|Ticket ${session.ticket_number}>`;
  const who = session.contact?.name ?? session.contact?.email ?? 'a visitor';
  return `:rotating_light: ${link} of ${escaped(who)} has missed its ${MISSED[data.metric]} (${escaped(policy?.name ?? 'SLA')})`;
}

/** Webhooks may come again: each becomes one message. Several processes would store the ids in a database. */
const told = new Set<string>();
const done = Promise.withResolvers<void>();
let secret = '';
const receive: Listener = async (request, response) => {
  try {
    const id = String(request.headers['webhook-id']);
    const event = await verifyWebhook({ headers: request.headers, body: await text(request), secret });
    if (event.type === 'sla.breached' && !told.has(id)) {
      const body = JSON.stringify({ text: await messageOf(event.data) });
      const answer = await fetch(slackUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      // Anything but a 2xx makes Switchboard try again: for days, if Slack is away for days.
      if (!answer.ok) return response.writeHead(503, retryAfter(answer)).end();
      told.add(id);
    }
    done.resolve();
    return response.writeHead(204).end();
  } catch (error) {
    return response.writeHead(error instanceof WebhookRefused ? 401 : 500).end();
  }
};
const retryAfter = ({ headers }: Response) => ({ 'retry-after': headers.get('retry-after') ?? '30' });

const standIn = await serve(async (request, response) => {
  console.log(JSON.parse(await text(request)).text);
  response.end('ok');
});
const slackUrl = process.env.SLACK_WEBHOOK_URL ?? standIn.url;
const receiver = await serve(receive, Number(RECEIVER_PORT));

/** What has to be removed again, whatever fails on the way. */
const undo: (() => Promise<unknown>)[] = [];

/** Makes a conversation that waits too long, and resolves once Slack knows of it. */
async function breachPromise() {
  const endpoint = await switchboard.createWebhookEndpoint({
    body: { url: RECEIVER_URL ?? receiver.url, event_types: ['sla.breached'], description: 'slack-on-sla-breach' },
  });
  undo.push(() => switchboard.deleteWebhookEndpoint({ path: { id: endpoint.id } }));
  secret = endpoint.secret;
  // The shortest promise that there is: an answer within a minute, on a tag that only this example has.
  const tag = `example-${crypto.randomUUID()}`;
  await switchboard.upsertTag({ body: { tag_name: tag } });
  undo.push(() => switchboard.deleteTag({ path: { tag_name: tag } }));
  const policy = await switchboard.createSlaPolicy({ body: { name: 'Example', first_reply_target_seconds: 60 } });
  undo.push(() => switchboard.deleteSlaPolicy({ path: { id: policy.id } }));
  await switchboard.assignSlaPolicy({ path: { id: policy.id }, body: { tags: [tag] } });
  const contact = await switchboard.saveContact({ body: { contact: { external_id: tag, name: 'Ada & Co' } } });
  undo.push(() => switchboard.deleteContact({ path: { id: contact.id } }));
  const session = await switchboard.createChatSession({ body: { contact_id: contact.id } });
  const path = { id: session.id };
  undo.push(() => switchboard.updateChatSession({ path, body: { status: 'closed_resolved' } }));
  await switchboard.addChatSessionTags({ path, body: { tags: [tag] } });
  await switchboard.sendMessage({
    path,
    body: { sender: 'contact', message: { type: 'text', text: 'Is anybody there?' } },
  });
  await done.promise; // a minute later
}

/** Runs all steps, the last one first. One that fails is named, and does not keep the others from running. */
async function removeAll() {
  for (const step of undo.toReversed()) {
    await step().catch((error: unknown) => {
      console.error('Not removed:', error);
      process.exitCode = 1;
    });
  }
}

try {
  await breachPromise();
} finally {
  await removeAll();
  for (const { server } of [standIn, receiver]) {
    server.close();
    server.closeAllConnections();
  }
}
