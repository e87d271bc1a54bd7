import { z } from 'zod';

export const ACTOR_KINDS = ['member', 'key', 'workflow', 'ai', 'contact', 'system'] as const;

/** Who caused something. */
export const Actor = z
  .object({
    kind: z
      .enum(ACTOR_KINDS)
      .describe(
        '`member`: signed in. `key`: a program with an API key. `workflow`: a workflow of the org. `system`: the product itself.',
      ),
    id: z
      .union([z.int(), z.string()])
      .nullable()
      .describe('Of a member: the number of GET /members. Of a key, a workflow or a contact: its UUID.'),
    name: z
      .string()
      .nullable()
      .describe('As it was then; the name of a contact is the present one. null: none is known.'),
  })
  .meta({ id: 'Actor' });
export type Actor = z.infer<typeof Actor>;

/** The contact of the session: its id and name are those of the session's contact. */
export const CONTACT: Actor = { kind: 'contact', id: null, name: null };
export const AI: Actor = { kind: 'ai', id: null, name: null };
export const SYSTEM: Actor = { kind: 'system', id: null, name: null };
