import { z } from 'zod';
import { Actor } from '../../schemas/actor.ts';
import { Cursor, FileName, Id, Order, Timestamp } from '../../schemas/parts.ts';

export const MAX_IMPORT_BYTES = 100 * 1024 ** 2;

const ImportKey = z.enum(['external_id', 'email', 'phone']);
export type ImportKey = z.infer<typeof ImportKey>;

export const ImportOptions = z.object({
  key: ImportKey.optional().describe('The only column that finds contacts. Absent: as POST /contacts does.'),
  update: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('`false` skips lines of contacts that exist.'),
  file_name: FileName,
});
export type ImportOptions = z.infer<typeof ImportOptions>;

/** For the OpenAPI document: the body is read as a stream. */
export const ContactsCsv = z
  .string()
  .describe(
    'UTF-8, up to 100 MB. Its first line names the columns: `external_id`, `email`, `phone`, `name`, `custom_data.plan` and the like. Empty cells change nothing.',
  )
  .meta({ examples: ['external_id,email,name,custom_data.plan\ncrm-4711,ada@example.com,Ada Lovelace,pro\n'] })
  .nullish();

export const ListContactImports = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  order: Order,
});
export type ListContactImports = z.infer<typeof ListContactImports>;

export const ImportPath = z.object({ id: Id });

export const StartedImport = z.object({ id: Id }).meta({ id: 'StartedContactImport' });

export const ContactImport = z
  .object({
    id: Id,
    file_name: z.string().nullable(),
    status: z.enum(['running', 'completed', 'failed']),
    progress: z.number().min(0).max(1),
    rows: z.int(),
    created: z.int(),
    updated: z.int(),
    skipped: z.int().describe('With `update=false`.'),
    refused: z.int(),
    refused_url: z.string().nullable(),
    reason: z.string().nullable().describe('Why it failed.'),
    actor: Actor.describe('Who began it.'),
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'ContactImport' });

export const ContactImportPage = z.object({ items: z.array(ContactImport), next: z.string().nullable() });
