import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';
import { TrainingPath } from './schema.ts';

const MAX_VERSION = 2 ** 31 - 1;

export const VersionPath = TrainingPath.extend({
  version: z.coerce.number().int().min(1).max(MAX_VERSION).describe('The number of the version.'),
});

export const ListVersions = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
export type ListVersions = z.infer<typeof ListVersions>;

export const RollBack = z
  .object({ version: z.int().min(1).max(MAX_VERSION).describe('The version whose text is to be in use again.') })
  .meta({ id: 'RollBackTraining', examples: [{ version: 1 }] });

export const TrainingVersion = z
  .object({
    version: z.int().describe('From 1. A number is never used twice.'),
    title: z.string(),
    content: z.string(),
    published_at: Timestamp,
    published_key_id: Id.nullable().describe('The API key that published it. null where it is not known.'),
  })
  .meta({
    id: 'TrainingVersion',
    examples: [
      {
        version: 2,
        title: 'Refunds',
        content: 'Refunds take five days.',
        published_at: '2026-01-02T10:00:00.000Z',
        published_key_id: '01900000-0000-7000-8000-000000000001',
      },
    ],
  });

export const TrainingVersionPage = z.object({ items: z.array(TrainingVersion), next: z.string().nullable() });
