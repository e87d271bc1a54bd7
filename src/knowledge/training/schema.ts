import { z } from 'zod';
import { ifMatchOf } from '../../schemas/if-match.ts';
import { Cursor, Id, Name, SessionChannel, Timestamp } from '../../schemas/parts.ts';
import { Visibility } from '../index/items.schema.ts';

const MAX_CONTENT = 100_000;
const MAX_SEGMENTS = 100;

/** The types of training. */
const TrainingType = z
  .enum(['BEHAVIORAL', 'SCENARIO_SPECIFIC'])
  .describe('BEHAVIORAL: the AI always gets it. SCENARIO_SPECIFIC: the AI gets it where the question calls for it.')
  .meta({ id: 'TrainingType' });

const unique = <Value>(values: Value[]): Value[] => [...new Set(values)];

const Content = z
  .string()
  .min(1)
  .max(MAX_CONTENT)
  .refine((text) => text.trim() !== '', 'must not be blank')
  .describe('Markdown.');
const TrainingVisibility = Visibility.describe(
  'public: the AI may quote it. internal: it supports an answer, but is not shown. BEHAVIORAL training is internal.',
);
const IsDraft = z.boolean().describe('The AI does not use a draft, and no search finds it.');
const Directory = Id.nullable().describe('null: in no directory.');
const Channels = z.array(SessionChannel).max(20).transform(unique).describe('Where it is used. Empty: everywhere.');
const Segments = z
  .array(Id)
  .max(MAX_SEGMENTS)
  .transform(unique)
  .describe('Ids of the segments for whose contacts it is used. Empty: for everyone.');

export const CreateTraining = z
  .object({
    title: Name,
    content: Content,
    type: TrainingType.default('SCENARIO_SPECIFIC'),
    is_draft: IsDraft.default(false),
    visibility: TrainingVisibility.default('internal'),
    directory_id: Directory.default(null),
    restricted_to_channels: Channels.default([]),
    restricted_to_segments: Segments.default([]),
  })
  .meta({
    id: 'CreateTraining',
    examples: [
      { title: 'Refunds', content: 'Refunds take five days.\n\n## Gift cards\n\nThey are not refunded.' },
      { title: 'Opening hours', content: 'We are open from nine to six.', visibility: 'public' },
      { title: 'Tone', content: 'Be brief and kind.', type: 'BEHAVIORAL', restricted_to_channels: ['web'] },
    ],
  });
export type CreateTraining = z.infer<typeof CreateTraining>;

export const UpdateTraining = z
  .object({
    title: Name,
    content: Content,
    type: TrainingType,
    is_draft: IsDraft,
    visibility: TrainingVisibility,
    directory_id: Directory,
    restricted_to_channels: Channels,
    restricted_to_segments: Segments,
  })
  .partial()
  .meta({ id: 'UpdateTraining', examples: [{ title: 'Refunds and returns' }] });
export type UpdateTraining = z.infer<typeof UpdateTraining>;

export const SetDraft = z
  .object({ is_draft: IsDraft })
  .meta({ id: 'SetTrainingDraft', examples: [{ is_draft: false }] });
export const SetDirectory = z
  .object({ directory_id: Directory })
  .meta({ id: 'SetTrainingDirectory', examples: [{ directory_id: null }] });

export const TrainingPath = z.object({ id: Id });
export const IfMatch = ifMatchOf('training item');

export const ListTraining = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  directory_id: Id.optional().describe('Only what is in this directory.'),
});
export type ListTraining = z.infer<typeof ListTraining>;

export const Training = z
  .object({
    id: Id,
    title: z.string(),
    content: z.string(),
    type: TrainingType,
    is_draft: z.boolean(),
    visibility: TrainingVisibility,
    directory_id: Id.nullable(),
    restricted_to_channels: z.array(SessionChannel),
    restricted_to_segments: z.array(z.string()),
    draft_title: z.string().nullable().describe('Of a draft: the title that is edited. null once it is published.'),
    draft_content: z.string().nullable().describe('Of a draft: the text that is edited. null once it is published.'),
    current_version: z.int().nullable().describe('The number of the published version. null for a draft.'),
    published_at: Timestamp.nullable().describe('When that version was published. null for a draft.'),
    learned_from_session_id: Id.nullable().describe(
      'The session that a model has learned it from. A redaction there deletes it, unless it was ever published.',
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Training' });

export const TrainingPage = z.object({ items: z.array(Training), next: z.string().nullable() });
