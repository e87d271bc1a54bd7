import { CsvError } from 'csv-parse';
import { type Options, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { PreviewMessages } from '../ai/preview/schema.ts';
import { invalid, messageOf } from '../errors.ts';
import { SessionChannel } from '../schemas/parts.ts';
import { Checks, CreateCase } from './schema.ts';
import type { CaseDraft } from './table.ts';

const MAX_ROWS = 500;
/** More than the longest message and checks. */
const MAX_ROW_LENGTH = 100_000;
/** No row behind the first one that is too many is read. */
const OPTIONS = {
  columns: assertDistinct,
  record_delimiter: ['\r\n', '\n', '\r'], // a file put together from several may have all of them
  bom: true,
  trim: true,
  skip_empty_lines: true,
  to: MAX_ROWS + 1,
  max_record_size: MAX_ROW_LENGTH,
} satisfies Options<Record<string, string>>;
const SEPARATOR = '|';

const Texts = z
  .string()
  .transform((text) => text.split(SEPARATOR).flatMap((one) => (one.trim() === '' ? [] : [one.trim()])));

/** A row, whose empty cells are left out. */
const Row = z.strictObject({
  name: CreateCase.shape.name,
  message: z.string(),
  channel: SessionChannel.default('web'),
  cites: Texts.optional(),
  ends: Checks.shape.ends,
  reason: z.string().optional(),
  contains: Texts.optional(),
  not_contains: Texts.optional(),
  max_cost: z.coerce.number().optional(),
  max_ms: z.coerce.number().optional(),
});

/** Returns the cases of a CSV file with a header. Throws invalid with the first rows that are none. */
export function casesIn(csv: string): CaseDraft[] {
  const rows = rowsIn(csv);
  if (rows.length === 0) throw refuse([{ row: 1, message: 'there is no row behind the header' }]);
  if (rows.length > MAX_ROWS) throw refuse([{ row: MAX_ROWS + 1, message: `there are more than ${MAX_ROWS} rows` }]);
  const read = rows.map(caseOf);
  const wrong = read.flatMap((one, index) => ('message' in one ? [{ row: index + 1, message: one.message }] : []));
  if (wrong.length > 0) throw refuse(wrong.slice(0, 20));
  return read.flatMap((one) => ('message' in one ? [] : [one]));
}

function rowsIn(csv: string): Record<string, string>[] {
  try {
    return parse(csv, OPTIONS);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw refuse([{ row: Number(error.lines ?? 1), message: messageOf(error).slice(0, 300) }]);
  }
}

/** Returns the names of the columns. Throws invalid for one that appears twice: a row would have the last value alone. */
function assertDistinct(names: string[]): string[] {
  const seen = new Set<string>();
  const twice = names.find((name) => seen.size === seen.add(name).size);
  if (twice !== undefined) throw refuse([{ row: 1, message: `the column "${twice}" appears more than once` }]);
  return names;
}

function caseOf(row: Record<string, string>): CaseDraft | { message: string } {
  const given = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ''));
  const { data, error } = Row.safeParse(given);
  if (data === undefined) return { message: textOf(error) };
  const { name, message, channel, ...wanted } = data;
  const messages = PreviewMessages.safeParse([{ sender: 'contact', text: message }]);
  if (!messages.success) return { message: `message: ${textOf(messages.error)}` };
  const checks = Checks.safeParse(wanted);
  if (!checks.success) return { message: textOf(checks.error) };
  const rest = { contact_id: null, verified: false, stubs: [], session_id: null };
  return { name, messages: messages.data, channel, checks: checks.data, ...rest };
}

const textOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => [path.join('.'), message].filter((part) => part !== '').join(': ')).join('; ');

function refuse(problems: { row: number; message: string }[]) {
  const issues = problems.map(({ row, message }) => ({ path: `body.csv.${row}`, message: `row ${row}: ${message}` }));
  return invalid(`The request is not valid: body.csv: ${issues[0]?.message}`, issues);
}
