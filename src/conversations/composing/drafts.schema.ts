import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';
import { FileRefs, KeptFiles } from './files.schema.ts';

const MAX_TEXT_BYTES = 65_536;

const DraftKind = z.enum(['reply', 'note']);
const DraftText = z
  .string()
  .max(MAX_TEXT_BYTES)
  .refine((text) => Buffer.byteLength(text) <= MAX_TEXT_BYTES, 'must have at most 64 KB in UTF-8');

export const SaveDraft = z
  .object({
    kind: DraftKind,
    text: DraftText,
    attachments: FileRefs,
    expected_updated_at: z.iso
      .datetime()
      .nullable()
      .optional()
      .describe('The `updated_at` of the draft as it was seen, null for none: 412 if it has changed since.'),
  })
  .meta({ id: 'SaveDraft', examples: [{ kind: 'reply', text: 'Dear Ada, ' }] });
export type SaveDraft = z.infer<typeof SaveDraft>;

const Draft = z
  .object({ kind: DraftKind, text: z.string(), attachments: KeptFiles, updated_at: Timestamp })
  .meta({ id: 'Draft' });

/** Of a message or a note that is sent. */
export const SentDraftAt = z.iso
  .datetime()
  .optional()
  .describe(
    'The `updated_at` of the signed-in sender’s draft that this is: the draft is deleted with it. If it was sent, changed or deleted elsewhere, nothing is sent: 412.',
  );

export const SavedDraft = z.object({ updated_at: Timestamp.nullable().describe('null: there is no draft now.') });

export const DraftOfSession = z.object({
  draft: Draft.nullable().describe('The newest. null: there is none.'),
  drafts: z.array(Draft).describe('At most one of each kind, the newest first.'),
});

export const DeleteDraft = z.object({ kind: DraftKind.optional().describe('Absent: both.') });

export const ListDrafts = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
export type ListDrafts = z.infer<typeof ListDrafts>;

export const DraftPage = z.object({
  items: z.array(
    Draft.extend({ session_id: Id, ticket_number: z.int(), contact_name: z.string().nullable() }).meta({
      id: 'DraftInSession',
    }),
  ),
  next: z.string().nullable(),
});
