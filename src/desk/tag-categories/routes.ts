import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { listCategories } from './queries.ts';
import { CreateTagCategory, TagCategory, TagCategoryPath, UpdateTagCategory } from './schema.ts';
import { changeCategory, createCategory, removeCategory } from './service.ts';

const tags = ['tags'];

/** Routes of the categories of tags. */
export const tagCategoryRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/tags/categories', {
    config: { scope: 'tags:read' },
    schema: {
      operationId: 'listTagCategories',
      tags,
      summary: 'List tag categories',
      description: 'Lists all categories by name. GET /tags with `category_id` lists the tags of one.',
      response: { 200: z.array(TagCategory), ...errorResponses(403) },
    },
    handler: ({ db, org }) => listCategories(db, org.id),
  });

  app.post('/tags/categories', {
    config: { scope: 'tags:write' },
    schema: {
      operationId: 'createTagCategory',
      tags,
      summary: 'Create a tag category',
      description:
        'Creates a category. PUT /tags with its `category_id` puts a tag into it. A name in use is a 409, and so are more than 100.',
      body: CreateTagCategory,
      response: { 201: TagCategory, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createCategory(db, org.id, body);
    },
  });

  app.patch('/tags/categories/:id', {
    config: { scope: 'tags:write' },
    schema: {
      operationId: 'updateTagCategory',
      tags,
      summary: 'Update a tag category',
      description: 'Absent fields keep their values. A name in use is a 409.',
      params: TagCategoryPath,
      body: UpdateTagCategory,
      response: { 200: TagCategory, ...errorResponses(403, 404, 409) },
    },
    handler: ({ db, org, params, body }) => changeCategory(db, org.id, params.id, body),
  });

  app.delete('/tags/categories/:id', {
    config: { scope: 'tags:write' },
    schema: {
      operationId: 'deleteTagCategory',
      tags,
      summary: 'Delete a tag category',
      description: 'Deletes the category. Its tags stay, without one.',
      params: TagCategoryPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeCategory(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
