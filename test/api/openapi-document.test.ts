import type { ApiDocument, Schema } from '../../src/api/edge/documents/openapi-document/document.ts';
import { readableDocument } from '../../src/api/edge/documents/openapi-document/readable.ts';

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const text: Schema = { type: 'string' };

/** Returns the readable form of a document with one operation, `saveThing`. */
function made(schemas: Record<string, Schema>, { body = ref('ThingInput'), answer = ref('Thing') } = {}): ApiDocument {
  return readableDocument({
    paths: {
      '/things': {
        post: {
          operationId: 'saveThing',
          requestBody: { content: { 'application/json': { schema: body } } },
          responses: {
            200: { description: 'Default Response', content: { 'application/json': { schema: answer } } },
            404: { description: 'Default Response', content: { 'application/json': { schema: ref('Error') } } },
            429: { description: 'Default Response', content: { 'application/json': { schema: ref('Error') } } },
          },
        },
      },
    },
    components: { schemas: { Error: object({ message: text }), ...schemas } },
  });
}
const schemasOf = ({ components }: ApiDocument) => components.schemas;

it('equal schemas of requests and answers are one, also where they refer to others of the kind', () => {
  const part = object({ name: text });
  const schemas = { Thing: object({ part: ref('Part') }), ThingInput: object({ part: ref('PartInput') }) };
  const document = made({ ...schemas, Part: part, PartInput: structuredClone(part) });
  expect(Object.keys(schemasOf(document)).sort()).toEqual(['Error', 'Part', 'Thing']);
});

it('schemas of one name that differ keep both, the one for requests as its fields', () => {
  const document = made({ Thing: object({ id: text }), ThingInput: object({ name: text }) });
  expect(Object.keys(schemasOf(document)).sort()).toEqual(['Error', 'Thing', 'ThingFields']);
});

it('a schema that nothing refers to is left out', () => {
  const document = made({ Thing: object({ id: text }), Other: object({ id: text }), OtherInput: object({ id: text }) });
  expect(Object.keys(schemasOf(document)).sort()).toEqual(['Error', 'Thing']);
});

it('errors that any request can meet are a range, and each answer is described', () => {
  const { paths, components } = made({ Thing: object({ id: text }) });
  expect(paths['/things']?.post?.responses).toMatchObject({
    200: { description: 'Done.' },
    404: { $ref: '#/components/responses/NotFound' },
    '4XX': { $ref: '#/components/responses/Refused' },
  });
  expect(components.responses?.Refused?.headers).toHaveProperty('Retry-After');
});

it('a union with a list or a free object is any JSON with its description, and null beside one stays', () => {
  const list: Schema = { type: 'array', items: text };
  const free: Schema = { type: 'object', additionalProperties: {} };
  const Thing = object({
    texts: { anyOf: [list, text], description: 'A text, or a list of them.' },
    payload: { anyOf: [free, text, { type: 'null' }] },
    maybe: { anyOf: [list, { type: 'null' }] },
  });
  const { properties } = schemasOf(made({ Thing })).Thing as Schema;
  expect(properties).toEqual({
    texts: { description: 'A text, or a list of them.' },
    payload: { description: 'Any JSON value.' },
    maybe: { type: ['array', 'null'], items: text },
  });
});

it('the default of an object with members is in its description', () => {
  const channel = { ...object({ type: text }), default: { type: 'api' }, description: 'Where it is.' };
  const schemas = schemasOf(made({ Thing: object({ channel, empty: { ...object({ a: text }), default: {} } }) }));
  const described = Object.values(schemas).filter(({ description }) => description?.includes('`{"type":"api"}`'));
  expect(described).toEqual([expect.objectContaining({ description: 'Where it is. Default: `{"type":"api"}`.' })]);
  expect(JSON.stringify(schemas)).not.toContain('"default"');
});

it('variants of a union are named after their constant, which a discriminator maps to them', () => {
  const variant = (type: string) => object({ type: { type: 'string', const: type } });
  const { Thing, ThingIsOpen } = schemasOf(
    made({ Thing: object({ state: { oneOf: [variant('is_open'), variant('is_closed')] } }) }),
  );
  expect(Thing?.properties?.state).toEqual({
    oneOf: [ref('ThingIsOpen'), ref('ThingIsClosed')],
    discriminator: {
      propertyName: 'type',
      mapping: { is_open: ref('ThingIsOpen').$ref, is_closed: ref('ThingIsClosed').$ref },
    },
  });
  expect(ThingIsOpen).toEqual(variant('is_open'));
});

it('an object beside a value is named after what it needs: the name of the union is left to generators', () => {
  const snooze: Schema = { anyOf: [{ type: 'string', const: 'until_reply' }, object({ minutes: text })] };
  const { Thing } = schemasOf(made({ Thing: object({ snooze }) }));
  expect(Thing?.properties?.snooze?.anyOf?.[1]).toEqual(ref('ThingSnoozeByMinutes'));
});

it('an answer can get members in a later version, and a request has those that it names alone', () => {
  const closed = (properties: Record<string, Schema>): Schema => ({
    ...object(properties),
    additionalProperties: false,
  });
  const schemas = schemasOf(
    made({
      ThingInput: closed({ part: ref('PartInput') }),
      PartInput: closed({ name: text }),
      Thing: closed({ part: ref('Part'), state: closed({ is_open: text }) }),
      Part: closed({ name: text }),
    }),
  );
  const open = Object.keys(schemas).filter((name) => !('additionalProperties' in (schemas[name] as Schema)));
  expect(open.sort()).toEqual(['Error', 'Thing', 'ThingState']);
  expect([schemas.ThingFields, schemas.Part]).toEqual([
    expect.objectContaining({ additionalProperties: false }),
    expect.objectContaining({ additionalProperties: false }),
  ]);
});

it('an answer without a name is named after its operation, and a page after its items', () => {
  const document = made({ Thing: object({ id: text }) }, { answer: object({ done: text }) });
  expect(schemasOf(document)).toHaveProperty('SaveThingAnswer');
  const page = object({ items: { type: 'array', items: ref('Thing') }, next: text });
  expect(schemasOf(made({ Thing: object({ id: text }) }, { answer: page }))).toHaveProperty('ThingPage');
});

it.each<[string, Schema, Schema]>([
  [
    'null or a text',
    { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] },
    { type: ['string', 'null'], format: 'uri' },
  ],
  [
    'null or values',
    { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  [
    'constants',
    {
      anyOf: [
        { type: 'string', const: 'a' },
        { type: 'string', const: 'b' },
      ],
    },
    { type: 'string', enum: ['a', 'b'] },
  ],
  [
    'whole numbers',
    {
      anyOf: [
        { type: 'number', const: 0 },
        { type: 'number', const: 1 },
      ],
    },
    { type: 'integer', enum: [0, 1] },
  ],
  ['null alone', { type: 'null' }, { type: ['string', 'null'], description: 'Always null.' }],
  ['any JSON', {}, { description: 'Any JSON value.' }],
  ['any JSON or null', { anyOf: [{}, { type: 'null' }] }, { description: 'Any JSON value.' }],
  ['a map of any JSON', { type: 'object', additionalProperties: {} }, { type: 'object', additionalProperties: true }],
  ['a known format', { type: 'string', format: 'uuid', pattern: '^x$' }, { type: 'string', format: 'uuid' }],
  [
    'any integer',
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    { type: 'integer' },
  ],
])('%s has its shortest form', (_, given, expected) => {
  expect(schemasOf(made({ Thing: object({ member: given }) })).Thing?.properties?.member).toEqual(expected);
});

it('a body other than JSON is a file, and never null', () => {
  const text: Schema = { anyOf: [{ type: 'string', description: 'Lines.' }, { type: 'null' }] };
  const document = readableDocument({
    paths: {
      '/things': {
        post: {
          operationId: 'importThings',
          requestBody: { content: { 'text/csv': { schema: text } } },
          responses: {},
        },
      },
    },
    components: { schemas: {} },
  } as ApiDocument);
  expect(document.paths['/things']?.post?.requestBody?.content).toEqual({
    'text/csv': { schema: { type: 'string', format: 'binary', description: 'Lines.' } },
  });
});
