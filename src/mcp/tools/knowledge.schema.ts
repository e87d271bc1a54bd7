import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';
import type { Tool } from './tool.schema.ts';

/** Tools about what the org knows, and what its customers say. */
export const KNOWLEDGE_TOOLS: Tool[] = [
  {
    name: 'search_knowledge',
    title: 'Search the knowledge',
    description: 'Finds passages of training, websites and the help center by a question or words, the best first.',
    kind: 'read',
    scope: 'training:read',
    method: 'POST',
    path: '/training/search',
    input: z.strictObject({
      query: z.string().min(2).max(500),
      limit: z.int().min(1).max(50).optional().describe('20 unless given.'),
    }),
  },
  {
    name: 'list_tags',
    title: 'List tags',
    description: 'Lists the tags that conversations can have.',
    kind: 'read',
    scope: 'tags:read',
    method: 'GET',
    path: '/tags',
    input: z.strictObject({}),
  },
  {
    name: 'query_insights',
    title: 'List insights',
    description:
      'Lists what customers keep running into, 25 a page: the most frequent first unless `sortBy` says otherwise.',
    kind: 'read',
    scope: 'insights:read',
    method: 'POST',
    path: '/insights',
    input: z.strictObject({
      search: z.string().max(500).optional().describe('A part of the text.'),
      status: z.enum(['all', 'unresolved', 'resolved', 'archived']).optional(),
      sortBy: z.enum(['occurrence_count', 'last_seen_at', 'first_seen_at', 'created_at']).optional(),
    }),
  },
  {
    name: 'get_insight',
    title: 'Get an insight',
    description: 'Returns an insight with its numbers.',
    kind: 'read',
    scope: 'insights:read',
    method: 'GET',
    path: '/insights/{id}',
    input: z.strictObject({ id: Id.describe('The id of an insight.') }),
  },
];
