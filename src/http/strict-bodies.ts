interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Operation {
  operationId?: string;
  security?: object[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
}

interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

/**
 * States in an OpenAPI document that operations refuse unknown fields, except public ones and those of the given ids:
 * objects of their bodies have no other properties.
 */
export function withStrictBodies<Given extends object>(document: Given, lenient: ReadonlySet<string>): Given {
  const { paths = {}, components: { schemas = {} } = {} } = document as Document;
  const seen = new Set<Schema>();
  const close = (schema: Schema | undefined): void => {
    if (schema === undefined || seen.has(schema)) return;
    seen.add(schema);
    close(schemas[schema.$ref?.replace('#/components/schemas/', '') ?? '']);
    if (schema.properties !== undefined) schema.additionalProperties ??= false;
    for (const inner of Object.values(schema.properties ?? {})) close(inner);
    for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) close(inner);
    close(schema.items);
  };
  for (const { operationId = '', security = [], requestBody } of Object.values(paths).flatMap(
    Object.values<Operation>,
  )) {
    if (security.length === 0 || lenient.has(operationId)) continue;
    close(requestBody?.content?.['application/json']?.schema);
  }
  return document;
}
