import { z } from 'zod';
import { Actor } from '../schemas/actor.ts';
import { Cursor, Id, Order, Time, Timestamp } from '../schemas/parts.ts';

export const ExportResource = z
  .enum(['contacts', 'conversations', 'deliveries', 'knowledge'])
  .describe('`knowledge`: training, articles of the help center and pages of websites.')
  .meta({ id: 'ExportResource' });
export type ExportResource = z.infer<typeof ExportResource>;

const ExportFormat = z
  .enum(['ndjson', 'csv'])
  .describe(
    '`ndjson`: one JSON object a line; sessions contain their `history`. `csv`: one record a line; of conversations, one message or note.',
  );
export type ExportFormat = z.infer<typeof ExportFormat>;

export const StartExport = z
  .object({
    resource: ExportResource,
    format: ExportFormat.default('ndjson'),
    filter: z
      .object({
        created_after: Time.optional().describe('Created then or later.'),
        created_before: Time.optional().describe('Created earlier.'),
      })
      .default({})
      .describe('Of conversations: when the session was opened.'),
  })
  .meta({
    id: 'StartExport',
    examples: [{ resource: 'conversations', format: 'csv', filter: { created_after: '2026-01-01T00:00:00Z' } }],
  });
export type StartExport = z.infer<typeof StartExport>;

export const StartedExport = z.object({ id: Id }).meta({ id: 'StartedExport' });

export const ExportPath = z.object({ id: Id });

export const ListExports = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  order: Order,
});
export type ListExports = z.infer<typeof ListExports>;

export const Export = z
  .object({
    id: Id,
    resource: ExportResource,
    format: ExportFormat,
    filter: z.object({ created_after: Timestamp.nullable(), created_before: Timestamp.nullable() }),
    status: z
      .enum(['running', 'completed', 'failed', 'canceled', 'expired'])
      .describe('`expired`: there was a file, and it is deleted.'),
    progress: z.number().min(0).max(1),
    rows: z.int().describe('Records in the file so far: sessions, or messages in CSV.'),
    reason: z.string().nullable().describe('Why it failed, or expired early.'),
    url: z.string().nullable().describe('Gives the file to anybody who has it, until `expires_at`.'),
    expires_at: Timestamp.nullable().describe('A day after its end.'),
    size: z.int().nullable().describe('Bytes.'),
    sha256: z.string().nullable().describe('Of the file, in hexadecimal.'),
    actor: Actor.describe('Who began it.'),
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'Export' });

export const ExportPage = z.object({ items: z.array(Export), next: z.string().nullable() });
