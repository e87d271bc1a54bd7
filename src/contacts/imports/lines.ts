import { pipeline, type Readable } from 'node:stream';
import { type CsvError, type Info, type Options, parse } from 'csv-parse';

/** More than the largest contact. */
const MAX_LINE_BYTES = 100_000;
const OPTIONS = {
  info: true,
  bom: true,
  ltrim: true, // cells are trimmed below, too: with rtrim, relax_quotes drops the rest of a file (csv-parse 7.0.3)
  skip_empty_lines: true,
  record_delimiter: ['\r\n', '\n', '\r'], // a file put together from several may have all of them
  relax_quotes: true,
  relax_column_count: true,
  max_record_size: MAX_LINE_BYTES,
  skip_records_with_error: true,
} satisfies Options;

/** A record of a file. */
export interface CsvLine {
  /** The line on which it ends. */
  line: number;
  /** The bytes of the file up to its end. */
  end: number;
  cells: string[];
  /** Why the record, and what follows in the file, cannot be read. */
  problem?: string;
}

/** Where to continue in a file: behind these bytes and lines. */
export interface CsvPosition {
  bytes: number;
  lines: number;
}

/**
 * Yields the records of a file from a position on. A quote that is not closed, or a record that is too large, is the last
 * one: nobody can tell where the next begins.
 */
export async function* linesOf(
  content: Readable,
  { delimiter, after }: { delimiter: string; after: CsvPosition },
): AsyncGenerator<CsvLine> {
  let broken: CsvError | undefined;
  const parser = parse({
    ...OPTIONS,
    delimiter,
    on_skip: (error) => {
      broken ??= error;
    },
  });
  const source = pipeline(content, parser, () => {});
  let last = after;
  for await (const { record, info } of source as AsyncIterable<{ record: string[]; info: Info }>) {
    if (broken !== undefined && info.bytes > Number(broken.bytes)) break; // those before it may come after it
    last = { lines: after.lines + info.lines, bytes: after.bytes + info.bytes };
    yield { line: last.lines, end: last.bytes, cells: record.map(withoutSpaceAround) };
  }
  if (broken !== undefined)
    yield { line: last.lines + 1, end: Number.POSITIVE_INFINITY, cells: [], problem: textOf(broken) };
}

/** A quoted cell with white space behind its quotes, which the parser takes for a part of the cell. */
const SPACE_BEHIND_QUOTES = /^"(.*)"\s+$/s;

const withoutSpaceAround = (cell: string): string => (SPACE_BEHIND_QUOTES.exec(cell)?.[1] ?? cell).trim();

const textOf = ({ code }: CsvError): string =>
  code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a quote that begins here or below is not closed: nothing from here on was read'
    : `the line is longer than ${MAX_LINE_BYTES} bytes, or a quote in it is not closed: nothing from here on was read`;
