import { z } from 'zod';
import { SearchSessions } from '../../conversations/search/schema.ts';
import type { KeyScope } from '../../schemas/scopes.ts';
import { ItemRef, kindsOf } from '../parts.schema.ts';

/** What a search finds, in the order of its answer, with the scope that may read it. */
export const SEARCH_SCOPES = {
  session: 'chat-sessions:read',
  contact: 'contacts:read',
  sequence: 'sequences:read',
  workflow: 'workflows:read',
  run: 'workflows:read',
  article: 'help-center:read',
  member: 'teams:read',
  message: 'chat-sessions:read',
} as const satisfies Record<string, KeyScope>;

export type SearchKind = keyof typeof SEARCH_SCOPES;
const KINDS = Object.keys(SEARCH_SCOPES) as [SearchKind, ...SearchKind[]];

export const SearchAll = z.object({
  q: SearchSessions.shape.q.describe(
    'A ticket number such as #12, an id, a part of a name or address, or words of messages.',
  ),
  kinds: kindsOf(KINDS),
  limit: z.coerce.number().int().min(1).max(20).default(5).describe('The most items of each kind.'),
});
export type SearchAll = z.infer<typeof SearchAll>;

const FoundItem = z
  .object({
    kind: z.enum(KINDS),
    title: z.string(),
    detail: z.string().nullable(),
    ref: ItemRef.describe('A message leads to its session.'),
  })
  .meta({ id: 'FoundItem' });
export type FoundItem = z.infer<typeof FoundItem>;

export const FoundItems = z.object({ items: z.array(FoundItem) });
