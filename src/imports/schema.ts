import { z } from 'zod';
import { Actor } from '../schemas/actor.ts';
import { Cursor, FileName, Id, Order, Timestamp } from '../schemas/parts.ts';

/** As much is received within the time of a request by a line of some 30 Mbit/s. */
export const MAX_IMPORT_BYTES = 100 * 1024 ** 2;

export const ImportSource = z.enum(['chatwoot', 'zendesk', 'hubspot']).meta({ id: 'ImportSource' });
export type ImportSource = z.infer<typeof ImportSource>;

export const ImportResource = z
  .enum(['contacts', 'conversations', 'help_center'])
  .describe('HubSpot: only `contacts`.')
  .meta({ id: 'ImportResource' });
export type ImportResource = z.infer<typeof ImportResource>;

export const ImportQuery = z.object({
  source: ImportSource,
  resource: ImportResource,
  account: z
    .string()
    .max(100)
    .regex(/^[\w.-]*$/, 'must have only letters, digits and the characters . _ -')
    .default('')
    .describe('Distinguishes accounts, if several of a source are imported. Ids are unique in an account.'),
  file_name: FileName,
});
export type ImportQuery = z.infer<typeof ImportQuery>;

/** For the OpenAPI document: the body is read as a stream. */
export const ImportFile = z
  .string()
  .describe('UTF-8, up to 100 MB: objects of JSON, or answers of the API with them, one after the other. Or CSV.')
  .meta({ examples: ['{"id":7,"role":"end-user","name":"Ada Lovelace","email":"ada@example.com"}\n'] })
  .nullish();

export const ListImports = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  order: Order,
});
export type ListImports = z.infer<typeof ListImports>;

export const ImportPath = z.object({ id: Id });

export const StartedImport = z.object({ id: Id }).meta({ id: 'StartedImport' });

export const Import = z
  .object({
    id: Id,
    source: ImportSource,
    resource: ImportResource,
    account: z.string(),
    file_name: z.string().nullable(),
    status: z.enum(['running', 'completed', 'failed', 'canceled']),
    progress: z.number().min(0).max(1),
    records: z.int().describe('Those that are done.'),
    created: z.int(),
    updated: z.int().describe('Sessions with new messages or another status, and changed articles.'),
    unchanged: z.int().describe('Imported before, or there already: those stay as they are.'),
    left_out: z.int(),
    incomplete: z.int().describe('Imported without a part, such as an assignee who is no member.'),
    report_url: z.string().nullable().describe('What was left out, and why.'),
    reason: z.string().nullable().describe('Why it failed.'),
    actor: Actor.describe('Who began it.'),
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'Import' });

export const ImportPage = z.object({ items: z.array(Import), next: z.string().nullable() });
