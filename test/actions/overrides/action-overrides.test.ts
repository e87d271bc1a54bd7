import fc from 'fast-check';
import { callAction } from '../../../src/actions/calls/http-call.ts';
import { mergeOverrides } from '../../../src/actions/overrides/rules.ts';
import { newId } from '../../../src/ids.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate } from '../../support/triggers.ts';
import { verified } from '../../widget/client.ts';

const KEY = 'secret-key-of-the-org';
const OF_ORG = {
  headers: { Authorization: `Bearer ${KEY}`, 'X-Org': 'yes' },
  query_params: { a: 'org', b: 'org', c: 'org' },
  path_params: { id: '1', unknown: 'x' },
  body_params: { count: '7', who: 'org' },
};
const OF_CONTACT = { headers: { authorization: 'Bearer contact' }, query_params: { b: 'contact', c: 'contact' } };

let stack: Stack;
let fake: FakeProvider;
let org: TestOrg;
beforeAll(async () => {
  stack = await startStack({ env: FAKES_ALLOWED });
  fake = await startFakeProvider();
});
afterAll(async () => {
  await fake.close();
  await stack.close();
});
beforeEach(async () => {
  fake.calls.length = 0;
  org = await stack.createOrg();
});

const create = async (more: object = {}): Promise<string> => {
  const schema = { type: 'object', properties: { count: { type: 'integer' }, who: { type: 'string' } } };
  const payload = {
    parameters: [
      { name: 'id', in: 'path' },
      { name: 'a', in: 'query', schema: { type: 'string' } },
    ],
    requestBody: { content: { 'application/json': { schema } } },
  };
  const action = { name: 'Call', api_endpoint: `${fake.url}/x/{id}`, request_type: 'POST', payload, ...more };
  return (await org.post('/actions', action)).body.id;
};
const set = (http_action_overrides: object | null) =>
  org.patch('/org/settings', {
    http_action_overrides: http_action_overrides && { hosts: [fake.url], ...http_action_overrides },
  });
const test = (id: string, body: object = {}) => org.post(`/actions/${id}/test`, body);
const newContact = async (http_action_overrides: object = OF_CONTACT): Promise<string> =>
  (await org.post('/contacts', { contact: { email: `${newId()}@example.com`, http_action_overrides } })).body.id;

describe("the org's overrides", () => {
  it('replace given values of an action, and supply missing ones', async () => {
    await set(OF_ORG);
    const id = await create();
    const { status } = await test(id, { parameters: { query_params: { a: 'given' }, body_params: { who: 'given' } } });
    expect(status).toBe(200);
    expect(fake.calls).toMatchObject([
      { path: '/x/1?a=org&b=org&c=org', headers: { authorization: `Bearer ${KEY}`, 'x-org': 'yes' } },
    ]);
    expect(JSON.parse(fake.calls[0]?.body ?? '')).toEqual({ who: 'org', count: 7 });
  });

  it('add no body to an action without one', async () => {
    await set(OF_ORG);
    await test(await create({ api_endpoint: `${fake.url}/`, request_type: 'GET', payload: {} }));
    expect(fake.calls).toMatchObject([{ method: 'GET', body: '' }]);
  });

  it('are returned masked, kept if sent back masked, and stored encrypted', async () => {
    const masked = {
      hosts: [fake.url],
      headers: { Authorization: '***', 'X-Org': '***' },
      query_params: { a: '***', b: '***', c: '***' },
      path_params: { id: '***', unknown: '***' },
      body_params: { count: '***', who: '***' },
    };
    expect((await set(OF_ORG)).body.http_action_overrides).toEqual(masked);
    expect((await org.get('/org/settings')).body.http_action_overrides).toEqual(masked);
    const row = await stack.db.selectFrom('orgs').selectAll().where('id', '=', org.id).executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(KEY);

    const kept = { headers: { Authorization: '***', 'X-New': 'new' } };
    expect((await set(kept)).body.http_action_overrides).toEqual({
      hosts: [fake.url],
      headers: { Authorization: '***', 'X-New': '***' },
    });
    await org.patch('/org/settings', { csat: true });
    await test(await create(), { parameters: { path_params: { id: '2' } } });
    const [{ headers, path }] = fake.calls as [(typeof fake.calls)[number]];
    expect([path, headers.authorization, headers['x-new'], headers['x-org']]).toEqual([
      '/x/2',
      `Bearer ${KEY}`,
      'new',
      undefined,
    ]);

    expect((await set({ headers: { 'X-Other': '***' } })).body.issues).toEqual([
      { path: 'body.http_action_overrides.headers.X-Other', message: expect.stringContaining('send it') },
    ]);
    expect((await set(null)).body.http_action_overrides).toBeNull();
    await test(await create({ name: 'Other', api_endpoint: `${fake.url}/`, payload: {} }));
    expect(fake.calls[1]?.headers).not.toHaveProperty('authorization');
  });

  it('the values of the org are sent to the hosts that they name, and to no other scheme, host or port', async () => {
    await set({ ...OF_ORG, hosts: ['https://api.example.com', `http://localhost:${new URL(fake.url).port}`] });
    await test(await create(), { parameters: { path_params: { id: '2' } } });
    expect(fake.calls).toMatchObject([{ path: '/x/2', body: '' }]);
    for (const name of ['authorization', 'x-org']) expect(fake.calls[0]?.headers).not.toHaveProperty(name);
    await set({ ...OF_ORG, hosts: ['https://api.example.com', `${fake.url}/`] });
    await test(await create({ name: 'Other' }));
    expect(fake.calls[1]).toMatchObject({
      path: '/x/1?a=org&b=org&c=org',
      headers: { authorization: `Bearer ${KEY}` },
    });
  });

  it('values of the org without a host are refused, and masked ones for a host that had none of them', async () => {
    expect((await set({ ...OF_ORG, hosts: undefined })).body.issues).toEqual([
      { path: 'body.http_action_overrides.hosts', message: expect.stringContaining('name') },
    ]);
    for (const hosts of [[], ['api.example.com'], ['https://api.example.com/v1'], ['https://u:p@api.example.com']])
      expect((await set({ ...OF_ORG, hosts })).body.issues?.[0].path).toContain('body.http_action_overrides.hosts');
    await set({ ...OF_ORG, hosts: ['https://api.example.com', 'https://b.example.com'] });
    const masked = { headers: { Authorization: '***' } };
    expect((await set({ ...masked, hosts: ['https://api.example.com', fake.url] })).body.issues).toEqual([
      { path: 'body.http_action_overrides.headers.Authorization', message: expect.stringContaining('send it again') },
    ]);
    expect((await set({ ...masked, hosts: ['https://api.example.com:443'] })).status).toBe(200);
  });

  it('the values of the org supply no required parameter for other hosts', async () => {
    await set({ hosts: ['https://api.example.com'], path_params: { id: '1' } });
    expect((await test(await create())).body.issues).toEqual([
      { path: 'body.parameters.path_params.id', message: 'is required' },
    ]);
  });

  it('cannot replace the idempotency key of a call', async () => {
    await set({ headers: { 'Idempotency-Key': 'mine' } });
    await test(await create({ api_endpoint: `${fake.url}/`, payload: {} }));
    expect(fake.calls[0]?.headers['idempotency-key']).not.toBe('mine');
  });
});

describe("a contact's overrides", () => {
  it('take precedence over those of the org, field by field', async () => {
    await set(OF_ORG);
    const contact_id = await newContact();
    await test(await create(), { contact_id });
    expect(fake.calls).toMatchObject([
      { path: '/x/1?a=org&b=contact&c=contact', headers: { authorization: 'Bearer contact', 'x-org': 'yes' } },
    ]);
  });

  it('that name hosts are sent to these alone', async () => {
    const contact_id = await newContact({ ...OF_CONTACT, hosts: ['https://api.example.com'] });
    await test(await create({ api_endpoint: `${fake.url}/`, payload: {} }), { contact_id });
    const other_id = await newContact({ ...OF_CONTACT, hosts: [fake.url] });
    await test(await create({ name: 'Other', api_endpoint: `${fake.url}/`, payload: {} }), { contact_id: other_id });
    expect(fake.calls).toMatchObject([{ path: '/' }, { headers: { authorization: 'Bearer contact' } }]);
    expect(fake.calls[0]?.headers).not.toHaveProperty('authorization');
  });

  it('are never used for a call of another org', async () => {
    const contact_id = await newContact();
    org = await stack.createOrg();
    await test(await create({ api_endpoint: `${fake.url}/`, payload: {} }), { contact_id });
    expect(fake.calls).toMatchObject([{ path: '/' }]);
    expect(fake.calls[0]?.headers).not.toHaveProperty('authorization');
  });

  it('are refused by name if a header cannot contain them', async () => {
    const contact = { email: 'odd@example.com', http_action_overrides: { headers: { 'x-a': 'a\nb', host: 'x' } } };
    const contact_id = (await org.post('/contacts', { contact })).body.id;
    const { status, body } = await test(await create({ api_endpoint: `${fake.url}/`, payload: {} }), { contact_id });
    const place = 'body.parameters.http_action_overrides.headers';
    expect([status, body.issues.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      [`${place}.x-a`, `${place}.host`],
    ]);
  });
});

describe("a message's overrides", () => {
  const said = async (more: object) => {
    const { widget, contactId } = await verified(stack, org, `${newId()}@example.com`, {
      http_action_overrides: OF_CONTACT,
    });
    const messageId = crypto.randomUUID();
    const sessionId = await widget.newSession();
    const answer = await widget.send(sessionId, 'Hello', { uuid: messageId, ...more });
    return { answer, messageId, contactId, sessionId };
  };
  const kept = () => stack.db.selectFrom('message_overrides').selectAll().where('org_id', '=', org.id).execute();

  it('supply what nobody else has set, and replace nothing of the org, the contact or the call', async () => {
    await set(OF_ORG);
    const more = {
      headers: { 'X-Org': 'page', authorization: 'Bearer page', 'x-page': 'page' },
      query_params: { c: 'page', a: 'page', 'a[]': 'page', fixed: 'page', d: 'page' },
      body_properties: { who: 'page', count: 9, said: 'page', more: 'page' },
    };
    const { messageId, contactId } = await said(more);
    const parameters = { body_params: { said: 'by the call' } };
    const call = { parameters, messageId, contactId, dedupeKey: newId() };
    const id = await create({ api_endpoint: `${fake.url}/x/{id}?fixed=1` });
    expect(await callAction(stack.deps, org.id, id, call)).toEqual({ status: 200, body: {} });
    expect(fake.calls).toMatchObject([
      {
        path: '/x/1?fixed=1&a=org&b=contact&c=contact&d=page',
        headers: { authorization: 'Bearer contact', 'x-org': 'yes', 'x-page': 'page' },
      },
    ]);
    const body = { who: 'org', count: 7, said: 'by the call', more: 'page' };
    expect(JSON.parse(fake.calls[0]?.body ?? '')).toEqual(body);
  });

  it('do not replace a given parameter', async () => {
    const { messageId } = await said({ query_params: { a: 'page' }, headers: { authorization: 'Bearer page' } });
    const parameters = { path_params: { id: '3' }, query_params: { a: 'given' } };
    await callAction(stack.deps, org.id, await create(), { parameters, messageId, dedupeKey: newId() });
    expect(fake.calls).toMatchObject([{ path: '/x/3?a=given', headers: { authorization: 'Bearer page' } }]);
  });

  it('are stored encrypted, and deleted when the message is redacted', async () => {
    const { messageId } = await said({ headers: { authorization: KEY } });
    const [row] = await kept();
    expect(row).toEqual({ org_id: org.id, message_id: messageId, sealed: expect.stringMatching(/^v1\./) });
    expect(JSON.stringify(row)).not.toContain(KEY);
    expect((await org.post('/redaction/message', { messageId })).status).toBe(200);
    expect(await kept()).toEqual([]);
  });

  it('are not stored if they are empty or refused', async () => {
    await said({ headers: {}, query_params: null });
    expect(await kept()).toEqual([]);
    const { answer } = await said({ headers: { a: 'x'.repeat(5_001) } });
    expect(answer.body).toMatchObject({ success: false, error: { message: expect.stringContaining('headers.a') } });
    expect(await kept()).toEqual([]);
  });
});

it('an action called by a workflow gets the overrides of the contact of its trigger', async () => {
  await set(OF_ORG);
  const action_id = await create();
  const step = { $kind: 'Action', id: 'call', type: 'execute-action', name: 'Call' };
  const input = { action_id, parameters: { body_params: { who: '{{trigger.output.contact.id}}' } } };
  const { id } = await activate(org, { trigger_type: 'contact-created', workflow_blocks: [{ ...step, input }] });
  await newContact();
  const run = await eventually('the run', async () => {
    const { runs } = (await org.get(`/workflows/${id}/runs`)).body;
    return runs[0]?.status === 'completed' && (await org.get(`/workflows/${id}/runs/${runs[0].id}`)).body;
  });
  expect(run.steps).toMatchObject([{ id: 'call', status: 'completed', output: { status: 200, body: {} } }]);
  expect(fake.calls).toMatchObject([
    {
      path: '/x/1?a=org&b=contact&c=contact',
      headers: { authorization: 'Bearer contact', 'idempotency-key': expect.stringContaining(run.id) },
    },
  ]);
});

it('overrides merge by field: the last value of a field wins, with header names in any case', () => {
  const group = fc.dictionary(fc.constantFrom('a', 'A', 'b', '__proto__'), fc.string());
  const overrides = fc.record({ query_params: group, headers: group }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(fc.option(overrides, { nil: undefined })), (all) => {
      const { query_params, headers } = mergeOverrides(all);
      for (const name of ['a', 'A', 'b', '__proto__']) {
        const last = all.findLast((one) => Object.hasOwn(one?.query_params ?? {}, name));
        expect(Object.hasOwn(query_params, name) ? query_params[name] : undefined).toBe(last?.query_params?.[name]);
      }
      expect(Object.keys(headers).every((name) => name === name.toLowerCase())).toBe(true);
    }),
  );
});
