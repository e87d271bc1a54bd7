import { isDeepStrictEqual } from 'node:util';
import { type ApiDocument, nameOfRef, refTo, rootsOf, type Schema, visitSchema, visitSchemas } from './document.ts';

const INPUT = /Input$/;

/**
 * Removes the second schema of each name. The routes' schemas give two components a name: `X` for answers and `XInput`
 * for requests. One remains where only one is used or both are equal. Others keep both, the one for requests as `XFields`:
 * the client of Go has a function `NewX`.
 */
export function mergeTwins(document: ApiDocument): void {
  pruneSchemas(document);
  const { schemas } = document.components;
  const inputs = Object.keys(schemas).filter((name) => INPUT.test(name));
  const merged = equalTwins(schemas, inputs);
  for (const name of inputs) if (!merged.has(name)) delete schemas[answerOf(name)]?.examples; // they are of requests
  const renamed = new Map(inputs.map((name) => [name, merged.has(name) ? answerOf(name) : requestOf(name)]));
  visitSchemas(document, (schema) => {
    const name = renamed.get(nameOfRef(schema));
    if (name !== undefined) Object.assign(schema, refTo(name));
  });
  for (const [from, to] of renamed) renameSchema(schemas, from, to);
}

const answerOf = (input: string) => input.replace(INPUT, '');
const requestOf = (input: string) => `${answerOf(input)}Fields`;

function renameSchema(schemas: Record<string, Schema>, from: string, to: string): void {
  const schema = schemas[from];
  delete schemas[from];
  if (schemas[to] !== undefined && INPUT.test(from) && to !== answerOf(from))
    throw new Error(`Two schemas would be named ${to}: give one another id`);
  if (schema !== undefined) schemas[to] ??= schema;
}

/** Returns the inputs without an answer of the name, or equal to it. References to equal twins count as equal. */
function equalTwins(schemas: Record<string, Schema>, inputs: string[]): Set<string> {
  const equal = new Set(inputs);
  const isEqual = (name: string) => {
    const answer = schemas[answerOf(name)];
    return answer === undefined || isDeepStrictEqual(comparable(schemas[name], equal), comparable(answer, equal));
  };
  for (let unequal = inputs; unequal.length > 0; ) {
    unequal = [...equal].filter((name) => !isEqual(name));
    for (const name of unequal) equal.delete(name);
  }
  return equal;
}

function comparable(schema: Schema | undefined, equal: ReadonlySet<string>): Schema {
  const copy = structuredClone(schema ?? {});
  delete copy.examples;
  visitSchema(copy, (part) => {
    part.required?.sort();
    if (equal.has(nameOfRef(part))) Object.assign(part, refTo(answerOf(nameOfRef(part))));
  });
  return copy;
}

/** Removes the schemas that nothing in the document refers to. */
export function pruneSchemas(document: ApiDocument): void {
  const { schemas } = document.components;
  const reached = new Set<string>();
  const reach = (schema: Schema) =>
    visitSchema(schema, (part) => {
      const name = nameOfRef(part);
      const target = schemas[name];
      if (target === undefined || reached.has(name)) return;
      reached.add(name);
      reach(target);
    });
  for (const root of rootsOf(document)) reach(root);
  for (const name of Object.keys(schemas)) if (!reached.has(name)) delete schemas[name];
}
