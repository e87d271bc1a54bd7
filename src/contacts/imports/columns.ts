import { type Issue, invalid } from '../../errors.ts';
import type { ContactFields } from '../schema.ts';
import type { ImportKey } from './schema.ts';

const FIELDS = ['external_id', 'email', 'phone', 'phone_number', 'name'] as const;
/** Columns of a file of refused lines, which is corrected and sent again. */
const IGNORED = ['line', 'reason'];
const DATA_PREFIX = 'custom_data.';
const MAX_COLUMNS = 200;
const DELIMITERS = [',', ';', '\t'];

type Cells = Partial<Record<(typeof FIELDS)[number], string>> & Pick<ContactFields, 'custom_data'>;

const isField = (name: string): name is (typeof FIELDS)[number] => FIELDS.some((field) => field === name);

/** Returns what separates the cells of a file, by its first line. */
export const delimiterOf = (header: string): string =>
  DELIMITERS.toSorted((a, b) => header.split(b).length - header.split(a).length)[0] ?? ',';

/** Throws invalid for columns that an import does not know, or that it needs and misses. */
export function assertColumns(columns: string[], key: ImportKey | undefined): void {
  const problems = columns.flatMap((name, nth) => problemOf(name, columns.indexOf(name) < nth) ?? []);
  const keys =
    key === undefined
      ? FIELDS.filter((field) => field !== 'name')
      : [key, ...(key === 'phone' ? ['phone_number'] : [])];
  if (!keys.some((name) => columns.includes(name))) problems.push(`there must be a column ${keys.join(' or ')}`);
  if (columns.length > MAX_COLUMNS) problems.push(`there are more than ${MAX_COLUMNS} columns`);
  if (problems.length === 0) return;
  const issues = problems.slice(0, 20).map((message): Issue => ({ path: 'body.header', message }));
  throw invalid(`The first line is not valid: ${issues.map(({ message }) => message).join('; ')}`, issues);
}

function problemOf(name: string, isRepeated: boolean): string | undefined {
  if (isRepeated) return `the column "${name}" appears more than once`;
  if (name === `${DATA_PREFIX}__proto__`) return `the column "${name}" is not possible: no key is called __proto__`;
  if (isField(name) || IGNORED.includes(name) || (name.startsWith(DATA_PREFIX) && name.length > DATA_PREFIX.length))
    return undefined;
  return `the column "${name.slice(0, 100)}" is not known: it must be ${FIELDS.join(', ')}, or ${DATA_PREFIX} with a key`;
}

/** Returns the cells of a line as fields of a contact. Empty cells are left out. */
export function fieldsOf(columns: string[], cells: string[]): Cells {
  const fields: Cells = {};
  const data: [string, string][] = [];
  for (const [nth, name] of columns.entries()) {
    const cell = cells[nth] ?? '';
    if (cell === '' || IGNORED.includes(name)) continue;
    if (isField(name)) fields[name] = cell;
    else data.push([name.slice(DATA_PREFIX.length), cell]);
  }
  return data.length === 0 ? fields : { ...fields, custom_data: Object.fromEntries(data) };
}
