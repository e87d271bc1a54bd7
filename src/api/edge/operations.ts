import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { Histogram } from 'prom-client';
import { OPERATIONS, type Operations } from '../../operations/server.ts';

/** They are answered however busy the api is: a busy process is alive, and its metrics are needed just then. */
const HIDDEN = {
  schema: { hide: true },
  config: { scope: 'public', limitedBy: 'nothing', pressureHandler: () => undefined },
} as const;

/** Measures every request by its route's pattern, never by its URL. */
export const measure = fastifyPlugin(async (app: FastifyInstance, { durations }: { durations: Histogram }) => {
  app.addHook('onResponse', async (request, reply) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: String(reply.statusCode),
    };
    durations.observe(labels, reply.elapsedTime / 1000);
  });
});

/** Serves the operator's addresses on the api's own port. */
export const operations = async (app: FastifyInstance, parts: Operations) => {
  for (const [path, answer] of Object.entries(OPERATIONS))
    app.get(path, HIDDEN, async (_request, reply) => {
      const { status, type, body } = await answer(parts);
      return reply.code(status).type(type).send(body);
    });
};
