import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

const SWEEP_MS = 100;

/**
 * Has the api close as soon as its answers are out. Else it would wait for connections whose answer was still going out as it began to close
 * until their keep-alive ends, and for those that clients open ahead of need until a request times out.
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
