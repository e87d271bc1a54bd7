#!/usr/bin/env bash
# The client that hey-api generates for an event stream ends with the connection: what comes later is lost in silence.
#
# Seen with @hey-api/openapi-ts 0.99.0 (its fetch client) and eventsource 4.1.0, on the same server. It sends two events,
# closes the connection as proxies and restarts do, and has a third event for whoever comes back with Last-Event-ID: 2.
# - eventsource connects again by itself and gets three events (WHATWG HTML, 9.2.3: a closed stream is reestablished).
# - hey-api's `stream` yields two events and is done, without an error. It only connects again after a failure.
# It ends with an error if one of these changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @hey-api/openapi-ts@0.99.0 typescript@5.9.3 eventsource@4.1.0 esbuild@0.28.2 > /dev/null

cat > openapi.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Events", "version": "1" },
  "paths": {
    "/events": {
      "get": {
        "operationId": "streamEvents",
        "responses": {
          "200": { "description": "Events", "content": { "text/event-stream": { "schema": { "type": "string" } } } }
        }
      }
    }
  }
}
JSON
npx openapi-ts -i openapi.json -o client -p @hey-api/client-fetch @hey-api/sdk @hey-api/typescript --silent > /dev/null
npx esbuild client/sdk.gen.ts --bundle --format=esm --platform=neutral --outfile=client.mjs --log-level=error

cat > seen.mjs <<'JS'
import { createServer } from 'node:http';
import { EventSource } from 'eventsource';
import { streamEvents } from './client.mjs';

const ENOUGH_MS = 8_000;
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const isBack = request.headers['last-event-id'] === '2';
  response.end(isBack ? 'id: 3\ndata: 3\n\n' : 'retry: 200\nid: 1\ndata: 1\n\nid: 2\ndata: 2\n\n');
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const baseUrl = `http://127.0.0.1:${server.address().port}`;

/** Collects three events, or those that have come after some seconds. */
const within = (collect) =>
  new Promise((resolve) => {
    const seen = [];
    const give = (how) => resolve(`${how}: ${seen.join(' ')}`);
    const timer = setTimeout(() => give('still open'), ENOUGH_MS);
    collect((data) => seen.push(Number(data)) === 3 && give('three came'), () => give('ended')).finally(() =>
      clearTimeout(timer),
    );
  });

const byStandard = await within(async (add) => {
  const source = new EventSource(`${baseUrl}/events`);
  await new Promise((resolve) => {
    source.onmessage = ({ data }) => add(data) && resolve();
  }).catch(() => undefined);
  source.close();
});
const byHeyApi = await within(async (add, end) => {
  const { stream } = await streamEvents({ baseUrl, sseDefaultRetryDelay: 200 });
  for await (const data of stream) add(data);
  end();
});
server.close();
server.closeAllConnections();
console.log(`eventsource: ${byStandard}\nhey-api: ${byHeyApi}`);
const isAsSeen = byStandard === 'three came: 1 2 3' && byHeyApi === 'ended: 1 2';
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node seen.mjs
