import type { Readable } from 'node:stream';
import { type CsvLine, linesOf } from '../../contacts/imports/lines.ts';
import type { FindingCode } from '../findings.rules.ts';
import type { SourceRecord } from '../records.rules.ts';
import type { ImportResource, ImportSource } from '../schema.ts';
import type { LineReader, ObjectReader } from '../sources/source.ts';
import { readersOf } from '../sources/sources.ts';
import { type JsonValue, jsonValuesIn, MAX_VALUE_BYTES } from './json-values.ts';

/** What a part of a file has, up to a position from which the rest can be read. */
export interface FilePart {
  /** The bytes of the file up to its end. */
  end: number;
  /** Of a CSV file: the line on which it ends. */
  lines: number;
  records: SourceRecord[];
}

export interface FileFormat {
  source: ImportSource;
  resource: ImportResource;
  /** Null: the file has JSON. */
  columns: string[] | null;
  delimiter: string | null;
}

/** Yields the parts of a file from a position on: its lines, or its objects of JSON. */
export async function* partsOf(
  content: Readable,
  { source, resource, columns, delimiter }: FileFormat,
  after: { bytes: number; lines: number },
): AsyncGenerator<FilePart> {
  const { objects, lines } = readersOf(source, resource);
  if (columns !== null && lines !== undefined) {
    for await (const line of linesOf(content, { delimiter: delimiter ?? ',', after }))
      yield { end: line.end, lines: line.line, records: recordsOfLine(lines, columns, line) };
  } else if (objects !== undefined) {
    for await (const value of jsonValuesIn(content, after.bytes))
      yield { end: value.end, lines: 0, records: recordsOfValue(objects, value) };
  }
}

function recordsOfLine(reader: LineReader, columns: string[], { cells, line, problem }: CsvLine): SourceRecord[] {
  if (problem !== undefined) return [refusedRecord('not_readable', problem)];
  if (cells.length === columns.length) return reader.read(columns, cells);
  const reason = `line ${line} has ${cells.length} cells, the first line of the file has ${columns.length}`;
  return [refusedRecord('not_readable', reason)];
}

/** Of one answer of a source's API: they are read together. */
const MAX_ITEMS = 10_000;

const PROBLEMS = {
  too_large: `An object is larger than ${MAX_VALUE_BYTES / 1024 ** 2} MB`,
  not_readable: 'This is no object of JSON, or one that is cut off',
};

const refusedRecord = (code: FindingCode, reason: string): SourceRecord => ({
  kind: 'left_out',
  externalId: null,
  findings: [{ code, reason }],
});

/** Returns the records of an object: itself, or those of an answer of the source's API. */
export function recordsOfValue(reader: ObjectReader, { value, problem }: JsonValue): SourceRecord[] {
  if (problem !== undefined) return [refusedRecord(problem, PROBLEMS[problem])];
  const refusal = reader.refuse?.(value);
  if (refusal !== undefined) return [refusedRecord('not_readable', refusal)];
  const items = itemsOf(reader, value);
  if (items.length > MAX_ITEMS)
    return [refusedRecord('too_large', `An answer has more than ${MAX_ITEMS.toLocaleString('en')} records`)];
  return items.flatMap(([item, list]) => readItem(reader, item, list));
}

/** A value that is nested too deep for the stack is left out. */
function readItem(reader: ObjectReader, item: unknown, list: string | undefined): SourceRecord[] {
  try {
    return reader.read(item, list);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [refusedRecord('not_readable', 'The object is nested too deep')];
  }
}

function itemsOf({ listsIn }: ObjectReader, value: unknown): [unknown, string | undefined][] {
  const answer = value as Record<string, unknown>;
  const names = listsIn.filter((name) => Array.isArray(answer[name]));
  if (names.length === 0 || 'id' in answer) return [[value, undefined]];
  return names.flatMap((name) => (answer[name] as unknown[]).map((item): [unknown, string] => [item, name]));
}
