import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../processes.ts';

// An HTTP server accepting and counting every call.
let taken = 0;
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    taken++;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
});
server.listen(0, '127.0.0.1');

serve({
  url: async () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  taken: async () => taken,
});
