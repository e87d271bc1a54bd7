import fc from 'fast-check';
import { issuesOf } from '../../../src/actions/calls/parameter-schemas.ts';
import { requestSchemaOf, withoutReadOnly } from '../../../src/actions/definitions/read-only.rules.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

let api: TestApi;
let fake: FakeProvider;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi({ env: FAKES_ALLOWED });
  fake = await startFakeProvider();
});
afterAll(async () => {
  await fake.close();
  await api.close();
});
beforeEach(async () => {
  fake.calls.length = 0;
  org = await api.createOrg();
});

const ID = { type: 'integer', readOnly: true };
const NAME = { type: 'string' };
const PERSON = { type: 'object', required: ['id', 'name'], properties: { id: ID, name: NAME } };
const components = { schemas: { Person: PERSON, Id: ID, Plain: NAME } };
const PERSON_REF = { $ref: '#/components/schemas/Person' };
const GIVEN = { id: 7, name: 'Ada' };
const SENT = { name: 'Ada' };

const create = (schema: object) =>
  org.post('/actions', {
    name: 'Save',
    api_endpoint: `${fake.url}/people`,
    request_type: 'POST',
    payload: { requestBody: { content: { 'application/json': { schema } } }, components },
  });
const call = async (schema: object, body_params: unknown) => {
  const { body } = await create(schema);
  const { status, body: answer } = await org.post(`/actions/${body.id}/test`, { parameters: { body_params } });
  return status === 200 ? JSON.parse(String(fake.calls.at(-1)?.body)) : [status, answer.issues];
};

describe('a readOnly property', () => {
  it.each<[string, object, unknown, unknown, unknown]>([
    ['of the schema', PERSON, SENT, GIVEN, SENT],
    ['of a schema that is referred to', PERSON_REF, SENT, GIVEN, SENT],
    [
      'that is referred to',
      { ...PERSON, properties: { id: { $ref: '#/components/schemas/Id' }, name: NAME } },
      SENT,
      GIVEN,
      SENT,
    ],
    [
      'marked beside a reference',
      { ...PERSON, properties: { id: { $ref: '#/components/schemas/Plain', readOnly: true }, name: NAME } },
      SENT,
      GIVEN,
      SENT,
    ],
    [
      'marked in its allOf',
      { ...PERSON, properties: { id: { allOf: [NAME, { readOnly: true }] }, name: NAME } },
      SENT,
      GIVEN,
      SENT,
    ],
    ['of a part of allOf', { allOf: [PERSON_REF, { properties: { age: NAME } }] }, SENT, GIVEN, SENT],
    [
      'of one part of allOf, and required by another',
      { allOf: [{ properties: { id: ID, name: NAME } }, { allOf: [{ required: ['id', 'name'] }] }] },
      SENT,
      GIVEN,
      SENT,
    ],
    [
      'of a part of allOf, and required beside it',
      { allOf: [{ properties: { id: ID } }], required: ['id', 'name'] },
      SENT,
      GIVEN,
      SENT,
    ],
    [
      'of the schema, and required by a part of anyOf',
      { ...PERSON, anyOf: [{ required: ['id'] }, { required: ['other'] }] },
      SENT,
      GIVEN,
      SENT,
    ],
    [
      'of all alternatives',
      {
        oneOf: [
          { ...PERSON, required: ['id', 'name'] },
          { properties: { id: ID, name: { type: 'integer' } }, required: ['id'] },
        ],
      },
      SENT,
      GIVEN,
      SENT,
    ],
    ['of items', { type: 'array', items: PERSON_REF }, [SENT, SENT], [GIVEN, SENT], [SENT, SENT]],
    [
      'of items of a property of allOf',
      { allOf: [{ properties: { list: { type: 'array', items: PERSON_REF } } }] },
      { list: [SENT] },
      { list: [GIVEN] },
      { list: [SENT] },
    ],
    [
      'of items at their place',
      { prefixItems: [NAME, PERSON], items: NAME },
      ['a', SENT, 'b'],
      ['a', GIVEN, 'b'],
      ['a', SENT, 'b'],
    ],
    ['of an inner object', { properties: { owner: PERSON } }, { owner: SENT }, { owner: GIVEN }, { owner: SENT }],
    ['of further properties', { additionalProperties: PERSON_REF }, { a: SENT }, { a: GIVEN }, { a: SENT }],
    ['that no other properties may stand beside', { ...PERSON, additionalProperties: false }, SENT, GIVEN, SENT],
  ])('is neither demanded nor sent: %s', async (_, schema, without, withIt, sent) => {
    expect(await call(schema, without)).toEqual(without);
    expect(await call({ ...schema, title: 'again' }, withIt)).toEqual(sent);
  });

  it('leaves what else is demanded as it is', async () => {
    expect(await call(PERSON_REF, { id: 7 })).toMatchObject([400, [{ path: 'body.parameters.body_params' }]]);
    const open = {
      oneOf: [PERSON, { properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false }],
    };
    expect(await call(open, { id: 7 })).toEqual({ id: 7 });
    const named = { properties: { readOnly: { type: 'boolean' } }, required: ['readOnly'] };
    expect(await call(named, { readOnly: true })).toEqual({ readOnly: true });
    expect(await call({ ...named, title: 'again' }, {})).toMatchObject([
      400,
      [{ path: 'body.parameters.body_params' }],
    ]);
  });

  it('of a parameter is not sent either', async () => {
    const { body } = await org.post('/actions', {
      name: 'Find',
      api_endpoint: `${fake.url}/people`,
      request_type: 'GET',
      payload: { parameters: [{ name: 'where', in: 'query', style: 'deepObject', schema: PERSON }] },
    });
    await org.post(`/actions/${body.id}/test`, { parameters: { query_params: { where: GIVEN } } });
    expect(fake.calls[0]?.path).toBe('/people?where%5Bname%5D=Ada');
  });

  it('is removed from schemas and values of any form', () => {
    const any = fc.jsonValue({ maxDepth: 1 });
    const schemaOf = (depth: number): fc.Arbitrary<Record<string, unknown>> => {
      const inner = depth === 0 ? fc.constant({ readOnly: true }) : schemaOf(depth - 1);
      const list = fc.array(inner, { maxLength: 2 });
      const parts = {
        readOnly: fc.boolean(),
        required: fc.oneof(fc.array(fc.constantFrom('a', 'b')), any),
        properties: fc.oneof(any, fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), inner, { maxKeys: 3 })),
        allOf: fc.oneof(any, list),
        oneOf: fc.oneof(any, list),
        items: fc.oneof(any, inner),
      };
      return fc.record(parts, { requiredKeys: [] });
    };
    fc.assert(
      fc.property(schemaOf(2), fc.jsonValue(), (one, value) => {
        const removed = withoutReadOnly(one, value);
        expect(withoutReadOnly(one, removed)).toEqual(removed);
        expect(Array.isArray(issuesOf(requestSchemaOf(one), removed, 'x'))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
