/** A schema of the OpenAPI document: the keywords that are read or written here. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  const?: unknown;
  enum?: unknown[];
  description?: string;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
  /** Of a text that contains JSON. */
  contentSchema?: Schema;
  /** Of stored JSON: the name of the schema that it was checked by. */
  storedAs?: string;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
}

export interface Content {
  schema?: Schema;
  example?: unknown;
}

export interface Answer {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, Content>;
}

export interface Parameter {
  $ref?: string;
  in?: string;
  name?: string;
  required?: boolean;
  schema?: Schema;
}

export interface Operation {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  security?: object[];
  requestBody?: { required?: boolean; content?: Record<string, Content> };
  responses?: Record<string, Answer>;
}

/** The OpenAPI document while it is made from the routes. */
export interface ApiDocument {
  tags?: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses?: Record<string, Answer>;
    parameters?: Record<string, Parameter>;
  };
}

const SCHEMAS = '#/components/schemas/';

export const JSON_TYPE = 'application/json';

export const refTo = (name: string): Schema => ({ $ref: `${SCHEMAS}${name}` });

/** Returns the name of the component that the schema refers to, or '' if it refers to none. */
export const nameOfRef = ({ $ref = '' }: Schema): string => $ref.replace(SCHEMAS, '');

/** Returns all operations of the document's paths, with the method and path of each. */
export const operationsOf = ({ paths }: Pick<ApiDocument, 'paths'>) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

/** Returns the contents of an operation's body and answers. */
export const contentsOf = ({ requestBody, responses = {} }: Operation): Content[] =>
  [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}));

/** Returns the schemas where the document uses them: of parameters, bodies and answers. */
export function rootsOf({ paths, webhooks = {}, components: { responses = {} } }: ApiDocument): Schema[] {
  const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) => Object.values(item));
  const contents = [...operations.flatMap(contentsOf), ...contentsOf({ responses })];
  const parameters = operations.flatMap(({ parameters: list = [] }) => list);
  return [...contents, ...parameters].flatMap(({ schema }) => (schema === undefined ? [] : [schema]));
}

/** Returns the schemas directly within a schema. */
export const partsOf = (schema: Schema): Schema[] => [
  ...Object.values(schema.properties ?? {}),
  ...(schema.anyOf ?? []),
  ...(schema.oneOf ?? []),
  ...(schema.allOf ?? []),
  ...(schema.items === undefined ? [] : [schema.items]),
  ...(schema.contentSchema === undefined ? [] : [schema.contentSchema]),
  ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
];

/** Calls `visit` for the schema and all within it, the inner ones first. References are not followed. */
export function visitSchema(schema: Schema, visit: (schema: Schema) => void): void {
  for (const part of partsOf(schema)) visitSchema(part, visit);
  visit(schema);
}

/** Calls `visit` for every schema of the document. */
export function visitSchemas(document: ApiDocument, visit: (schema: Schema) => void): void {
  for (const schema of [...rootsOf(document), ...Object.values(document.components.schemas)])
    visitSchema(schema, visit);
}
