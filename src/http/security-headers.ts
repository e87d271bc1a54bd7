import helmet from '@fastify/helmet';
import Fastify, { type FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

const POLICY = { defaultSrc: ["'none'"], formAction: ["'self'"], upgradeInsecureRequests: null };
const NOT_HELMETS = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive']);

/** Helmet's headers on every answer. A route that needs another policy sets its own. */
export const securityHeaders = fastifyPlugin(async (app: FastifyInstance) => {
  const headers = await helmetHeaders();
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
});

/** What helmet would set, asked once: its plugin puts its configuration together anew at each request, which costs a tenth of a short one. */
async function helmetHeaders(): Promise<Record<string, string>> {
  const probe = Fastify();
  await probe.register(helmet, { contentSecurityPolicy: { directives: POLICY } });
  const { headers } = await probe.inject('/'); // it has no routes, and sets them on its 404 too
  await probe.close();
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (NOT_HELMETS.has(name) ? [] : [[name, String(value)]])),
  );
}
