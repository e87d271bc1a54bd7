import { type FakeFareHarbor, startFakeFareHarbor } from '../support/fakes/fareharbor.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const ORGS = '/partner/v1/orgs';
let api: TestApi;
let fareHarbor: FakeFareHarbor;

beforeAll(async () => {
  fareHarbor = await startFakeFareHarbor();
  api = await startApi({ env: { FAREHARBOR_BASE_URL: fareHarbor.url } });
});
afterAll(async () => {
  await api.close();
  await fareHarbor.close();
});

const countOrgs = async () => (await api.partner.get(ORGS)).body.total as number;

describe('creating an org', () => {
  it('returns the fields of the specification and no others', async () => {
    const { status, body } = await api.partner.post(ORGS, {
      name: 'Acme',
      external_id: 'acme',
      website: 'https://acme.example',
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      name: 'Acme',
      widget_token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      external_id: 'acme',
    });
  });

  it('refuses a used external_id, names it, and creates nothing', async () => {
    await api.partner.post(ORGS, { name: 'One', external_id: 'twice' });
    const before = await countOrgs();

    const { status, body } = await api.partner.post(ORGS, { name: 'Two', external_id: 'twice' });

    expect(status).toBe(409);
    expect(body).toMatchObject({ statusCode: 409, message: expect.stringContaining('"twice"') });
    expect(body).toMatchObject({ code: 'already_exists', conflicting: { type: 'org', field: 'external_id' } });
    expect(await countOrgs()).toBe(before);
  });

  it('succeeds for one of many simultaneous requests with the same external_id', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.partner.post(ORGS, { name: 'Race', external_id: 'race' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  it('allows the same external_id for different partners', async () => {
    const stranger = await api.createPartner();
    await api.partner.post(ORGS, { name: 'Mine', external_id: 'shared' });
    expect((await stranger.post(ORGS, { name: 'Theirs', external_id: 'shared' })).status).toBe(201);
  });

  it('copies the AI profile of the partner unless the org has its own', async () => {
    const partner = await api.createPartner({ ai_instructions: 'Be brief.' });
    const { body: plain } = await partner.post(ORGS, { name: 'Plain' });
    const { body: special } = await partner.post(ORGS, { name: 'Special', ai_instructions: 'Be kind.' });

    const rows = await api.db.selectFrom('orgs').select(['id', 'ai_instructions', 'language']).execute();
    expect(rows.find(({ id }) => id === plain.id)).toMatchObject({ ai_instructions: 'Be brief.', language: 'en' });
    expect(rows.find(({ id }) => id === special.id)).toMatchObject({ ai_instructions: 'Be kind.' });
  });

  it.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name that is no text', { name: 5 }],
    ['a name too long', { name: 'x'.repeat(256) }],
    ['an empty external_id', { name: 'X', external_id: '' }],
    ['an external_id too long', { name: 'X', external_id: 'x'.repeat(256) }],
    ['an unknown language', { name: 'X', language: 'xx' }],
    ['a website that is none', { name: 'X', website: 'javascript:alert(1)' }],
    ['an integration that cannot be connected here', { name: 'X', integrations: { hubspot: {} } }],
    ['a connection without a key', { name: 'X', integrations: { fareharbor: { app_key: 'a' } } }],
    ['a key with a line break', { name: 'X', integrations: { fareharbor: { app_key: 'a\r\nb', user_key: 'good' } } }],
    ['no connection', { name: 'X', integrations: { fareharbor: [] } }],
    [
      'connections without distinct names',
      { name: 'X', integrations: { fareharbor: [connection('good1', 'Boats'), connection('good2', 'Boats')] } },
    ],
    ['a NUL', { name: 'X\0' }],
    ['no object', [1]],
  ])('refuses %s with 400 and explains what to change', async (_case, body) => {
    const before = await countOrgs();
    const answer = await api.partner.post(ORGS, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message.length).toBeGreaterThan(10);
    expect(await countOrgs()).toBe(before);
  });
});

describe('connecting FareHarbor', () => {
  it('checks both keys with the live API and stores them encrypted', async () => {
    fareHarbor.calls.length = 0;
    const { status, body } = await api.partner.post(ORGS, {
      name: 'Boats',
      integrations: { fareharbor: { ...connection('good-user-key'), default_company_shortname: 'seatours' } },
    });

    expect(status).toBe(201);
    expect(fareHarbor.calls).toEqual([
      { path: '/api/external/v1/companies/', appKey: 'the-app-key', userKey: 'good-user-key' },
    ]);
    const [row] = await api.db.selectFrom('integrations').selectAll().where('org_id', '=', body.id).execute();
    expect(row).toMatchObject({
      kind: 'fareharbor',
      name: 'Default',
      connected: true,
      settings: { default_company_shortname: 'seatours', app_key: '***', user_key: '***' },
    });
    expect(JSON.stringify(row)).not.toMatch(/the-app-key|good-user-key/);
    const place = { orgId: body.id, table: 'integrations', column: 'secrets', row: 'fareharbor/Default' };
    expect(JSON.parse(api.deps.secrets.decrypt(row?.secrets as string, place))).toEqual({
      app_key: 'the-app-key',
      user_key: 'good-user-key',
    });
  });

  it('connects several accounts by name', async () => {
    const { status, body } = await api.partner.post(ORGS, {
      name: 'Two',
      integrations: { fareharbor: [connection('good1', 'Boats'), connection('good2', 'Bikes')] },
    });
    expect(status).toBe(201);
    const rows = await api.db
      .selectFrom('integrations')
      .select('name')
      .where('org_id', '=', body.id)
      .orderBy('name')
      .execute();
    expect(rows.map(({ name }) => name)).toEqual(['Bikes', 'Boats']);
  });

  it('numbers the accounts without a name', async () => {
    const accounts = [connection('good1'), connection('good2', 'Default 2'), connection('good3'), connection('good4')];
    const { status, body } = await api.partner.post(ORGS, { name: 'Four', integrations: { fareharbor: accounts } });
    expect(status).toBe(201);
    const rows = await api.db
      .selectFrom('integrations')
      .select(['name', 'secrets'])
      .where('org_id', '=', body.id)
      .orderBy('name')
      .execute();
    const users = rows.map(({ name, secrets }) => {
      const place = { orgId: body.id, table: 'integrations', column: 'secrets', row: `fareharbor/${name}` };
      return [name, JSON.parse(api.deps.secrets.decrypt(secrets as string, place)).user_key];
    });
    expect(users).toEqual([
      ['Default', 'good1'],
      ['Default 2', 'good2'],
      ['Default 3', 'good3'],
      ['Default 4', 'good4'],
    ]);
  });

  it('names the refused connection and creates nothing', async () => {
    const before = await countOrgs();
    const { status, body } = await api.partner.post(ORGS, {
      name: 'Half',
      external_id: 'half',
      integrations: { fareharbor: [connection('good1', 'Boats'), connection('bad', 'Bikes')] },
    });

    expect(status).toBe(400);
    expect(body.message).toContain('"Bikes"');
    expect(body.message).not.toContain('Boats');
    expect(body.issues[0].path).toBe('body.integrations.fareharbor.1');
    expect(await countOrgs()).toBe(before);
  });

  it.each([500, 503, 429, 'hang-up', 'not-json'] as const)(
    'answers 503 on the FareHarbor failure %s, and creates nothing',
    async (script) => {
      const before = await countOrgs();
      const request = { name: 'Later', integrations: { fareharbor: connection('good') } };
      const options = { headers: { 'idempotency-key': `later ${script}` } };
      fareHarbor.next(script);

      const { status, body } = await api.partner.post(ORGS, request, options);
      expect({ status, message: body.message }).toEqual({
        status: 503,
        message: expect.stringContaining('FareHarbor'),
      });
      expect(await countOrgs()).toBe(before);

      const retried = await api.partner.post(ORGS, request, options); // a temporary failure is not stored as the answer for 24 hours
      expect(retried.status).toBe(201);
    },
  );

  it('answers a retry with 409 even while FareHarbor is down', async () => {
    const request = { name: 'Again', external_id: 'again', integrations: { fareharbor: connection('good') } };
    expect((await api.partner.post(ORGS, request)).status).toBe(201);
    fareHarbor.next(503);
    expect((await api.partner.post(ORGS, request)).status).toBe(409);
  });
});

describe('listing the orgs of a partner', () => {
  it('returns pages with a total, in order of creation, and only the partner’s own orgs', async () => {
    const partner = await api.createPartner();
    for (const name of ['a', 'b', 'c']) await partner.post(ORGS, { name });

    const { status, body } = await partner.get(`${ORGS}?limit=2&offset=1`);

    expect(status).toBe(200);
    expect(body.total).toBe(3);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['b', 'c']);
    expect(Object.keys(body.data[0]).sort()).toEqual(['created_at', 'external_id', 'id', 'name', 'widget_token']);
    expect(body.data[0].created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await partner.get(`${ORGS}?offset=99`)).body).toEqual({ data: [], total: 3 });
  });

  it('returns 50 by default', async () => {
    const partner = await api.createPartner();
    await Promise.all(Array.from({ length: 51 }, (_, index) => api.createOrg(String(index), partner)));
    const { body } = await partner.get(ORGS);
    expect({ given: body.data.length, total: body.total }).toEqual({ given: 50, total: 51 });
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=1.5',
    'offset=-1',
    'offset=',
    'offset=99999999999',
    'limit=1&limit=2',
  ])('refuses the query %s', async (query) => {
    expect((await api.partner.get(`${ORGS}?${query}`)).status).toBe(400);
  });
});

describe('resolving an external_id', () => {
  it('finds the org by an id with reserved characters', async () => {
    const external_id = 'a/b?c=d&é %25#x';
    const { body: created } = await api.partner.post(ORGS, { name: 'Odd', external_id });
    const { status, body } = await api.partner.get(`${ORGS}/by-external-id/${encodeURIComponent(external_id)}`);
    expect({ status, id: body.id, external_id: body.external_id }).toEqual({
      status: 200,
      id: created.id,
      external_id,
    });
    expect(body).toHaveProperty('created_at');
  });

  it('finds an external_id of the maximum length', async () => {
    const external_id = '長'.repeat(255);
    const { body: created } = await api.partner.post(ORGS, { name: 'Long', external_id });
    expect((await api.partner.get(`${ORGS}/by-external-id/${encodeURIComponent(external_id)}`)).body.id).toBe(
      created.id,
    );
  });

  it('never finds an org of another partner', async () => {
    const stranger = await api.createPartner();
    await stranger.post(ORGS, { name: 'Theirs', external_id: 'only-theirs' });
    expect((await api.partner.get(`${ORGS}/by-external-id/only-theirs`)).status).toBe(404);
    expect((await api.partner.get(`${ORGS}/by-external-id/${'x'.repeat(256)}`)).status).toBe(400);
  });
});

describe('a key of an org created by its partner', () => {
  it('is a JWT with access to the org’s API', async () => {
    const { status, body } = await api.partner.post(`${ORGS}/${api.org.id}/api-keys`);
    expect(status).toBe(201);
    expect(body).toEqual({
      api_key_id: expect.any(String),
      api_key: expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/),
    });

    const { body: org } = await api.client(body.api_key).get('/org');
    expect(org.id).toBe(api.org.id);
    const { body: keys } = await api.org.get('/org/api-keys');
    expect(keys.items).toContainEqual(expect.objectContaining({ id: body.api_key_id, name: 'Default' }));
  });

  it('is refused alike for foreign, unknown and malformed orgs', async () => {
    const theirs = await api.createOrg('Theirs', await api.createPartner());
    for (const id of [theirs.id, '01900000-0000-7000-8000-000000000000', 'nonsense']) {
      for (const [path, body] of [
        ['api-keys', {}],
        ['login-links', { email: 'a@b.example' }],
      ] as const) {
        const answer = await api.partner.post(`${ORGS}/${id}/${path}`, body);
        expect(answer).toMatchObject({ status: 403, body: { message: 'The org does not belong to this partner' } });
      }
    }
  });

  it('requires the partner’s key, and the org’s API refuses that key', async () => {
    expect((await api.org.get(ORGS)).status).toBe(401);
    expect((await api.partner.get('/org')).status).toBe(401);
    expect((await api.client().get(ORGS)).status).toBe(401);
    expect((await api.client('nonsense').get(ORGS)).status).toBe(401);
  });
});

function connection(userKey: string, name?: string) {
  return { app_key: 'the-app-key', user_key: userKey, ...(name === undefined ? {} : { name }) };
}
