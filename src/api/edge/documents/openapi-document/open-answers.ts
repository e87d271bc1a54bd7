import { type ApiDocument, nameOfRef, operationsOf, partsOf, type Schema, visitSchemas } from './document.ts';

/**
 * Opens the objects of answers and webhooks that no request has: a later version may add members, and a client of Go refuses
 * members that a closed object does not name. What is also sent to the API, such as filters, stays closed.
 */
export function openAnswers(document: ApiDocument): void {
  const sent = sentSchemas(document);
  visitSchemas(document, (schema) => {
    if (schema.additionalProperties === false && !sent.has(schema)) delete schema.additionalProperties;
  });
}

/** Returns the schemas that bodies and parameters of requests lead to. */
function sentSchemas(document: ApiDocument): Set<Schema> {
  const sent = new Set<Schema>();
  const add = (schema: Schema | undefined) => {
    if (schema === undefined || sent.has(schema)) return;
    sent.add(schema);
    add(document.components.schemas[nameOfRef(schema)]);
    for (const part of partsOf(schema)) add(part);
  };
  for (const { operation } of operationsOf(document)) {
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) add(schema);
    for (const { schema } of operation.parameters ?? []) add(schema);
  }
  return sent;
}
