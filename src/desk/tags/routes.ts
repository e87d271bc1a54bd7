import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { listTags, setAutoTagging } from './queries.ts';
import { AutoTagging, ListTags, Tag, TagPath, UpsertTag } from './schema.ts';
import { removeTag, saveTag } from './service.ts';

const tags = ['tags'];

export const tagRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/tags', {
    config: { scope: 'tags:read' },
    schema: {
      operationId: 'listTags',
      summary: 'List tags',
      tags,
      description: 'All of them, or those of a category, by name.',
      querystring: ListTags,
      response: { 200: z.array(Tag), ...errorResponses(403) },
    },
    handler: ({ db, org, query }) => listTags(db, org.id, query),
  });

  app.put('/tags', {
    config: { scope: 'tags:write' },
    schema: {
      operationId: 'upsertTag',
      summary: 'Save a tag',
      tags,
      description:
        'Creates the tag, or updates the tag with the same name in any letter case. Its spelling is updated too. A tag has at most one category.',
      body: UpsertTag,
      response: { 200: NoBody, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }) => {
      await saveTag(db, org.id, body);
      return NO_BODY;
    },
  });

  app.delete('/tags/:tag_name', {
    config: { scope: 'tags:write' },
    schema: {
      operationId: 'deleteTag',
      summary: 'Delete a tag',
      description: 'Takes the tag off all sessions.',
      tags,
      params: TagPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeTag(db, org.id, params.tag_name);
      return NO_BODY;
    },
  });

  app.put('/tags/auto-tagging', {
    config: { scope: 'tags:write' },
    schema: {
      operationId: 'updateAutoTagging',
      summary: 'Set how sessions are tagged',
      description: 'Whether the AI applies tags by itself.',
      tags,
      body: AutoTagging,
      response: { 200: NoBody, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => {
      await setAutoTagging(db, org.id, body.enabled);
      return NO_BODY;
    },
  });
};
