import { z } from 'zod';
import { Id } from '../../http/schemas.ts';

const MAX_QUERY_LENGTH = 500;
const MAX_WORDS = 50;

/** One letter of Unicode may stand for four words, so they are counted as they are searched. */
const countWords = (text: string) => text.normalize('NFKC').trim().split(/\s+/).length;

export const SearchSessions = z.object({
  q: z
    .string()
    .min(1)
    .max(MAX_QUERY_LENGTH)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine((text) => countWords(text) <= MAX_WORDS, `must have at most ${MAX_WORDS} words`)
    .describe(
      'Words of which each is wanted, in any order, language and spelling; the last may be a beginning. "A phrase" is wanted as it stands, -one is not wanted, OR stands between alternatives.',
    ),
  contact_id: Id.optional().describe('Looks only at this contact and at its sessions.'),
});
export type SearchSessions = z.infer<typeof SearchSessions>;

export const SearchResults = z
  .object({
    contacts: z
      .array(
        z.object({ id: Id, name: z.string().nullable(), email: z.string().nullable(), phone: z.string().nullable() }),
      )
      .describe('The most alike first. Where nobody matches, those whose name or address is spelled alike.'),
    messages: z
      .array(
        z.object({
          id: Id,
          session_id: Id,
          message: z.string(),
          type: z.enum(['message', 'human_agent_comment']),
        }),
      )
      .describe('The newest first, notes of the team among them.'),
  })
  .meta({ id: 'FoundInSessions' });
