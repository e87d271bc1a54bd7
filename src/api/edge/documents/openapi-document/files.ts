import { type ApiDocument, JSON_TYPE, operationsOf, type Schema } from './document.ts';

/** Describes bodies other than JSON as what is sent: never null, and a text as a file of bytes. */
export function describeFiles(document: ApiDocument): void {
  for (const { operation } of operationsOf(document))
    for (const [type, content] of Object.entries(operation.requestBody?.content ?? {}))
      if (type !== JSON_TYPE && content.schema !== undefined) content.schema = fileOf(content.schema);
}

function fileOf(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  const [given, ...others] = anyOf?.filter(({ type }) => type !== 'null') ?? [schema];
  if (given === undefined || others.length > 0) return schema;
  return { ...rest, ...given, ...(given.type === 'string' && { format: 'binary' }) };
}
