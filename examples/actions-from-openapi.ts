// Gives the AI the operations of a back end by its OpenAPI document, tries one, and removes them again.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/actions-from-openapi.ts
// BACKEND_URL is where the API reaches the back end: by default this program, which needs EGRESS_ALLOW=127.0.0.1.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Switchboard } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '', BACKEND_URL } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const OPERATION = 'exampleGetOrder';

/** A back end with one operation. It asks for a key. */
const server = createServer((request, response) => {
  const [, number] = /^\/orders\/([\w-]+)$/.exec(request.url ?? '') ?? [];
  const status = request.headers['x-api-key'] !== 'shop-key' ? 401 : number === undefined ? 404 : 200;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(status === 200 ? { number, state: 'shipped', expected: 'Friday' } : {}));
}).listen(0, '127.0.0.1');
await once(server, 'listening');

const document = {
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: BACKEND_URL ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}` }],
  paths: {
    '/orders/{number}': {
      get: {
        operationId: OPERATION,
        summary: 'Look an order up',
        description: 'Use it when the customer asks where an order is. The number is on the confirmation.',
        parameters: [{ name: 'number', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: { description: 'The order' } },
      },
    },
  },
};

async function removeActions() {
  for (const { id, operation_id } of await switchboard.listActions())
    if (operation_id === OPERATION) await switchboard.deleteAction({ path: { id } });
}

try {
  const file = new File([JSON.stringify(document)], 'shop.json', { type: 'application/json' });
  const { created, updated, problems, actions } = await switchboard.importActions({ body: { file } });
  for (const problem of problems) console.log(problem);
  console.log(`${created} created, ${updated} updated`);
  for (const { id } of actions) {
    // The key is stored encrypted, and goes to this back end alone.
    const hosts = [new URL(document.servers[0]?.url ?? '').origin];
    const contact = await switchboard.saveContact({
      body: {
        contact: {
          external_id: 'example-actions',
          http_action_overrides: { hosts, headers: { 'x-api-key': 'shop-key' } },
        },
      },
    });
    try {
      const tried = await switchboard.testAction({
        path: { id },
        body: { contact_id: contact.id, parameters: { path_params: { number: 'A-1' } } },
      });
      console.log(tried.status, JSON.stringify(tried.body));
    } finally {
      await switchboard.deleteContact({ path: { id: contact.id } });
    }
  }
} finally {
  await removeActions().finally(() => server.close());
}
