import { type RawBuilder, sql } from 'kysely';

const BYTES = Float64Array.BYTES_PER_ELEMENT;

/** SQL: the values of a column without nulls, encoded for readDoubles. Null if there are none. Parallel workers gather them. */
export const doublesOf = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`encode(string_agg(float8send(${column}), ''::bytea), 'base64')`;

/** The values of groups one after another, and where each group ends. */
export interface GroupedDoubles {
  values: Float64Array;
  ends: number[];
}

/** Reads the values of groups, each as doublesOf selects them. */
export function readDoubles(groups: readonly (string | null)[]): GroupedDoubles {
  const maxBytes = groups.reduce((sum, text) => sum + Buffer.byteLength(text ?? '', 'base64'), 0);
  const values = new Float64Array(Math.ceil(maxBytes / BYTES));
  const bytes = Buffer.from(values.buffer);
  const ends: number[] = [];
  let at = 0;
  for (const text of groups) {
    at += bytes.write(text ?? '', at, 'base64');
    ends.push(at / BYTES);
  }
  bytes.subarray(0, at).swap64(); // Postgres sends the highest byte first
  return { values: values.subarray(0, at / BYTES), ends };
}
