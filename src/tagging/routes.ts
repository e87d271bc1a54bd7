import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../schemas/error-answers.ts';
import { AutoTaggingReport, SuggestionPath, TagSuggestions } from './schema.ts';
import { getAutoTagging, getTagSuggestions, requestLearning } from './service.ts';

const tags = ['tags'];

/** Routes of what is learnt from tagged sessions. */
export const taggingRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/tags/auto-tagging', {
    config: { scope: 'tags:read' },
    schema: {
      operationId: 'getAutoTagging',
      tags,
      summary: 'Get auto-tagging',
      description:
        'Returns whether the AI applies tags by itself, and what it has learnt about each tag from the sessions that people have tagged. A tag is applied when a session is resolved or handed off, from 10 examples on.',
      response: { 200: AutoTaggingReport, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => getAutoTagging(db, org.id),
  });

  app.post('/tags/auto-tagging/run', {
    config: { scope: 'tags:write' },
    schema: {
      operationId: 'runAutoTagging',
      tags,
      summary: 'Learn tags now',
      description:
        'Requests that tags are learnt and answers at once; `learnt_at` changes when it is done. It is done each day where auto-tagging is on. It also works while auto-tagging is off, to see the precision beforehand.',
      response: { 200: AutoTaggingReport, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => {
      await requestLearning(db, org.id);
      return getAutoTagging(db, org.id);
    },
  });

  app.get('/chat/sessions/:id/tag-suggestions', {
    config: { scope: 'tags:read' },
    schema: {
      operationId: 'listTagSuggestions',
      tags,
      summary: 'List tag suggestions for a session',
      description:
        'Lists at most three tags that were learnt, the surest first, and three of a connected model: tags that are likely, but not sure enough to be applied. They are found when the session is resolved or handed off. Tags that the session has, or that were removed from it, are left out.',
      params: SuggestionPath,
      response: { 200: TagSuggestions, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getTagSuggestions(db, org.id, params.id),
  });
};
