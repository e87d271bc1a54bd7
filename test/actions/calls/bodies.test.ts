import { createActionRunner, type RunAction } from '../../automations/action-runner.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type EncodedReceiver, startEncodedReceiver } from '../../support/fakes/encoded-receiver.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

let api: TestApi;
let receiver: EncodedReceiver;
let org: TestOrg;
let perform: RunAction;
beforeAll(async () => {
  api = await startApi({ env: FAKES_ALLOWED });
  receiver = await startEncodedReceiver();
  perform = createActionRunner(api);
});
afterAll(async () => {
  await receiver.close();
  await api.close();
});
beforeEach(async () => {
  receiver.received.length = 0;
  org = await api.createOrg();
});

const create = (content: object, more: object = {}) =>
  org.post('/actions', {
    name: 'Claim',
    api_endpoint: `${receiver.url}/claims`,
    request_type: 'POST',
    payload: { requestBody: { required: true, content }, ...more },
  });
/** Makes an action of a body's content, and calls it as a workflow does. */
async function execute(content: object, body_params: unknown, more: object = {}) {
  const { status, body } = await create(content, more);
  expect([status, body]).toEqual([201, expect.any(Object)]);
  return perform(org, 'execute-action', { action_id: body.id, parameters: { body_params } });
}
const onlyBody = () => {
  expect(receiver.received).toHaveLength(1);
  return receiver.received[0];
};

const PARTS = {
  type: 'object',
  required: ['note'],
  properties: {
    note: { type: 'string' },
    lines: { type: 'array', items: { type: 'integer' } },
    customer: { type: 'object' },
    photo: { type: 'string', format: 'binary' },
    label: { type: 'string', contentMediaType: 'text/csv' },
  },
};
const ORDER = {
  type: 'object',
  xml: { name: 'order', namespace: 'urn:shop' },
  properties: {
    id: { type: 'integer', xml: { attribute: true } },
    note: { type: 'string', xml: { name: 'Note' } },
    tags: { type: 'array', xml: { wrapped: true }, items: { type: 'string', xml: { name: 'tag' } } },
    lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
  },
};

describe('the body of an action', () => {
  it('goes out as multipart/form-data, with files, JSON parts and one part for each item of a list', async () => {
    const content = { 'multipart/form-data': { schema: PARTS, encoding: { label: { contentType: 'text/plain' } } } };
    const given = {
      note: 'ä "quoted"\r\n--part',
      lines: [1, 2],
      customer: { id: 7 },
      photo: `data:image/png;base64,${Buffer.from([137, 80, 0, 255]).toString('base64')}`,
      label: 'a;b',
    };
    expect(await execute(content, given)).toEqual({ status: 200, body: { claim: 4711 } });
    expect(onlyBody()?.content).toEqual([
      ['note', 'ä "quoted"\r\n--part'],
      ['lines', '1'],
      ['lines', '2'],
      ['customer', '{"id":7}'],
      ['photo', 'photo', 'image/png', Buffer.from([137, 80, 0, 255]).toString('base64')],
      ['label', 'label', 'text/plain', Buffer.from('a;b').toString('base64')],
    ]);
  });

  it('goes out as XML, with names, attributes, wrapped lists and namespaces of its schema', async () => {
    const given = { id: 7, note: '<b>&"ä"\u0007', tags: ['x', 'y'], lines: [{ sku: 'a' }, { sku: 'b' }] };
    await execute({ 'application/xml': { schema: ORDER } }, given);
    const element = (name: string, ...children: unknown[]) => ({ name, attributes: {}, children });
    expect(onlyBody()?.content).toEqual({
      name: 'order',
      attributes: { xmlns: 'urn:shop', id: '7' },
      children: [
        element('Note', '<b>&"ä"'),
        element('tags', element('tag', 'x'), element('tag', 'y')),
        element('lines', element('sku', 'a')),
        element('lines', element('sku', 'b')),
      ],
    });
  });

  it('goes out as the XML document that is given as text', async () => {
    const document = '<?xml version="1.0" encoding="UTF-8"?><a><b>1</b></a>';
    await execute({ 'text/xml': { schema: { type: 'string' } } }, document);
    expect(onlyBody()).toMatchObject({ contentType: 'text/xml', content: { name: 'a' } });
  });

  it('goes out as text, a form or bytes', async () => {
    await execute({ 'text/plain': {} }, 'ä line\n');
    await execute({ 'application/x-www-form-urlencoded': {} }, { a: 'x y', b: [1, 2] });
    await execute({ 'application/pdf': {} }, `data:application/pdf;base64,${Buffer.from([1, 255]).toString('base64')}`);
    expect(receiver.received).toEqual([
      { contentType: 'text/plain; charset=utf-8', content: 'ä line\n' },
      {
        contentType: 'application/x-www-form-urlencoded',
        content: [
          ['a', 'x y'],
          ['b', '1'],
          ['b', '2'],
        ],
      },
      { contentType: 'application/pdf', content: Buffer.from([1, 255]).toString('base64') },
    ]);
  });

  it('goes out as JSON where that is one of its media types, or fits a range', async () => {
    await execute({ 'text/plain': {}, 'application/vnd.shop+xml': {}, '*/*': {} }, { a: 1 });
    expect(onlyBody()).toEqual({ contentType: 'application/json', content: { a: 1 } });
  });

  it.each([
    [{ 'multipart/form-data': {} }, 'text'],
    [{ 'application/xml': { schema: ORDER } }, [1]],
    [{ 'application/xml': { schema: { xml: { name: 'a' } } } }, { 'b c': 1 }],
    [{ 'text/plain': {} }, { a: 1 }],
    [{ 'application/octet-stream': {} }, [1]],
    [{ 'multipart/form-data': { schema: PARTS } }, { lines: [1] }],
  ])('a body of %j is refused for %j', async (content, body_params) => {
    const { id } = (await create(content)).body;
    const { status, body } = await org.post(`/actions/${id}/test`, { parameters: { body_params } });
    expect([status, body.issues[0].path]).toEqual([400, 'body.parameters.body_params']);
    expect(receiver.received).toEqual([]);
  });
});

describe('a reference in a schema', () => {
  const components = {
    schemas: {
      Order: {
        type: 'object',
        required: ['sku'],
        properties: { sku: { type: 'string' }, next: { $ref: '#/components/schemas/Order' } },
      },
    },
  };
  const content = (type: string, $ref: string, more: object = {}) => ({ [type]: { schema: { $ref, ...more } } });

  it('leads to a place in the payload, and a recursive one to any value', async () => {
    const { body } = await create(content('application/json', '#/components/schemas/Order'), { components });
    const test = (body_params: object) => org.post(`/actions/${body.id}/test`, { parameters: { body_params } });
    expect((await test({ sku: 7 })).body.issues[0].path).toBe('body.parameters.body_params.sku');
    expect((await test({ sku: 'a', next: { anything: 1 } })).status).toBe(200);
    expect((await org.get(`/actions/${body.id}`)).body.payload.components).toEqual(components);
  });

  it('leads to a definition in the schema itself', async () => {
    const schema = { $defs: { Sku: { type: 'string' } }, type: 'object', properties: { sku: { $ref: '#/$defs/Sku' } } };
    const { id } = (await create({ 'application/json': { schema } })).body;
    const refused = await org.post(`/actions/${id}/test`, { parameters: { body_params: { sku: 7 } } });
    expect(refused.body.issues[0].path).toBe('body.parameters.body_params.sku');
  });

  it('names the root element of an XML document', async () => {
    await execute(content('application/xml', '#/components/schemas/Order'), { sku: 'a' }, { components });
    expect(onlyBody()?.content).toMatchObject({ name: 'Order', children: [{ name: 'sku', children: ['a'] }] });
  });

  it.each([
    ['#/components/schemas/None', 'which is not there'],
    ['https://example.com/order.json', 'only references within the document'],
  ])('to %s is refused', async ($ref, message) => {
    const { status, body } = await create(content('application/json', $ref), { components });
    expect([status, body.issues]).toEqual([
      400,
      [
        {
          path: 'body.payload.requestBody.content.application/json.schema',
          message: expect.stringContaining(message),
        },
      ],
    ]);
  });

  it('is refused where references grow beyond a bound', async () => {
    const levels = Array.from({ length: 12 }, (_, n) => [
      `L${n}`,
      { anyOf: Array(10).fill({ $ref: `#/components/schemas/L${n + 1}` }) },
    ]);
    const bomb = { schemas: { ...Object.fromEntries(levels), L12: {} } };
    const { status, body } = await create(content('application/json', '#/components/schemas/L0'), { components: bomb });
    expect([status, body.issues[0].message]).toEqual([400, 'has more than 20000 values with references followed']);
  });
});

describe('the references of an action together', () => {
  const schema = { $ref: '#/components/schemas/Many' };
  const actionOf = (count: number, components: object) =>
    org.post('/actions', {
      name: 'Claim',
      api_endpoint: `${receiver.url}/claims`,
      request_type: 'POST',
      payload: {
        parameters: Array.from({ length: count }, (_, n) => ({ name: `q${n}`, in: 'query', schema })),
        requestBody: { content: { 'application/json': { schema } } },
        components: { schemas: components },
      },
    });

  it.each([
    [
      'values',
      { Many: { anyOf: Array(300).fill({ $ref: '#/components/schemas/One' }) }, One: { enum: Array(10).fill(1) } },
      'has more than 20000 values with references followed',
    ],
    [
      'characters',
      {
        Many: { anyOf: Array(60).fill({ $ref: '#/components/schemas/One' }) },
        One: { description: 'x'.repeat(8_000) },
      },
      'has more than 1000000 characters with references followed',
    ],
  ])('are refused for too many %s', async (_, components, message) => {
    const { status, body } = await actionOf(8, components);
    expect([status, body.issues?.[0].message]).toEqual([400, message]);
    expect((await actionOf(1, components)).status).toBe(201);
  });
});

it('an XML body without a name for its root element is refused', async () => {
  const { status, body } = await create({ 'application/xml': { schema: { type: 'object' } } });
  expect([status, body.issues[0].message]).toEqual([400, expect.stringContaining('xml.name')]);
});

it('an imported operation sends XML with the name of its schema, and paths can be references', async () => {
  const document = {
    openapi: '3.1.0',
    servers: [{ url: receiver.url }],
    paths: { '/claims': { $ref: '#/components/pathItems/Claims' }, '/gone': { $ref: '#/components/pathItems/Gone' } },
    components: {
      pathItems: {
        Claims: { post: { operationId: 'claim', requestBody: { $ref: '#/components/requestBodies/Claim' } } },
      },
      requestBodies: { Claim: { content: { 'application/xml': { schema: { $ref: '#/components/schemas/Claim' } } } } },
      schemas: { Claim: { type: 'object', properties: { id: { type: 'integer', xml: { attribute: true } } } } },
    },
  };
  const form = new FormData();
  form.append('file', new Blob([JSON.stringify(document)]), 'api.json');
  const { status, body } = await org.put('/actions', form);
  expect([status, body]).toMatchObject([200, { created: 1, problems: [{ path: 'paths./gone' }] }]);
  await perform(org, 'execute-action', { action_id: body.actions[0].id, parameters: { body_params: { id: 7 } } });
  expect(onlyBody()?.content).toEqual({ name: 'Claim', attributes: { id: '7' }, children: [] });
});
