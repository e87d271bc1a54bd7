import type { Schemas } from '../../../api/client';
import { isSame } from '../../../ui/same';

type Payload = Schemas['ActionPayload'];
type Parameter = NonNullable<Payload['parameters']>[number];
export type Place = Parameter['in'] | 'body';
export type ValueType = 'string' | 'number' | 'integer' | 'boolean';

/** A value that the AI gives to an action. */
export interface InputField {
  name: string;
  place: Place;
  type: ValueType;
  description: string;
  isRequired: boolean;
  /** Its other fields in the API. They stay. */
  others: { parameter?: object; schema?: object };
}

/** What an action takes, as rows. */
export interface Input {
  fields: InputField[];
  /** The JSON Schema of a body that rows cannot show. Undefined: the body is made of fields. */
  bodySchema: string | undefined;
}

const TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean'];
const JSON_TYPE = 'application/json';
/** What the schema of an object may say for its properties to be shown as rows. */
const OBJECT_KEYS = ['type', 'properties', 'required'];

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Returns what an action takes, from its operation. Undefined if a form would lose something of it. */
export function inputOf(payload: Record<string, unknown>): Input | undefined {
  const input = rowsOf(payload);
  if (input === undefined) return undefined;
  const method = String(payload.method ?? 'get').toLowerCase();
  const again = payloadWith(payload, input, method);
  return isSame(withDefaults({ ...payload, method }), withDefaults(again)) ? input : undefined;
}

/** Returns an operation with OpenAPI's defaults. */
const withDefaults = (payload: Record<string, unknown>) => ({
  ...payload,
  parameters: (Array.isArray(payload.parameters) ? payload.parameters : []).map((parameter) => ({
    required: false,
    ...record(parameter),
  })),
});

function rowsOf(payload: Record<string, unknown>): Input | undefined {
  const parameters = (Array.isArray(payload.parameters) ? payload.parameters : []).map(record);
  const fields = parameters.map(({ name, in: place, description, required, schema, ...parameter }) =>
    fieldOf(String(name), place as Place, record(schema), {
      description,
      isRequired: required === true,
      others: { parameter },
    }),
  );
  if (fields.includes(undefined)) return undefined;
  const shown = fields.filter((field) => field !== undefined);
  const content = record(record(payload.requestBody).content);
  const types = Object.keys(content);
  if (types.length === 0) return { fields: shown, bodySchema: undefined };
  if (types.length > 1 || types[0] !== JSON_TYPE) return undefined;
  const { schema: given, ...rest } = record(content[JSON_TYPE]);
  if (Object.keys(rest).length > 0) return undefined;
  const schema = record(given);
  const ofBody = fieldsOfBody(schema);
  return ofBody === undefined
    ? { fields: shown, bodySchema: JSON.stringify(schema, null, 2) }
    : { fields: [...shown, ...ofBody], bodySchema: undefined };
}

/** Returns the properties of a body as fields. Undefined if it is more than an object of plain values. */
function fieldsOfBody(schema: Record<string, unknown>): InputField[] | undefined {
  if (schema.type !== 'object' || Object.keys(schema).some((key) => !OBJECT_KEYS.includes(key))) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(record(schema.properties)).map(([name, property]) => {
    const { description, ...rest } = record(property);
    // A row shows the type alone, and another one may be chosen.
    if (Object.keys(rest).join() !== 'type') return undefined;
    return fieldOf(name, 'body', rest, { description, isRequired: required.includes(name), others: {} });
  });
  const shown = fields.filter((field) => field !== undefined);
  return fields.includes(undefined) || !isSame(schemaOf(shown), schema) ? undefined : shown;
}

function fieldOf(
  name: string,
  place: Place,
  { type = 'string', ...schema }: Record<string, unknown>,
  { description, isRequired, others }: { description: unknown; isRequired: boolean; others: InputField['others'] },
): InputField | undefined {
  if (!TYPES.includes(String(type))) return undefined;
  return {
    name,
    place,
    type: type as ValueType,
    description: typeof description === 'string' ? description : '',
    isRequired,
    others: { ...others, schema },
  };
}

/** Returns an operation with this input. What else it says stays as it is. Throws if the schema of the body is no JSON. */
export function payloadWith(payload: Record<string, unknown>, { fields, bodySchema }: Input, method: string): Payload {
  const { parameters: _, requestBody, ...rest } = payload;
  const parameters = fields.filter(({ place }) => place !== 'body').map(parameterOf);
  const schema =
    bodySchema === undefined
      ? schemaOf(fields.filter(({ place }) => place === 'body'))
      : jsonOf(bodySchema, 'The JSON Schema of the body');
  const body =
    schema === undefined
      ? {}
      : {
          requestBody: {
            ...(requestBody === undefined ? { required: true } : record(requestBody)),
            content: { [JSON_TYPE]: { schema } },
          },
        };
  return { ...rest, method: method.toLowerCase() as Payload['method'], parameters, ...body };
}

/** What a test of an action has to give as JSON. */
export interface JsonInput {
  isRequired: boolean;
  /** The required names: order, or path_params.order for a payload written as a whole. */
  names: string[];
}

/** Returns what has to be in the body of an action. */
export function bodyInputOf({ requestBody }: Record<string, unknown>): JsonInput {
  const { content, required } = record(requestBody);
  const [type] = Object.values(record(content));
  return { isRequired: required === true, names: namesIn(record(type).schema) };
}

/** Returns what has to be in all parameters of an action. A part of the path has its default, if there is one. */
export function parametersInputOf(payload: Record<string, unknown>): JsonInput {
  const parameters = (Array.isArray(payload.parameters) ? payload.parameters : []).map(record);
  const ofParameters = parameters
    .filter(({ in: place, required, schema }) => (place === 'path' ? record(schema).default === undefined : required))
    .map(({ in: place, name }) => `${GROUPS[place as Parameter['in']]}.${String(name)}`);
  const body = bodyInputOf(payload);
  const ofBody = body.isRequired && body.names.length === 0 ? ['body_params'] : [];
  const names = [...ofParameters, ...ofBody, ...body.names.map((name) => `body_params.${name}`)];
  return { isRequired: true, names };
}

const namesIn = (schema: unknown): string[] => {
  const { required } = record(schema);
  return Array.isArray(required) ? required.map(String) : [];
};

/** Returns what a text says as JSON. Throws a sentence with the name of the text. */
export function jsonOf(text: string, name: string) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is no JSON`);
  }
}

const parameterOf = ({ name, place, type, description, isRequired, others }: InputField): Parameter => ({
  ...others.parameter,
  name: name.trim(),
  in: place as Parameter['in'],
  ...(description.trim() !== '' && { description: description.trim() }),
  required: isRequired || place === 'path',
  schema: { ...others.schema, type },
});

/** Returns the schema of a body made of fields. Undefined without any. */
function schemaOf(fields: InputField[]): Record<string, unknown> | undefined {
  if (fields.length === 0) return undefined;
  const properties = fields.map(({ name, type, description, others }) => [
    name.trim(),
    { ...others.schema, type, ...(description.trim() !== '' && { description: description.trim() }) },
  ]);
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name.trim());
  return { type: 'object', properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
}

const GROUPS = { path: 'path_params', query: 'query_params', header: 'headers', cookie: 'cookies' } as const;

/** Returns the parameters of a test, from the texts of its fields. Empty ones are left out. */
export function parametersOf(fields: InputField[], texts: string[], body: unknown): Record<string, unknown> {
  const parameters: Record<string, Record<string, unknown>> = {};
  fields.forEach(({ name, place, type }, n) => {
    const text = texts[n] ?? '';
    if (text === '') return;
    const group = place === 'body' ? 'body_params' : GROUPS[place];
    parameters[group] = { ...parameters[group], [name]: typedValueOf(type, text) };
  });
  return body === undefined ? parameters : { ...parameters, body_params: body };
}

const typedValueOf = (type: ValueType, text: string): unknown => {
  if (type === 'boolean') return text === 'true';
  return type === 'string' ? text : Number(text);
};
