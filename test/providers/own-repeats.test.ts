import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '../../src/ids.ts';
import { createEgress, type HttpClient } from '../../src/providers/egress/egress.ts';
import { createDirectSender } from '../../src/providers/meta/direct-messages/sender.ts';
import { directSettingsOf } from '../../src/providers/meta/direct-messages/settings.rules.ts';
import { createMetaSender } from '../../src/providers/meta/sender.ts';
import type { SendOutcome } from '../../src/providers/sending.ts';
import { createSlackSender } from '../../src/providers/slack/sender.ts';
import { createTwilioSender } from '../../src/providers/twilio/sender.ts';
import { createVapiSender } from '../../src/providers/vapi/sender.ts';

const egress = createEgress({ allow: ['127.0.0.0/8'] });
afterAll(() => egress.close());

/** What each provider answers to every request. */
const FAULTS: [
  name: string,
  meet: (request: IncomingMessage, response: ServerResponse) => void,
  SendOutcome['kind'],
][] = [
  ['a 500', (_request, response) => response.writeHead(500).end('{}'), 'unknown'],
  ['a 429', (_request, response) => response.writeHead(429, { 'retry-after': '1' }).end('{}'), 'retry'],
  ['a connection that closes', (request) => request.socket.resetAndDestroy(), 'unknown'],
];

const deliveryId = newId();
const agent = {
  id: newId(),
  name: 'Ada',
  voice_id: null,
  language: null,
  first_message: 'Hello?',
  handoff_phone_number: null,
  model: null,
  rules: [],
  instructions: [],
  tools: [],
};
const CALLBACK = 'https://desk.example.com/callbacks';
const to = '+14155550100';

/** One send through each provider. */
const SENDS: [provider: string, send: (http: HttpClient, base_url: string) => Promise<SendOutcome>][] = [
  [
    'Twilio',
    (http, base_url) =>
      createTwilioSender(http, { base_url, account_sid: 'AC1', auth_token: 't', from: '+15005550006' }, CALLBACK).send({
        deliveryId,
        to,
        body: 'Hi',
      }),
  ],
  [
    'WhatsApp',
    (http, base_url) =>
      createMetaSender(http, { base_url, access_token: 't' }).send({ deliveryId, to, phoneNumberId: '1', text: 'Hi' }),
  ],
  [
    'Messenger',
    (http, base_url) =>
      createDirectSender(http, directSettingsOf({ base_url, page_id: '1', page_access_token: 't' })).send({
        deliveryId,
        to: '7',
        text: 'Hi',
      }),
  ],
  [
    'Instagram',
    (http, base_url) =>
      createDirectSender(http, directSettingsOf({ base_url, account_id: '1', access_token: 't' })).send({
        deliveryId,
        to: '7',
        text: 'Hi',
      }),
  ],
  [
    'Slack',
    (http, base_url) =>
      createSlackSender(http, { base_url, bot_token: 't' }).send({ deliveryId, to: 'C1:1.1', text: 'Hi', files: [] }),
  ],
  [
    'Vapi',
    (http, base_url) =>
      createVapiSender(http, { base_url, api_key: 'k', phone_number_id: 'p', webhook_secret: 's' }, CALLBACK).send({
        deliveryId,
        to,
        contactName: null,
        agent,
      }),
  ],
];

describe.each(SENDS)('a send through %s', (_provider, send) => {
  it.each(FAULTS)('is one request at %s', async (_name, meet, kind) => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      meet(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const outcome = await send(egress, `http://127.0.0.1:${port}`);
    server.closeAllConnections();
    server.close();
    expect([outcome.kind, requests]).toEqual([kind, 1]);
  });
});
