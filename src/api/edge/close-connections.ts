import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { Deps } from '../deps.ts';

const SWEEP_MS = 100;

/**
 * Closes the api as soon as its answers are sent, and ends requests that only wait for something. Otherwise it would wait
 * for two kinds of connections: those with an answer in progress, until their keep-alive ends, and those opened by clients
 * in advance, until a request times out.
 */
export const closeConnections = fastifyPlugin(async (app: FastifyInstance, { closing }: Pick<Deps, 'closing'>) => {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', async () => {
    closing.abort();
    const sweep = setInterval(() => {
      app.server.closeIdleConnections();
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, SWEEP_MS);
    app.server.once('close', () => clearInterval(sweep));
  });
});
