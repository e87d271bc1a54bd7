import { z } from 'zod';

/**
 * This schema serves only the OpenAPI document and requests without multipart. Multipart bodies are read as a stream:
 * see src/api/edge/uploads.ts.
 */
export const FileUpload = z
  .object({ file: z.file('must be a file, sent as multipart/form-data').describe('At most 5 MB') })
  .nullish();

export const UploadedFile = z
  .object({
    id: z.uuid(),
    fileName: z.string().describe('As it was sent, but safe to be saved under, with an ending of its type'),
    fileUrl: z.url().describe('Gives the file to anybody who has it, for seven days at least'),
    mime_type: z.string().describe('By the bytes, whatever the name and the request say'),
    size: z.int().describe('Bytes'),
  })
  .meta({ id: 'UploadedFile' });

export const LinkRef = z.object({ token: z.string().min(1).max(255) });
