import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileTypeFromFile } from 'file-type';
import { codeOf, unsupported } from '../errors.ts';
import { workbookIn } from './compound-files.rules.ts';
import {
  ACCEPTED_TYPES,
  activeContentOf,
  BINARY_CHARACTER,
  binaryType,
  COMPOUND_FILE,
  type FileType,
  SNIFFED_BYTES,
  textType,
  XLS,
} from './file-types.rules.ts';

/**
 * Detects a file's type by its bytes, whatever its name. Throws unsupported with the detected type unless it is an
 * accepted one.
 */
export async function detectType(path: string, fileName: string): Promise<FileType> {
  const head = await headOfText(path);
  if (head === undefined || head.startsWith('%PDF-')) {
    const found = (await fileTypeFromFile(path))?.mime;
    if (found === COMPOUND_FILE) return detectWorkbook(path);
    const type = found === undefined ? undefined : binaryType(found);
    return type ?? throwUnsupported(found ?? 'of a type that its bytes do not tell, and not text in UTF-8');
  }
  const active = activeContentOf(head);
  return active === undefined ? textType(fileName) : throwUnsupported(active);
}

async function detectWorkbook(path: string): Promise<FileType> {
  const workbook = workbookIn(await readFile(path));
  if (workbook === undefined) return throwUnsupported(COMPOUND_FILE);
  return workbook.hasMacros ? throwUnsupported('a workbook with macros') : XLS;
}

function throwUnsupported(found: string): never {
  throw unsupported(`The file’s content is ${found}, regardless of its extension. Accepted types: ${ACCEPTED_TYPES}`);
}

/**
 * Returns the beginning of the file if all of it is text: valid UTF-8 without binary characters. Returns undefined
 * otherwise.
 */
async function headOfText(path: string): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let head = '';
  try {
    for await (const chunk of createReadStream(path)) {
      const text = decoder.decode(chunk, { stream: true });
      if (BINARY_CHARACTER.test(text)) return undefined;
      if (head.length < SNIFFED_BYTES) head += text.slice(0, SNIFFED_BYTES);
    }
    return head + decoder.decode();
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return undefined;
    throw error;
  }
}
