import { invalid } from '../../errors.ts';
import { MAX_FILE_BYTES } from '../../media/file-types.rules.ts';
import type { Json } from '../blocks/schema.ts';
import type { JsonObject } from '../json.rules.ts';

const MAX_PARTS = 1_000;
const MAX_FILES = 10;
/** A file may be as large as any other, and has a form around it. */
export const MAX_FORM_BYTES = MAX_FILE_BYTES + 1024 * 1024;

export const MULTIPART_TYPE = /^multipart\/form-data\b/i;

/** Returns the values of a form as JSON. */
export type ReadForm = (storeFile: (file: File, place: number) => Promise<Json>) => Promise<JsonObject>;

/**
 * Parses a body of multipart/form-data (RFC 7578). Throws invalid if it is malformed, or has too many parts. A field given
 * several times is a list, and a file input that was left empty is an empty text.
 */
export async function parseMultipart(type: string, body: Buffer): Promise<ReadForm> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData().catch(() => {
    throw invalid('The request is not valid: body: is no multipart/form-data, as its Content-Type says');
  });
  const entries = [...form];
  if (entries.length > MAX_PARTS) throw invalid(`The request is not valid: body: has over ${MAX_PARTS} parts`);
  if (entries.filter(([, value]) => value instanceof File).length > MAX_FILES)
    throw invalid(`The request is not valid: body: has over ${MAX_FILES} files`);
  return async (storeFile) => {
    const read: [string, Json][] = [];
    for (const [place, [name, value]] of entries.entries())
      read.push([name, value instanceof File ? await storeFile(value, place) : value]);
    return listedFields(read);
  };
}

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
