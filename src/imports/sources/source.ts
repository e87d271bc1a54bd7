import { z } from 'zod';
import { idTextOf } from '../reading/record-parts.rules.ts';
import type { SourceRecord } from '../records.rules.ts';

/** How the objects of a file become records. */
export interface ObjectReader {
  /** The names of the lists in an answer of the source's API. Any other object is a record itself. */
  listsIn: string[];
  /** Reads an object, and the list that it was in. */
  read(value: unknown, list: string | undefined): SourceRecord[];
  /** Says why an answer of the API cannot be imported. */
  refuse?(value: unknown): string | undefined;
}

/** How the lines of a CSV file become records. */
export interface LineReader {
  /** Throws invalid for columns that do not identify contacts. */
  assertColumns(columns: string[]): void;
  read(columns: string[], cells: string[]): SourceRecord[];
}

/** What of a desk can be imported, by the resource that it becomes. */
export type Source = Partial<Record<'contacts' | 'conversations' | 'help_center', ObjectReader>> & {
  contactLines?: LineReader;
};

const Identified = z.looseObject({ id: z.union([z.int(), z.string()]) });

/** Returns the record of an object that is not as its source writes it. */
export function unreadable(value: unknown, error: z.ZodError): SourceRecord {
  const id = Identified.safeParse(value).data?.id;
  const [issue] = error.issues;
  const reason = issue === undefined ? 'not readable' : `${issue.path.map(String).join('.')}: ${issue.message}`;
  const externalId = id === undefined ? null : idTextOf(id);
  return { kind: 'left_out', externalId, findings: [{ code: 'not_readable', reason: reason.slice(0, 500) }] };
}
