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
      summary: 'List categories of tags',
      description: 'All of them, by name. GET /tags with `category_id` lists the tags of one.',
      response: { 200: z.array(TagCategory), ...errorResponses(403) },
    },
    handler: ({ db, org }) => listCategories(db, org.id),
  });

  app.post('/tags/categories', {
    config: { scope: 'tags:write' },
    schema: {
      operationId: 'createTagCategory',
      tags,
      summary: 'Create a category of tags',
      description: 'PUT /tags with its `category_id` puts a tag into it.',
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
      summary: 'Update a category of tags',
      description: 'Absent fields stay unchanged.',
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
      summary: 'Delete a category of tags',
      description: 'Its tags stay, without a category.',
      params: TagCategoryPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeCategory(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
