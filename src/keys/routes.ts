import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../schemas/parts.ts';
import { listOrgKeys } from './queries.ts';
import { ApiKeyList, CreatedKey, CreateKey, KeyRef } from './schema.ts';
import { createKeyAs, revokeKeyAs } from './service.ts';

export const keyRoutes: FastifyPluginAsyncZod<Deps> = async (app, { tokens }) => {
  app.get('/org/api-keys', {
    config: { scope: 'org:read' },
    schema: {
      operationId: 'listApiKeys',
      summary: 'List API keys',
      description:
        'Lists the keys that are not revoked, oldest first, with their scopes: null means full access. The keys themselves are never shown again.',
      tags: ['organization'],
      response: { 200: ApiKeyList, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => ({ items: await listOrgKeys(db, org.id), next: null }),
  });

  app.post('/org/api-keys', {
    config: { scope: 'org:write' },
    schema: {
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description:
        'Creates a key with the given scopes, or with full access if `scopes` is absent. It can have only scopes that the caller has (403). The answer is the only one that shows the key.',
      tags: ['organization'],
      body: CreateKey,
      response: { 201: CreatedKey, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createKeyAs(db, tokens, org, body);
    },
  });

  app.delete('/org/api-keys/:id', {
    config: { scope: 'org:write' },
    schema: {
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      description:
        'Every process refuses the key within a second. A key with more scopes than the caller’s cannot be revoked (403).',
      tags: ['organization'],
      params: KeyRef,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await revokeKeyAs(db, org, params.id);
      return NO_BODY;
    },
  });
};
