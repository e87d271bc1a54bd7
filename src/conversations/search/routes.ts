import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { FilteredSessions, FilterSessions } from './filter.schema.ts';
import { filterSessions } from './filter.service.ts';
import { SearchResults, SearchSessions } from './schema.ts';
import { searchSessions } from './service.ts';

const tags = ['chat sessions'];

/** Routes to filter and search sessions. */
export const searchRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post('/chat/sessions/filter', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'filterChatSessions',
      summary: 'Filter sessions',
      tags,
      description:
        'Lists the sessions that meet every condition. An empty list is no condition, but for assignees. Sessions without a message count as the longest silent.',
      body: FilterSessions,
      response: { 200: FilteredSessions, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => filterSessions(db, org.id, { ...body, memberId: org.member?.id ?? null }),
  });

  app.get('/chat/sessions/search', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'searchChatSessions',
      summary: 'Search sessions by words',
      tags,
      description:
        'Searches for words in contacts’ names and addresses, and in all messages and notes. Returns at most 50 messages; `has_more_messages` says whether there are more.',
      querystring: SearchSessions,
      response: { 200: SearchResults, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => searchSessions(db, org.id, query),
  });
};
