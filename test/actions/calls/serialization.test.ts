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

const GROUPS = { path: 'path_params', query: 'query_params', header: 'headers', cookie: 'cookies' };
const LIST = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };

/** Calls an action with one parameter, and returns the part of the request that has it. */
async function send(parameter: { in: keyof typeof GROUPS } & Record<string, unknown>, value: unknown) {
  const { in: place } = parameter;
  const { status, body } = await org.post('/actions', {
    name: 'Paint',
    api_endpoint: `${fake.url}/paint${place === 'path' ? '/{color}' : ''}`,
    request_type: 'GET',
    payload: { parameters: [{ name: 'color', ...parameter }] },
  });
  if (status !== 201) return [status, body.issues];
  const tested = await org.post(`/actions/${body.id}/test`, { parameters: { [GROUPS[place]]: { color: value } } });
  if (tested.status !== 200) return [tested.status, tested.body.issues];
  const [call] = fake.calls;
  if (place === 'header') return call?.headers.color;
  return place === 'cookie' ? call?.headers.cookie : call?.path.slice('/paint'.length);
}

describe('a parameter is sent as the table of OpenAPI’s styles says', () => {
  it.each([
    ['path', 'simple', false, 'blue', '/blue'],
    ['path', 'simple', false, LIST, '/blue,black,brown'],
    ['path', 'simple', true, LIST, '/blue,black,brown'],
    ['path', 'simple', false, OBJECT, '/R,100,G,200,B,150'],
    ['path', 'simple', true, OBJECT, '/R=100,G=200,B=150'],
    ['path', 'label', false, 'blue', '/.blue'],
    ['path', 'label', false, LIST, '/.blue,black,brown'],
    ['path', 'label', true, LIST, '/.blue.black.brown'],
    ['path', 'label', false, OBJECT, '/.R,100,G,200,B,150'],
    ['path', 'label', true, OBJECT, '/.R=100.G=200.B=150'],
    ['path', 'matrix', false, '', '/;color'],
    ['path', 'matrix', false, 'blue', '/;color=blue'],
    ['path', 'matrix', false, LIST, '/;color=blue,black,brown'],
    ['path', 'matrix', true, LIST, '/;color=blue;color=black;color=brown'],
    ['path', 'matrix', false, OBJECT, '/;color=R,100,G,200,B,150'],
    ['path', 'matrix', true, OBJECT, '/;R=100;G=200;B=150'],
    ['query', 'form', false, '', '?color='],
    ['query', 'form', false, 'blue', '?color=blue'],
    ['query', 'form', false, LIST, '?color=blue,black,brown'],
    ['query', 'form', true, LIST, '?color=blue&color=black&color=brown'],
    ['query', 'form', false, OBJECT, '?color=R,100,G,200,B,150'],
    ['query', 'form', true, OBJECT, '?R=100&G=200&B=150'],
    ['query', 'spaceDelimited', false, LIST, '?color=blue%20black%20brown'],
    ['query', 'spaceDelimited', true, LIST, '?color=blue&color=black&color=brown'],
    ['query', 'spaceDelimited', false, OBJECT, '?color=R%20100%20G%20200%20B%20150'],
    ['query', 'pipeDelimited', false, LIST, '?color=blue%7Cblack%7Cbrown'],
    ['query', 'pipeDelimited', true, LIST, '?color=blue&color=black&color=brown'],
    ['query', 'pipeDelimited', false, OBJECT, '?color=R%7C100%7CG%7C200%7CB%7C150'],
    ['query', 'deepObject', true, OBJECT, '?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    ['header', 'simple', false, LIST, 'blue,black,brown'],
    ['header', 'simple', true, LIST, 'blue,black,brown'],
    ['header', 'simple', false, OBJECT, 'R,100,G,200,B,150'],
    ['header', 'simple', true, OBJECT, 'R=100,G=200,B=150'],
    ['cookie', 'form', false, 'blue', 'color=blue'],
    ['cookie', 'form', false, LIST, 'color=blue,black,brown'],
    ['cookie', 'form', false, OBJECT, 'color=R,100,G,200,B,150'],
    ['cookie', 'form', true, LIST, 'color=blue; color=black; color=brown'],
    ['cookie', 'cookie', true, OBJECT, 'R=100; G=200; B=150'],
  ] as const)('%s, %s, explode: %s, %j', async (place, style, explode, value, sent) => {
    expect(await send({ in: place, style, explode }, value)).toBe(sent);
  });

  it.each([
    ['path', undefined, LIST, '/blue,black,brown'],
    ['query', undefined, LIST, '?color=blue&color=black&color=brown'],
    ['query', 'pipeDelimited', LIST, '?color=blue%7Cblack%7Cbrown'],
    ['query', 'spaceDelimited', LIST, '?color=blue%20black%20brown'],
    ['query', 'deepObject', OBJECT, '?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    ['header', undefined, OBJECT, 'R,100,G,200,B,150'],
    ['cookie', undefined, LIST, 'color=blue; color=black; color=brown'],
  ] as const)('%s, %s without explode, %j', async (place, style, value, sent) => {
    expect(await send({ in: place, ...(style && { style }) }, value)).toBe(sent);
  });

  it.each([
    ['path', {}, ['a,b', 'c d'], '/a%2Cb,c%20d'],
    ['path', { style: 'matrix', explode: true }, { 'a;b': 'c=d' }, '/;a%3Bb=c%3Dd'],
    ['query', { explode: false }, ['a,b', 'c&d', "e'f"], '?color=a%2Cb,c%26d,e%27f'],
    ['query', { style: 'pipeDelimited' }, ['a|b', 'c'], '?color=a%7Cb%7Cc'],
    ['query', { explode: false }, [], ''],
    ['query', {}, {}, ''],
    ['query', {}, [{ a: 1 }, null], '?color=%7B%22a%22%3A1%7D&color='],
    ['cookie', { explode: false }, ['a;b', 'c'], 'color=a%3Bb,c'],
    ['query', { content: { 'application/json': {} } }, ['a', 1], '?color=%5B%22a%22%2C1%5D'],
    ['header', { content: { 'application/json': {} } }, { a: 1 }, '{"a":1}'],
  ] as const)('its delimiters are not encoded, and its values are: %s, %j, %j', async (place, more, value, sent) => {
    expect(await send({ in: place, ...more }, value)).toBe(sent);
  });

  it.each([
    ['path', {}, [], 'path_params'],
    ['path', {}, [''], 'path_params'],
    ['path', {}, ['a', 'b/c'], 'path_params'],
    ['path', {}, { 'a\\b': 1 }, 'path_params'],
    ['path', { style: 'label' }, '', 'path_params'],
    ['path', { style: 'label' }, '.', 'path_params'],
    ['path', { style: 'label', explode: true }, ['', ''], 'path_params'],
    ['header', {}, ['a', 'b\r\nHost: x'], 'headers'],
  ] as const)('it is refused if it would be another request: %s, %j, %j', async (place, more, value, group) => {
    expect(await send({ in: place, ...more }, value)).toMatchObject([
      400,
      [{ path: `body.parameters.${group}.color` }],
    ]);
    expect(fake.calls).toEqual([]);
  });

  it.each([
    ['path', 'form', 'must be simple, label or matrix in a path'],
    ['query', 'simple', 'must be form, spaceDelimited, pipeDelimited or deepObject in a query'],
    ['header', 'form', 'must be simple in a header'],
    ['cookie', 'deepObject', 'must be form or cookie in a cookie'],
  ] as const)('an action is refused if its %s has the style %s', async (place, style, message) => {
    expect(await send({ in: place, style }, 'blue')).toEqual([
      400,
      [{ path: 'body.payload.parameters.0.style', message }],
    ]);
  });

  it('also if an OpenAPI document describes it', async () => {
    const parameters = [
      { name: 'color', in: 'path', required: true, style: 'matrix', schema: { type: 'array' } },
      { name: 'ids', in: 'query', style: 'pipeDelimited', schema: { type: 'array' } },
    ];
    const document = {
      openapi: '3.0.3',
      servers: [{ url: fake.url }],
      paths: { '/p/{color}': { get: { parameters } } },
    };
    const form = new FormData();
    form.append('file', new Blob([JSON.stringify(document)]), 'api.json');
    const { body } = await org.put('/actions', form);
    const given = { path_params: { color: LIST }, query_params: { ids: [1, 2] } };
    await org.post(`/actions/${body.actions[0].id}/test`, { parameters: given });
    expect(fake.calls[0]?.path).toBe('/p/;color=blue,black,brown?ids=1%7C2');
  });
});
