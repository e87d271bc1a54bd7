interface Schema {
  $ref?: string;
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

const JSON_TYPE = 'application/json';
const componentOf = ({ $ref = '' }: Schema) => $ref.replace('#/components/schemas/', '');

/**
 * States in an OpenAPI document that operations refuse unknown fields, except public ones and those of the given ids:
 * objects of their bodies have no other properties. Bodies of the exceptions get copies of the schemas they share.
 */
export function withStrictBodies<Given extends object>(document: Given, lenient: ReadonlySet<string>): Given {
  const { paths = {}, components: { schemas = {} } = {} } = document as Document;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const isLenient = ({ operationId = '', security = [] }: Operation) =>
    security.length === 0 || lenient.has(operationId);
  const open = structuredClone(schemas);
  const closed = new Set<string>();
  for (const { requestBody } of operations.filter((operation) => !isLenient(operation)))
    close(requestBody?.content?.[JSON_TYPE]?.schema, schemas, { closed, seen: new Set() });
  for (const { requestBody } of operations.filter(isLenient)) {
    const content = requestBody?.content?.[JSON_TYPE];
    if (content?.schema !== undefined)
      content.schema = withCopies(content.schema, { schemas, open, closed, within: [] });
  }
  return document;
}

function close(
  schema: Schema | undefined,
  schemas: Record<string, Schema>,
  found: { closed: Set<string>; seen: Set<Schema> },
): void {
  if (schema === undefined || found.seen.has(schema)) return;
  found.seen.add(schema);
  if (schema.$ref !== undefined) {
    found.closed.add(componentOf(schema));
    close(schemas[componentOf(schema)], schemas, found);
  }
  if (schema.properties !== undefined) schema.additionalProperties ??= false;
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  for (const one of [...inner, schema.items]) close(one, schemas, found);
}

interface Components {
  schemas: Record<string, Schema>;
  /** As they were before some were closed. */
  open: Record<string, Schema>;
  closed: ReadonlySet<string>;
  /** The names of the schemas around the present one. */
  within: string[];
}

/**
 * Returns a schema with copies in place of references to closed ones, also in the schemas that it refers to. A schema
 * within itself stays a reference.
 */
function withCopies(schema: Schema, components: Components): Schema {
  if (schema.$ref !== undefined) {
    const name = componentOf(schema);
    const [original, present] = [components.open[name], components.schemas[name]];
    if (original === undefined || present === undefined || components.within.includes(name)) return schema;
    const inside = { ...components, within: [...components.within, name] };
    if (components.closed.has(name)) return withCopies(original, inside);
    components.schemas[name] = withCopies(present, inside);
    return schema;
  }
  const copies = (list: Schema[] | undefined) => list?.map((one) => withCopies(one, components));
  const { properties, items, anyOf, oneOf } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, one]) => [key, withCopies(one, components)]),
      ),
    }),
    ...(items && { items: withCopies(items, components) }),
    ...(anyOf && { anyOf: copies(anyOf) }),
    ...(oneOf && { oneOf: copies(oneOf) }),
  };
}
