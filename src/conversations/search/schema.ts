import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';

const MAX_QUERY_LENGTH = 500;
const MAX_WORDS = 50;

/** Counts words after normalization, as the search does: one Unicode letter may expand to four words. */
const countWords = (text: string) => text.normalize('NFKC').trim().split(/\s+/).length;

export const SearchSessions = z.object({
  q: z
    .string()
    .min(1)
    .max(MAX_QUERY_LENGTH)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine((text) => countWords(text) <= MAX_WORDS, `must have at most ${MAX_WORDS} words`)
    .describe(
      'Words to find, all of them, in any order, language and spelling; the last may be a prefix. "A phrase" must occur as it is, -word must not occur, OR separates alternatives.',
    ),
  contact_id: Id.optional().describe('Searches only this contact and its sessions.'),
});
export type SearchSessions = z.infer<typeof SearchSessions>;

export const SearchResults = z
  .object({
    contacts: z
      .array(
        z.object({ id: Id, name: z.string().nullable(), email: z.string().nullable(), phone: z.string().nullable() }),
      )
      .describe('The 20 most alike first. Where nobody matches, those whose name or address is spelled alike.'),
    messages: z
      .array(
        z.object({
          id: Id,
          session_id: Id,
          message: z.string(),
          type: z.enum(['message', 'workflow_message', 'sequence_message', 'human_agent_comment']),
        }),
      )
      .describe('The newest 50 first, notes of the team among them.'),
    has_more_messages: z.boolean().describe('Whether more messages match: other words or a contact narrow them down.'),
  })
  .meta({ id: 'FoundInSessions' });
