import { createActionRunner, type RunAction } from '../../automations/action-runner.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeFareHarbor, startFakeFareHarbor } from '../../support/fakes/fareharbor.ts';
import { startFakeProvider } from '../../support/fakes/provider.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

const PATH = '/integrations/fareharbor';
const BOATS = { app_key: 'secret-app', user_key: 'good-boats', name: 'Boats', default_company_shortname: 'seatours' };
const BIKES = { app_key: 'secret-app', user_key: 'good-bikes', name: 'Bikes' };

let api: TestApi;
let fareHarbor: FakeFareHarbor;
let org: TestOrg;
let perform: RunAction;
beforeAll(async () => {
  fareHarbor = await startFakeFareHarbor();
  api = await startApi({ env: { ...FAKES_ALLOWED, FAREHARBOR_BASE_URL: fareHarbor.url } });
  perform = createActionRunner(api);
});
afterAll(async () => {
  await fareHarbor.close();
  await api.close();
});
beforeEach(async () => {
  org = await api.createOrg();
  fareHarbor.calls.length = 0;
});

interface ShownAction {
  id: string;
  name: string;
  operation_id: string;
  api_endpoint: string;
  confirm: string;
  request_type: string;
  enabled_on_channel: { channels: string[] };
  connection: { kind: string; name: string } | null;
  payload: { operationId: string };
}

const put = (...connections: object[]) => org.put(PATH, { connections });
const actionsOf = async (at = org): Promise<ShownAction[]> => (await at.get('/actions')).body;
const actionOf = async (name: string, operation: string): Promise<ShownAction> => {
  const found = (await actionsOf()).find(
    ({ connection, payload }) => connection?.name === name && payload.operationId === operation,
  );
  expect(found).toBeDefined();
  return found as ShownAction;
};
const namesOf = (body: { items: { name: string }[] }) => body.items.map(({ name }) => name);

describe('FareHarbor connections', () => {
  it('are checked, replaced as a whole, listed without their keys, and deleted by name or all', async () => {
    expect((await put(BOATS, BIKES)).body).toMatchObject({
      items: [
        { name: 'Bikes', connected: true, settings: { app_key: '***', user_key: '***' } },
        { name: 'Boats', connected: true, settings: { default_company_shortname: 'seatours', app_key: '***' } },
      ],
    });
    expect(fareHarbor.calls.map(({ path, userKey }) => [path, userKey])).toEqual([
      ['/api/external/v1/companies/', 'good-boats'],
      ['/api/external/v1/companies/', 'good-bikes'],
    ]);
    expect(namesOf((await put(BIKES)).body)).toEqual(['Bikes']);
    const listed = await org.get(PATH);
    expect([listed.status, namesOf(listed.body)]).toEqual([200, ['Bikes']]);
    expect(JSON.stringify([listed.body, (await org.get('/integrations')).body])).not.toMatch(/secret-app|good-bikes/);

    await put(BOATS, BIKES);
    expect((await org.delete(`${PATH}?name=Boats`)).status).toBe(200);
    expect((await org.delete(`${PATH}?name=Boats`)).status).toBe(404);
    expect(namesOf((await org.get(PATH)).body)).toEqual(['Bikes']);
    await put(BOATS, BIKES);
    expect([(await org.delete(PATH)).status, (await org.delete(PATH)).status]).toEqual([200, 404]);
    expect([(await org.get(PATH)).body.items, await actionsOf()]).toEqual([[], []]);
  });

  it('change nothing if one is refused, or FareHarbor does not answer', async () => {
    await put(BOATS);
    const refused = await put({ ...BOATS, user_key: 'bad' }, BIKES);
    expect([refused.status, refused.body.issues]).toEqual([
      400,
      [{ path: 'body.connections.0', message: 'FareHarbor refused the credentials of the connection "Boats"' }],
    ]);
    fareHarbor.next(503);
    expect((await put(BIKES)).status).toBe(503);
    expect((await put(BOATS, BOATS)).status).toBe(400);
    expect((await put()).status).toBe(400);
    expect((await put({ ...BOATS, default_company_shortname: '../x' })).status).toBe(400);
    expect(namesOf((await org.get(PATH)).body)).toEqual(['Boats']);
  });

  it('keep keys that are sent as "***", by the name of their connection', async () => {
    await put(BOATS);
    const masked = { ...BOATS, app_key: '***', user_key: '***', default_company_shortname: 'riverco' };
    expect((await put(masked)).body.items[0].settings.default_company_shortname).toBe('riverco');
    expect(fareHarbor.calls.at(-1)).toMatchObject({ appKey: 'secret-app', userKey: 'good-boats' });
    const unknown = await put({ ...masked, name: 'Other' });
    expect([unknown.status, unknown.body.issues[0].path]).toEqual([400, 'body.connections.0.app_key']);
  });

  it('are of one org, and changed by keys that may change the org', async () => {
    await put(BOATS);
    const other = await api.createOrg();
    expect((await other.get(PATH)).body.items).toEqual([]);
    expect((await other.delete(`${PATH}?name=Boats`)).status).toBe(404);
    const reader = await org.withScopes('org:read');
    expect((await reader.put(PATH, { connections: [BOATS] })).status).toBe(403);
    expect((await reader.delete(PATH)).status).toBe(403);
    expect((await reader.get(PATH)).status).toBe(200);
  });
});

describe('the actions of a FareHarbor connection', () => {
  it('are told apart by the name of the connection, and only booking asks for a confirmation', async () => {
    await put(BOATS, BIKES);
    const actions = await actionsOf();
    const OPERATIONS = [
      'listCompanies',
      'listItems',
      'listAvailabilities',
      'getAvailability',
      'createBooking',
      'getBooking',
    ];
    for (const name of ['Boats', 'Bikes']) {
      const own = actions.filter(({ connection }) => connection?.name === name);
      expect(own.map(({ payload }) => payload.operationId).sort()).toEqual(OPERATIONS.toSorted());
      for (const action of own) {
        expect(action.name).toContain(name);
        expect(action.confirm).toBe(action.payload.operationId === 'createBooking' ? 'always' : 'auto');
      }
    }
    expect(new Set(actions.map(({ operation_id }) => operation_id)).size).toBe(12);
    expect(JSON.stringify(actions)).not.toMatch(/secret-app|good-/);
  });

  it('come with an org that a partner creates', async () => {
    const created = await api.partner.post('/partner/v1/orgs', { name: 'Tours', integrations: { fareharbor: BOATS } });
    const key = await api.partner.post(`/partner/v1/orgs/${created.body.id}/api-keys`, {});
    expect(await actionsOf(api.client(key.body.api_key) as TestOrg)).toHaveLength(6);
  });

  it('reach FareHarbor with the keys of their connection and its default company', async () => {
    await put(BOATS, BIKES);
    const items = await actionOf('Boats', 'listItems');
    const answer = await perform(org, 'execute-action', { action_id: items.id });
    expect(answer).toMatchObject({ status: 200, body: { items: [{ pk: 1867, name: 'Jet Ski Tour' }] } });
    expect(fareHarbor.calls.at(-1)).toEqual({
      path: '/api/external/v1/companies/seatours/items/',
      appKey: 'secret-app',
      userKey: 'good-boats',
    });
    const ofBikes = await actionOf('Bikes', 'listItems');
    const test = (parameters: object) => org.post(`/actions/${ofBikes.id}/test`, { parameters });
    expect((await test({})).body.issues[0].path).toBe('body.parameters.path_params.shortname');
    expect((await test({ path_params: { shortname: 'seatours' } })).body.status).toBe(200);
    expect(fareHarbor.calls.at(-1)?.userKey).toBe('good-bikes');
  });

  it('show no key, also where FareHarbor says it, and their connection shows how calls end', async () => {
    await put(BOATS);
    const { id } = await actionOf('Boats', 'listCompanies');
    await org.put(PATH, { connections: [BOATS] });
    const sealed = await api.db
      .selectFrom('integrations')
      .selectAll()
      .where('org_id', '=', org.id)
      .executeTakeFirstOrThrow();
    const place = { orgId: org.id, table: 'integrations', column: 'secrets', row: 'fareharbor/Boats' };
    const revoked = api.deps.secrets.encrypt(JSON.stringify({ app_key: 'secret-app', user_key: 'revoked-key' }), place);
    await api.db.updateTable('integrations').set({ secrets: revoked }).where('org_id', '=', org.id).execute();
    const { body } = await org.post(`/actions/${id}/test`, {});
    expect([body.status, JSON.stringify(body)]).toEqual([403, expect.not.stringContaining('revoked-key')]);
    await api.deps.calls.close();
    const [shown] = (await org.get(PATH)).body.items;
    expect(shown).toMatchObject({ connected: false, last_error: expect.stringContaining('FareHarbor answered 403') });
    expect(JSON.stringify(shown)).not.toMatch(/revoked-key/);
    expect(sealed.connected).toBe(true);
  });

  it('cannot be sent to another address, by a change or by an import', async () => {
    await put(BOATS);
    const { id, operation_id } = await actionOf('Boats', 'listItems');
    const spy = await startFakeProvider();
    for (const change of [{ api_endpoint: spy.url }, { payload: {} }, { request_type: 'POST' }, { operation_id: 'x' }])
      expect((await org.patch(`/actions/${id}`, change)).body.issues?.[0]?.path).toBe(`body.${Object.keys(change)[0]}`);
    const document = {
      openapi: '3.1.0',
      servers: [{ url: spy.url }],
      paths: { '/steal': { get: { operationId: operation_id } } },
    };
    const form = new FormData();
    form.append('file', new Blob([JSON.stringify(document)]), 'api.json');
    expect((await org.put('/actions', form)).status).toBe(409);
    await perform(org, 'execute-action', { action_id: id });
    expect([spy.calls, fareHarbor.calls.at(-1)?.userKey]).toEqual([[], 'good-boats']);
    await spy.close();
  });

  it('keep their ids and the org’s settings of them when connections are replaced', async () => {
    await org.post('/actions', {
      name: 'Mine',
      operation_id: 'fareharbor_boats_list_tours',
      api_endpoint: 'https://example.com/',
      request_type: 'GET',
      payload: {},
    });
    await put(BOATS);
    const before = await actionOf('Boats', 'listItems');
    expect(before.operation_id).toBe('fareharbor_boats_list_tours_2');
    await org.patch(`/actions/${before.id}`, { enabled_on_channel: { channels: ['email'] }, pinned: true });
    await put({ ...BOATS, default_company_shortname: 'riverco' }, BIKES);
    expect(await actionOf('Boats', 'listItems')).toMatchObject({
      id: before.id,
      operation_id: before.operation_id,
      enabled_on_channel: { channels: ['email'] },
      pinned: true,
    });
    await put(BIKES);
    expect((await org.get(`/actions/${before.id}`)).status).toBe(404);
    expect((await actionsOf()).filter(({ connection }) => connection === null)).toHaveLength(1);
  });

  it('book places, and say why FareHarbor refuses', async () => {
    await put(BOATS);
    const { id } = await actionOf('Boats', 'createBooking');
    const contact = { name: 'Ann', phone: '+14155550100', email: 'ann@example.com' };
    const book = (people: number, more: object = {}) =>
      perform(org, 'execute-action', {
        action_id: id,
        parameters: {
          path_params: { availability_pk: 4786 },
          body_params: { contact, customers: Array(people).fill({ customer_type_rate: 65675 }), ...more },
        },
      });
    const full = await book(9);
    expect(full).toMatchObject({ status: 400, body: { code: 'bookability-error' } });
    await expect(book(1, { price: 0 })).rejects.toMatchObject({ kind: 'invalid' });
    expect(await book(1)).toMatchObject({ status: 200, body: { booking: { status: 'booked', customer_count: 1 } } });
    expect(
      fareHarbor.bookings.filter((booking) => JSON.stringify(booking.contact) === JSON.stringify(contact)),
    ).toHaveLength(1);
  });
});
