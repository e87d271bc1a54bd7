import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const FOLDER = new URL('../../../examples/widget/', import.meta.url);
const TYPES: Record<string, string> = { 'index.html': 'text/html', 'shop.css': 'text/css' };
/** The names in the example for the server and the token of the widget. */
const EXAMPLE = { server: 'https://switchboard.example', token: 'WIDGET_TOKEN' };

/** Serves the page of examples/widget with the widget of an org. */
export async function startDemoShop({ port, api, token }: { port: number; api: string; token: string }) {
  const texts = new Map(await Promise.all(Object.keys(TYPES).map(readExample)));
  const server = createServer((request, reply) => {
    const file = request.url === '/shop.css' ? 'shop.css' : 'index.html';
    const text = texts.get(file) ?? '';
    reply.setHeader('content-type', `${TYPES[file]}; charset=utf-8`);
    reply.end(text.replaceAll(EXAMPLE.server, api).replaceAll(EXAMPLE.token, token));
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const readExample = async (file: string) => [file, await readFile(new URL(file, FOLDER), 'utf8')] as const;
