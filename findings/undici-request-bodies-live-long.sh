#!/usr/bin/env bash
# What undici's request() has read stays in memory until the next full collection of V8, though nobody holds it.
#
# Seen with undici 8.12.4 in Node 24.21.0. For each request, undici makes its function to abort by
# `this.abort = (reason) => controller.abort(reason)` (lib/api/api-request.js). V8 places a function that is written as the
# value of a property among the long-lived objects at once (ParserBase::ParseAssignmentExpression: "we pretenure the
# literal"), so collections of young objects do not free it, nor what it leads to: the request, and the bytes of its answer.
# - 1,000 answers of 40 kB, read one after the other by request(): some 40 MB are kept, and 1,000 of 1,000 collected only
#   when V8 is asked for a full collection.
# - By dispatch() with a handler that collects the chunks: less than 4 MB.
# It ends with an error if one of these changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund undici@8.12.4 node@24.21.0 > /dev/null

cat > keep.mjs <<'JS'
import { createServer } from 'node:http';
import { once } from 'node:events';
import { Agent, request } from 'undici';

const TIMES = 1_000;
const body = 'x'.repeat(40_000);
const server = createServer((_, answer) => answer.end(body)).listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;
const agent = new Agent();

const byRequest = async () => (await (await request(origin, { dispatcher: agent })).body.text()).length;
const byDispatch = () =>
  new Promise((resolve, reject) => {
    let length = 0;
    agent.dispatch(
      { origin, path: '/', method: 'GET' },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData(_, chunk) {
          length += chunk.length;
        },
        onResponseEnd: () => resolve(length),
        onResponseError: (_, error) => reject(error),
      },
    );
  });

const keptMb = () => process.memoryUsage().arrayBuffers / 1e6;
for (const [name, read] of Object.entries({ byDispatch, byRequest })) {
  await read();
  gc();
  const before = keptMb();
  for (let time = 0; time < TIMES; time++) if ((await read()) !== body.length) throw new Error('not all of it');
  gc({ type: 'minor' });
  gc({ type: 'minor' });
  const kept = keptMb() - before;
  for (const _ of [1, 2]) await gc({ type: 'major', execution: 'async' });
  console.log(name, Math.round(kept), Math.round(keptMb() - before));
}
process.exit(0);
JS
node_modules/.bin/node --version
node_modules/.bin/node --expose-gc --initial-heap-size=800 --initial-old-space-size=800 keep.mjs | tee seen
awk '$1 == "byDispatch" && $2 < 4 { few = 1 } $1 == "byRequest" && $2 > 20 && $3 < 4 { many = 1 } END { exit !(few && many) }' seen &&
  echo 'as seen' || { echo CHANGED; exit 1; }
