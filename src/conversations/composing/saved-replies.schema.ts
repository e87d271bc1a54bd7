import { z } from 'zod';
import { templated } from '../../contacts/templates/schema.ts';
import { Cursor, Id, Language, Name, Timestamp } from '../../schemas/parts.ts';
import { SessionStatus } from '../sessions/schema.ts';
import { FileRefs, KeptFiles } from './files.schema.ts';

const MAX_TEXT_LENGTH = 50_000;
const MAX_TAGS = 20;
const MAX_SNOOZE_MINUTES = 525_600;
const SHORTCUT = /^[^\s/]{1,50}$/;

const SavedReplyActions = z
  .object({
    tags: z.array(z.string().trim().min(1).max(100)).min(1).max(MAX_TAGS).describe('Are added to the session.'),
    status: SessionStatus,
    assignee: z
      .union([z.literal('me'), z.int().min(1)])
      .nullable()
      .describe('A member’s id. null: nobody.'),
    snooze: z
      .union([z.literal('until_reply'), z.object({ minutes: z.int().min(1).max(MAX_SNOOZE_MINUTES) })])
      .describe('How long the session is put aside.'),
  })
  .partial()
  .meta({ id: 'SavedReplyActions' });
export type SavedReplyActions = z.infer<typeof SavedReplyActions>;

const FIELDS = {
  shortcut: z
    .string()
    .regex(SHORTCUT, 'must have 1 to 50 characters, without spaces and slashes')
    .describe('What is typed after a slash. Unique in any letter case.'),
  title: Name,
  text: templated(z.string().min(1).max(MAX_TEXT_LENGTH)).describe(
    'Takes the placeholders of sequences, such as `{{contact.name|there}}`.',
  ),
  language: Language.nullable().describe('null: any.'),
  team_id: Id.nullable().describe('The team that it is for. null: all.'),
  actions: SavedReplyActions.nullable().describe('What whoever uses it does to the session with it. null: nothing.'),
};

export const CreateSavedReply = z
  .object({
    ...FIELDS,
    language: FIELDS.language.default(null),
    team_id: FIELDS.team_id.default(null),
    actions: FIELDS.actions.default(null),
    attachments: FileRefs,
  })
  .meta({
    id: 'CreateSavedReply',
    examples: [
      { shortcut: 'refund', title: 'Refund', text: 'Hello {{contact.name|there}}, your refund is on its way.' },
    ],
  });
export type CreateSavedReply = z.infer<typeof CreateSavedReply>;

export const UpdateSavedReply = z
  .object({ ...FIELDS, attachments: FileRefs.unwrap() })
  .partial()
  .meta({ id: 'UpdateSavedReply', examples: [{ title: 'Refund of an order' }] });
export type UpdateSavedReply = z.infer<typeof UpdateSavedReply>;

export const SavedReply = z
  .object({
    id: Id,
    ...FIELDS,
    text: z.string(),
    attachments: KeptFiles,
    uses: z.int().describe('How often it was rendered.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'SavedReply' });

export const SavedReplyPath = z.object({ id: Id });

export const ListSavedReplies = z.object({
  q: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Part of the shortcut, the title or the text. The page then has the `limit` best ones, without a next.'),
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListSavedReplies = z.infer<typeof ListSavedReplies>;

export const SavedReplyPage = z.object({ items: z.array(SavedReply), next: z.string().nullable() });

export const RenderSavedReply = z
  .object({ session_id: Id })
  .meta({ id: 'RenderSavedReply', examples: [{ session_id: '01900000-0000-7000-8000-000000000001' }] });

export const RenderedReply = z
  .object({
    text: z.string(),
    missing: z.array(z.string()).describe('The fields that the contact does not have, and that have no fallback.'),
    attachments: KeptFiles,
  })
  .meta({ id: 'RenderedReply' });
