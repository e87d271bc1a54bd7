import { z } from 'zod';
import { Id, Timestamp } from '../../schemas/parts.ts';

export const MAX_IMPORT_BYTES = 100 * 1024 ** 2;

const ImportKey = z.enum(['external_id', 'email', 'phone']);
export type ImportKey = z.infer<typeof ImportKey>;

export const ImportOptions = z.object({
  key: ImportKey.optional().describe(
    'The column that finds contacts; a line without a value in it is refused. Absent: external_id, e-mail or phone number, whichever a line has, as POST /contacts does.',
  ),
  update: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('Whether contacts that exist are changed. Otherwise their lines are skipped.'),
});
export type ImportOptions = z.infer<typeof ImportOptions>;

/** For the OpenAPI document: the body is read as a stream. */
export const ContactsCsv = z
  .string()
  .describe(
    'A CSV file in UTF-8, up to 100 MB, with a line of names first: `external_id`, `email`, `phone` or `phone_number`, `name`, and `custom_data.` with a key, such as `custom_data.plan`. An empty cell leaves the field as it is.',
  )
  .meta({ examples: ['external_id,email,name,custom_data.plan\ncrm-4711,ada@example.com,Ada Lovelace,pro\n'] })
  .nullish();

export const ImportPath = z.object({ id: Id });

export const StartedImport = z.object({ id: Id }).meta({ id: 'StartedContactImport' });

export const ContactImport = z
  .object({
    id: Id,
    status: z.enum(['running', 'completed']),
    progress: z.number().min(0).max(1).describe('The share of the file that is done.'),
    rows: z.int().describe('The lines that are done, without the header.'),
    created: z.int(),
    updated: z.int().describe('Contacts that existed, also where a line changed nothing.'),
    skipped: z.int().describe('Lines of contacts that existed, with `update=false`.'),
    refused: z.int(),
    refused_url: z
      .string()
      .nullable()
      .describe('The refused lines with their reasons, as CSV. Null while there are none.'),
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'ContactImport' });
