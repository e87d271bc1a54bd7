import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { delimiterOf } from '../../contacts/imports/columns.ts';
import { linesOf } from '../../contacts/imports/lines.ts';
import { jsonValuesIn } from '../../imports/reading/json-values.ts';

/** Received within the time that the api gives a request, by a line of some 3 Mbit/s. */
const PIECE_BYTES = 8 * 1024 ** 2;
const START_BYTES = 65_536;

/** A part of a file that can be imported by itself. */
export interface Piece {
  start: number;
  /** Not part of it. */
  end: number;
  /** What comes before these bytes: the first line of a CSV file. */
  header: Buffer;
}

export interface LocalFile {
  path: string;
  size: number;
  isJson: boolean;
  delimiter: string;
}

/** Looks at the beginning of a file. Throws if it cannot be read. */
export async function describeFile(path: string): Promise<LocalFile> {
  const { size } = await stat(path);
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    const start = buffer.subarray(0, bytesRead).toString('utf8');
    const isJson = /^\ufeff?\s*[{[]/.test(start);
    return { path, size, isJson, delimiter: delimiterOf(/^[^\r\n]*/.exec(start)?.[0] ?? '') };
  } finally {
    await file.close();
  }
}

/** Yields the pieces of a file, cut between records. What cannot be cut, such as a help center, is one piece. */
export async function* piecesOf(file: LocalFile, { isWhole }: { isWhole: boolean }): AsyncGenerator<Piece> {
  const { path, size } = file;
  if (isWhole || size <= PIECE_BYTES) {
    yield { start: 0, end: size, header: Buffer.alloc(0) };
    return;
  }
  let header = Buffer.alloc(0);
  let [start, last] = [0, 0];
  for await (const { end, isHeader } of endsOf(file)) {
    if (isHeader) {
      header = await bytesOf(path, end);
      start = end;
    } else if (end - start > PIECE_BYTES && last > start) {
      yield { start, end: last, header };
      start = last;
    }
    last = Math.min(end, size);
  }
  if (start < size) yield { start, end: size, header };
}

async function* endsOf({ path, isJson, delimiter }: LocalFile): AsyncGenerator<{ end: number; isHeader: boolean }> {
  const content = createReadStream(path);
  if (isJson) {
    for await (const { end } of jsonValuesIn(content, 0)) yield { end, isHeader: false };
    return;
  }
  let isHeader = true;
  for await (const { end } of linesOf(content, { delimiter, after: { bytes: 0, lines: 0 } })) {
    yield { end, isHeader };
    isHeader = false;
  }
}

async function bytesOf(path: string, end: number): Promise<Buffer<ArrayBuffer>> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(end);
    await file.read(bytes, 0, end, 0);
    return bytes;
  } finally {
    await file.close();
  }
}
