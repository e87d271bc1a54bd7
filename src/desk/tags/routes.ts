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
      description: 'Lists all tags by name, or those of a category.',
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
        'Creates the tag, or updates the given fields of the one with the same name in any letter case, its spelling too. A tag has at most one category. More than 1,000 tags are a 409.',
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
      description: 'Deletes the tag and takes it off all sessions. Their histories still name it.',
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
      summary: 'Switch auto-tagging',
      description: 'Switches on or off that the AI applies tags by itself. Tags of sessions stay.',
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
