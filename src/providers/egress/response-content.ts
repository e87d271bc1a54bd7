import { storable } from '../storable.rules.ts';
import type { EgressResponse } from './egress.ts';
import { type Json, storableJsonOf } from './provider-responses.ts';

/** Returns a response's headers, each as one text storable in any column. */
export const headersOf = ({ headers }: EgressResponse): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, storable(String(value))]])),
  );

/**
 * Returns a response's content: parsed if it is JSON, else text, truncated after `maxBytes`. JSON beyond this limit
 * stays text, as a part of it cannot be parsed.
 */
export function parsedBodyOf(answer: EgressResponse, maxBytes: number): Json {
  const bytes = Buffer.from(storable(answer.body));
  if (bytes.length > maxBytes)
    return bytes
      .subarray(0, maxBytes)
      .toString('utf8')
      .replace(/\ufffd$/, '');
  return storableJsonOf(answer) ?? bytes.toString('utf8');
}
