import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';
import { SentDraftAt } from '../composing/drafts.schema.ts';
import { HandoffAnswer } from './schema.ts';

const MAX_NOTE_LENGTH = 50_000;
const MAX_REASON_LENGTH = 5_000;
const MAX_TAGS = 100;
const MAX_MENTIONS = 20;

const TagName = z.string().trim().min(1).max(100);

export const HandOffSession = z
  .object({ reason: z.string().max(MAX_REASON_LENGTH).optional() })
  .meta({ id: 'HandOffSession', examples: [{ reason: 'Asked for a human' }] });

export const HandedOff = z.object({ handoff: HandoffAnswer });

/** Texts of a session in its HandedOff. */
export const HANDOFF_TEXTS = {
  sessionOf: ({ params }: { params: { id: string } }) => params.id,
  withoutTexts: ({ handoff }: z.infer<typeof HandedOff>) => ({
    handoff: { ...handoff, summary: null, summary_by: null, sentiment: null, reason: null },
  }),
};

/** Absent fields stay unchanged. */
export const AssignSession = z
  .object({
    assignee_id: z.int().min(1).nullable().optional().describe('A member’s id. null: nobody.'),
    team_id: z
      .uuid('must be the id of a team: GET /teams lists them')
      .toLowerCase()
      .nullable()
      .optional()
      .describe('null: none.'),
  })
  .refine(({ assignee_id, team_id }) => assignee_id !== undefined || team_id !== undefined, {
    error: 'must name assignee_id or team_id',
  })
  .meta({ id: 'AssignSession', examples: [{ assignee_id: null, team_id: null }] });
export type AssignSession = z.infer<typeof AssignSession>;

export const AddNote = z
  .object({
    text: z.string().min(1).max(MAX_NOTE_LENGTH),
    mentions: z
      .array(z.int().min(1))
      .max(MAX_MENTIONS)
      .optional()
      .transform((ids) => [...new Set(ids)])
      .describe('Ids of members.'),
    draft_updated_at: SentDraftAt,
  })
  .meta({ id: 'AddNote', examples: [{ text: 'Refund is on its way.' }] });

export const AddedNote = z.object({ id: Id });

export const RemoveTags = z.object({ tag_name: TagName.optional().describe('In any case. Absent: all of them.') });

export const SessionTags = z
  .object({ tags: z.array(TagName).min(1).max(MAX_TAGS) })
  .meta({ id: 'SessionTags', examples: [{ tags: ['refund'] }] });
