import swagger from '@fastify/swagger';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { Deps } from '../deps.ts';

const HIDDEN = { schema: { hide: true }, config: { scope: 'public' } } as const;
const DOCS_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'";

/** `/openapi.json` (OpenAPI 3.1, made from the routes' schemas) and a reading page at `/docs`. Registered before the routes. */
export const openapi = fastifyPlugin(async (app: FastifyInstance, { config }: Deps) => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Switchboard API',
        version: '1.0-beta',
        description: 'Customer support and outbound messaging.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: config.PUBLIC_URL }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      security: [{ bearer: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });

  app.get('/openapi.json', HIDDEN, async () => app.swagger());

  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/docs')) return;
    route.config = { ...route.config, scope: 'public' };
    route.onSend = async (_request: FastifyRequest, reply: FastifyReply) => {
      reply.header('content-security-policy', DOCS_POLICY);
    };
  });
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: 'Switchboard API',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
    },
  } as never);
});
