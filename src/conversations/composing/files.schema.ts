import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';

const MAX_FILES = 10;

/** The files of an unsent text, in a request. */
export const FileRefs = z
  .array(z.object({ id: Id.describe('Of a file: POST /media uploads it.') }))
  .max(MAX_FILES)
  .default([]);

/** The files of an unsent text, in an answer. */
export const KeptFiles = z
  .array(
    z
      .object({
        id: Id,
        name: z.string(),
        url: z.string().describe('Valid for at least seven days. `send` takes it as the URL of an attachment.'),
        mime_type: z.string(),
        size: z.int().describe('In bytes.'),
      })
      .meta({ id: 'KeptFile' }),
  )
  .describe('Without files that are deleted.');
