import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { Scope } from '../../../schemas/scopes.ts';
import { sessionCookieOf } from '../../../sign-in/cookies.ts';
import { bodyNameOf, WEBHOOK_EVENT_TYPES, WEBHOOK_EVENTS } from '../../../webhooks/events/schema.ts';
import type { Deps } from '../../deps.ts';
import { isAnswerStored } from '../idempotency.ts';
import { mayLackBody } from '../input/absent-input.ts';
import { withStrictBodies } from '../input/strict-bodies.ts';
import { createDocumentCache } from './cached-documents.ts';
import { INTRODUCTION, TAGS, TITLE } from './openapi-document/introduction.ts';
import { readableDocument } from './openapi-document/readable.ts';

const HIDDEN = { schema: { hide: true }, config: { scope: 'public', limitedBy: 'address' } } as const;
/** Takes 0.4 s, once a process and not in its thread, for a document a tenth shorter than at 6. Level 11 takes three times as long. */
export const DOCUMENT_QUALITY = 10;
const BEARER = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } as const;
/** Serves `/openapi.json`: OpenAPI 3.1, generated from the routes' schemas. Registered before the routes. */
export const openapi = fastifyPlugin(async (app: FastifyInstance, { config }: Deps) => {
  const lenient = new Set<string>();
  const bodiless = new Set<string>();
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: TITLE,
        version: '1.0-beta',
        description: INTRODUCTION,
        contact: { name: 'The operator', url: config.PUBLIC_URL },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: config.PUBLIC_URL }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      webhooks: describedWebhooks(),
      components: {
        securitySchemes: {
          org: {
            ...BEARER,
            description: 'The key of an organization; the scopes are those it needs where it is limited.',
          },
          partner: { ...BEARER, description: 'The key of a partner.' },
          member: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookieOf(config).name,
            description: 'The session of a member who is signed in. The role has to include the scope.',
          },
        },
      },
    },
    transform: (route) => {
      const { schema, url } = jsonSchemaTransform(route);
      const isOnce = isAnswerStored(route.route);
      if (route.route.config?.takesUnknownFields === true) lenient.add(String(schema.operationId));
      if (mayLackBody(route.route)) bodiless.add(String(schema.operationId));
      const reader = app.readerOf(route.route);
      const whole = reader === undefined ? schema : withRepresentation(schema as Described, reader.operationId);
      const described = isOnce ? withIdempotencyKey(whole as Described) : whole;
      return { schema: { ...described, security: securityOf(route.route.config?.scope) }, url };
    },
    transformObject: (document) => {
      const complete = withExamples(jsonSchemaTransformObject(document));
      return readableDocument(withStrictBodies(withOptionalBodies(complete, bodiless), lenient));
    },
  });

  const cache = createDocumentCache({ quality: DOCUMENT_QUALITY });
  let document: string | undefined;
  app.get('/openapi.json', { ...HIDDEN, onSend: cache }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger());
    return reply.type('application/json; charset=utf-8').send(document);
  });
});

/** Describes what is sent to webhook endpoints. The bodies are components of the document. */
const describedWebhooks = () =>
  Object.fromEntries(
    WEBHOOK_EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          operationId: `receive${bodyNameOf(type)}`,
          tags: ['webhook events'], // a tag of operations too would hide these from generators
          summary: WEBHOOK_EVENTS[type].title,
          description: 'Signed by the Standard Webhooks scheme. A `webhook-id` may come more than once.',
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: `#/components/schemas/${bodyNameOf(type)}` } } },
          },
          security: [],
          responses: { '2XX': { description: 'Accepted. Anything else is tried again; 410 ends all.' } },
        },
      },
    ]),
  );

interface Described {
  headers?: { properties?: Record<string, object> };
  response?: Record<string, unknown>;
}

/** Returns the headers of a route with one more. */
const withHeader = ({ headers }: Described, name: string, schema: object) => ({
  type: 'object',
  ...headers,
  properties: { ...headers?.properties, [name]: schema },
});

/** Adds the effects of representations.ts to the schema of an update: the header, and what GET of the resource answers. */
const withRepresentation = (schema: Described, operationId: string) => ({
  ...schema,
  headers: withHeader(schema, 'prefer', {
    type: 'string',
    description: '`return=representation` adds the resource to the answer. Default: `return=minimal`.',
  }),
  response: {
    ...schema.response,
    200: {
      ...(schema.response?.[200] as object),
      description: `Done. No body, or as preferred that of ${operationId}.`,
    },
  },
});

/**
 * Adds the effects of idempotency.ts to the schema of a POST: the header, and the answer while the first request is
 * running.
 */
const withIdempotencyKey = (schema: Described) => ({
  ...schema,
  headers: withHeader(schema, 'idempotency-key', {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'The same key and body within 24 hours get the first answer again, with `Idempotent-Replayed: true`.',
  }),
  response: { ...schema.response, 409: schema.response?.[409] ?? schema.response?.[400] },
});

/**
 * Returns the security requirement of a scope. For schemes other than OAuth 2, OpenAPI 3.1 accepts role names: here our
 * scopes.
 */
function securityOf(scope: Scope | undefined): Record<string, string[]>[] {
  if (scope === undefined || scope === 'public') return [];
  if (scope === 'partner') return [{ partner: [] }];
  return [{ org: scope === 'any' ? [] : [scope] }, { member: [] }];
}

/**
 * Adds examples to request schemas: a transform on input drops them. The answer's schema of the same name provides
 * them.
 */
function withExamples<Document extends object>(document: Document): Document {
  const { components } = document as { components?: { schemas?: Record<string, { examples?: unknown[] }> } };
  const schemas = components?.schemas ?? {};
  for (const [name, schema] of Object.entries(schemas)) {
    const examples = schemas[name.replace(/Input$/, '')]?.examples;
    if (examples !== undefined) Object.assign(schema, { examples });
  }
  return document;
}

/** States that the bodies of these operations may be absent. */
function withOptionalBodies<Document extends object>(document: Document, operationIds: ReadonlySet<string>): Document {
  const { paths = {} } = document as {
    paths?: Record<string, Record<string, { operationId?: string; requestBody?: { required?: boolean } }>>;
  };
  for (const { operationId = '', requestBody } of Object.values(paths).flatMap((path) => Object.values(path)))
    if (requestBody !== undefined && operationIds.has(operationId)) requestBody.required = false;
  return document;
}
