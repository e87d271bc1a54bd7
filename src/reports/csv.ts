import type { Options } from 'csv-stringify';
import { stringify } from 'csv-stringify/sync';

export type CsvRow = Record<string, string | number | boolean | Date | null>;

/**
 * The form of our CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe before it (OWASP,
 * CSV injection). Lists and objects are JSON.
 */
export const CSV_OPTIONS = {
  escape_formulas: true,
  record_delimiter: 'windows',
  cast: { date: (date: Date) => date.toISOString(), boolean: String },
} as const satisfies Options;

/** Returns the lines of rows, without a line of names. */
export const csvLines = (rows: object[], columns: readonly string[]): string =>
  stringify(rows, { ...CSV_OPTIONS, columns: [...columns] });

/** Returns the line of names. */
export const csvHeader = (columns: readonly string[]): string =>
  stringify([], { ...CSV_OPTIONS, columns: [...columns], header: true });
