import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { beginSpan, isTracing, REQUEST_ID, SpanKind } from '../../tracing/spans.ts';

/**
 * Begins a trace with each request. A traceparent of the caller is not continued: anybody could have all of theirs recorded.
 * What asks for health and metrics has none.
 */
export const traces = fastifyPlugin(async (app: FastifyInstance) => {
  if (!isTracing()) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { url: route = 'none', config } = request.routeOptions;
    if (config.scope === 'public' && config.limitedBy === 'nothing') return done();
    const attributes = { 'http.request.method': request.method, 'http.route': route, [REQUEST_ID]: request.id };
    const span = beginSpan({ name: `${request.method} ${route}`, kind: SpanKind.SERVER, attributes, parent: null });
    reply.raw.once('close', () => {
      const { statusCode } = reply.raw;
      span.setAttribute('http.response.status_code', statusCode);
      span.end(statusCode >= 500 ? new Error(`Answered ${statusCode}`) : undefined);
    });
    span.within(done);
  });
});
