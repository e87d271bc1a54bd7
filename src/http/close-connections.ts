import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

const SWEEP_MS = 100;

/**
 * Closes the api as soon as its answers are sent. Otherwise it would wait for two kinds of connections: those with an
 * answer in progress, until their keep-alive ends, and those opened by clients in advance, until a request times out.
 */
export const closeConnections = fastifyPlugin(async (app: FastifyInstance) => {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', async () => {
    const sweep = setInterval(() => {
      app.server.closeIdleConnections();
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, SWEEP_MS);
    app.server.once('close', () => clearInterval(sweep));
  });
});
