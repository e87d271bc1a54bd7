import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEgress } from '../../../../src/providers/egress/egress.ts';

// Prints how many MB of 20 MB of answers are in memory once they are read. Only what is young is collected.

const TIMES = 500;
const body = Buffer.alloc(40_000, 'x');
const server = createServer((_, answer) => answer.end(body)).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const egress = createEgress({ allow: ['127.0.0.0/8'] });
const keptMb = () => process.memoryUsage().arrayBuffers / 1e6;

const before = keptMb();
for (let time = 0; time < TIMES; time++) {
  const { bytes } = await egress.download(url, { maxBytes: 1e6 });
  if (bytes.length !== body.length) throw new Error('This is not all of it');
}
for (const _ of [1, 2]) globalThis.gc?.({ type: 'minor' });
console.log(keptMb() - before);
process.exit(0);
