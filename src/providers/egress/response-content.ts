import { storable } from '../storable.rules.ts';
import type { EgressResponse } from './egress.ts';
import { storableJsonOf } from './provider-responses.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** An answer's headers, each in one text that any column holds. */
export const headersOf = ({ headers }: EgressResponse): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, storable(String(value))]])),
  );

/** What an answer says: parsed where it is JSON, else text, cut behind `maxBytes`. JSON that is too long is text, as half of it would be. */
export function parsedBodyOf(answer: EgressResponse, maxBytes: number): Json {
  const bytes = Buffer.from(storable(answer.body));
  if (bytes.length > maxBytes)
    return bytes
      .subarray(0, maxBytes)
      .toString('utf8')
      .replace(/\ufffd$/, '');
  return (storableJsonOf(answer) as Json | undefined) ?? bytes.toString('utf8');
}
