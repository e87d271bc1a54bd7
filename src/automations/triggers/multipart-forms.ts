import { Busboy } from '@fastify/busboy';
import { DomainError, invalid } from '../../errors.ts';
import { MAX_FILE_BYTES } from '../../media/file-types.rules.ts';
import type { Json } from '../blocks/schema.ts';
import type { JsonObject } from '../json.rules.ts';

const MAX_PARTS = 1_000;
const MAX_FILES = 10;
/** A file may be as large as any other, and has a form around it. */
export const MAX_FORM_BYTES = MAX_FILE_BYTES + 1024 * 1024;

export const MULTIPART_TYPE = /^multipart\/form-data\b/i;

/** Returns the values of a form as JSON. */
export type ReadForm = (storeFile: (file: File) => Promise<Json>) => Promise<JsonObject>;

/**
 * Parses a body of multipart/form-data (RFC 7578). Throws invalid if it is malformed, or has too many parts. A field given
 * several times is a list, and a file input that was left empty is an empty text.
 */
export async function parseMultipart(type: string, body: Buffer): Promise<ReadForm> {
  const entries = await entriesOf(type, body).catch((error: unknown) => {
    throw error instanceof DomainError ? error : refusal('is no multipart/form-data, as its Content-Type says');
  });
  return async (storeFile) => {
    const read: [string, Json][] = [];
    for (const [name, value] of entries) read.push([name, value instanceof File ? await storeFile(value) : value]);
    return listedFields(read);
  };
}

type Entry = [name: string, value: string | File];

/** Returns the parts of a form in their order. Rejects if it is malformed, or has too many. */
function entriesOf(type: string, body: Buffer): Promise<Entry[]> {
  const entries: Entry[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<Entry[]>();
  try {
    const limits = { parts: MAX_PARTS, files: MAX_FILES, fieldSize: body.length, fieldNameSize: body.length };
    const parser = new Busboy({ headers: { 'content-type': type }, limits });
    parser.on('field', (name, value) => void entries.push([name, value]));
    parser.on('file', (name, stream, fileName) => {
      const entry: Entry = [name, ''];
      entries.push(entry);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const content = new Uint8Array(Buffer.concat(chunks));
        if (content.length > 0 || fileName) entry[1] = new File([content], fileName || 'file');
      });
    });
    parser.on('partsLimit', () => reject(refusal(`has over ${MAX_PARTS} parts`)));
    parser.on('filesLimit', () => reject(refusal(`has over ${MAX_FILES} files`)));
    parser.on('error', reject);
    parser.on('finish', () => resolve(entries));
    parser.end(body);
  } catch (error) {
    reject(error); // the parser is not made without a boundary
  }
  return promise;
}

const refusal = (problem: string) => invalid(`The request is not valid: body: ${problem}`);

/** Returns the fields of a form by name. One that is given several times is a list. */
export function listedFields(entries: Iterable<[string, Json]>): JsonObject {
  const groups = Map.groupBy(entries, ([name]) => name);
  return Object.fromEntries(
    [...groups].map(([name, given]) => {
      const values = given.map(([, value]) => value);
      return [name, values.length === 1 ? (values[0] ?? null) : values];
    }),
  );
}
