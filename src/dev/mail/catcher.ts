import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import { messageListPage, messagePage, PAGE_HEADERS } from './page.ts';
import { type CaughtMail, type MailStore, openMailStore, readMessage } from './store.ts';

export type MailCatcher = { url: string; smtpUrl: string; stop(): Promise<void> };

/** Recipients with simulated refusals of a mail server, to try out their consequences. */
const SANDBOX_REFUSALS: Record<string, { code: number; text: string }> = {
  'bounce.sandbox': { code: 550, text: '5.1.1 No such user here' },
  'defer.sandbox': { code: 451, text: '4.3.0 Try again later' },
};
const MAX_MAIL_BYTES = 30 * 1024 * 1024;
const PAGE_SIZE = 200;

/** Accepts all mail and delivers none. Shows it as JSON at /messages and as a page at /. */
export async function startMailCatcher(options: {
  smtpPort: number;
  httpPort: number;
  file: string;
}): Promise<MailCatcher> {
  const store = await openMailStore(options.file);
  const smtp = smtpServer(store);
  await once(smtp.listen(options.smtpPort, '127.0.0.1'), 'listening');
  const http = createServer((request, reply) => {
    answer(store, request, reply).catch((error: Error) => {
      if (reply.headersSent) reply.destroy(error);
      else reply.writeHead(500).end(error.message);
    });
  });
  await once(http.listen(options.httpPort, '127.0.0.1'), 'listening');

  return {
    url: `http://127.0.0.1:${options.httpPort}`,
    smtpUrl: `smtp://127.0.0.1:${options.smtpPort}`,
    async stop() {
      http.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => smtp.close(resolve));
      await store.close();
    },
  };
}

function smtpServer(store: MailStore): SMTPServer {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: MAX_MAIL_BYTES,
    closeTimeout: 500,
    onRcptTo({ address }, _session, callback) {
      const refusal = SANDBOX_REFUSALS[address.slice(address.lastIndexOf('@') + 1).toLowerCase()];
      callback(refusal && smtpError(refusal.code, refusal.text));
    },
    onData(stream, { envelope }, callback) {
      receive(stream).then((raw) => {
        if (stream.sizeExceeded) return callback(smtpError(552, '5.3.4 The mail is too big'));
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        store.add({ from, to: envelope.rcptTo.map(({ address }) => address), raw });
        callback();
      }, callback);
    },
  });
  server.on('error', () => {}); // a client may disconnect at any time
  return server;
}

async function receive(stream: SMTPServerDataStream & Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

async function answer(store: MailStore, request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const id = pathname.match(/^\/(messages|read)\/(\d+)$/);

  if (pathname === '/messages' && request.method === 'DELETE') {
    store.clear();
    reply.writeHead(204).end();
  } else if (request.method !== 'GET') {
    reply.writeHead(405).end();
  } else if (pathname === '/messages') {
    await sendList(select(store.list(), searchParams), reply);
  } else if (pathname === '/') {
    const newest = await Promise.all(store.list().slice(-PAGE_SIZE).reverse().map(readMessage));
    reply.writeHead(200, PAGE_HEADERS).end(messageListPage(newest, store.list().length));
  } else {
    const mail = id?.[2] === undefined ? undefined : store.find(id[2]);
    if (!mail) reply.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Message not found"}');
    else if (id?.[1] === 'read') reply.writeHead(200, PAGE_HEADERS).end(messagePage(await readMessage(mail)));
    else reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await readMessage(mail)));
  }
}

/** Selects mails: `to` by recipient, `after` those newer than an id, `limit` the newest ones. */
function select(mails: CaughtMail[], search: URLSearchParams): CaughtMail[] {
  const to = search.get('to')?.toLowerCase();
  const after = Number(search.get('after') ?? 0);
  const limit = Number(search.get('limit') ?? Number.POSITIVE_INFINITY);
  const wanted = mails.filter((mail) => {
    return Number(mail.id) > after && (to === undefined || mail.to.some((address) => address.toLowerCase() === to));
  });
  return limit > 0 ? wanted.slice(-limit) : [];
}

/**
 * Writes the list piece by piece. Reading ten thousand mails takes seconds, and other requests are served in between.
 */
async function sendList(mails: CaughtMail[], reply: ServerResponse): Promise<void> {
  reply.writeHead(200, { 'content-type': 'application/json' });
  reply.write('{"items":[');
  for (const [index, mail] of mails.entries()) {
    if (reply.destroyed) return;
    const piece = JSON.stringify(await readMessage(mail));
    if (!reply.write(index === 0 ? piece : `,${piece}`))
      await Promise.race([once(reply, 'drain'), once(reply, 'close')]);
  }
  reply.end(']}');
}
