import { issuesOf } from '../actions/calls/parameter-schemas.ts';
import type { Issue } from '../errors.ts';

/** Returns what was wrong with an answer to a question, without a word of it. `json` is what it was parsed as. */
export function malformedBecause(
  { purpose, schema }: { purpose: string; schema?: object | undefined },
  { model, json }: { model: string; json: unknown },
): string {
  return `The AI’s answer for "${purpose}" was malformed (model ${model}): ${problemOf(schema, json)}`;
}

function problemOf(schema: object | undefined, json: unknown): string {
  if (json === undefined) return 'it is not JSON';
  const [issue] = schema === undefined ? [] : issuesOf({ ...schema }, json, 'output');
  return issue === undefined ? 'it is not what was asked for' : `it does not fit the schema at ${placeOf(issue)}`;
}

/** Names of properties may be the model's own words where a schema allows any. */
const placeOf = ({ path }: Issue): string => (/^[\w.[\]]{1,100}$/.test(path) ? path : 'a property');
