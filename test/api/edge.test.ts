import { connect } from '../../src/db/connect.ts';
import { parametersOf } from '../security/document.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

interface Operations {
  get?: Parameters<typeof parametersOf>[0];
}

describe('the HTTP layer', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const preflight = (path: string) =>
    fetch(api.url + path, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });

  it('allows every origin on the widget’s paths, and only there', async () => {
    const widget = await preflight('/backend/widget/v2/chat/send');
    expect(widget.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(widget.headers.get('access-control-max-age')).toBe('7200');
    const contacts = await preflight('/contacts');
    expect(contacts.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('gives each answer its own request id, ignoring the caller’s', async () => {
    const first = await api.org.get('/contacts', { headers: { 'x-request-id': 'mine' } });
    const second = await api.org.get('/contacts');
    const ids = [first, second].map(({ headers }) => headers.get('x-request-id'));
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(2);
  });

  it('sends security headers to browsers', async () => {
    const { headers } = await api.org.get('/contacts');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('strict-transport-security')).toContain('max-age');
  });

  it('answers health, readiness and metrics without a key', async () => {
    expect(await api.client().get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await api.client().get('/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ok', database: 'ok', temporal: 'ok' },
    });
    const metrics = await api.client().get('/metrics');
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(metrics.body).toContain('http_request_duration_seconds_bucket');
    expect(metrics.body).toContain('switchboard_outbox_rows 0');
  });

  it('serves the API documentation as a page and as OpenAPI 3.1', async () => {
    const document = await api.client().get('/openapi.json');
    expect(document.body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0-beta', license: { name: 'MIT' } } });
    const page = await api.client().get('/docs/');
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.body).toContain('/openapi.json');
  });

  it('compresses its documentation, and does not send it again to clients that have it', async () => {
    for (const path of ['/openapi.json', '/docs/', '/docs/js/scalar.js']) {
      const get = (headers: Record<string, string>) => fetch(`${api.url}${path}`, { headers });
      const whole = await (await get({ 'accept-encoding': 'identity' })).text();
      for (const encoding of ['br', 'gzip']) {
        const packed = await get({ 'accept-encoding': encoding });
        expect([path, packed.status, packed.headers.get('content-encoding')]).toEqual([path, 200, encoding]);
        expect(await packed.text()).toBe(whole);
      }
      const etag = (await get({})).headers.get('etag') ?? '';
      const again = await get({ 'if-none-match': etag });
      expect([path, again.status, await again.text()]).toEqual([path, 304, '']);
      expect((await get({ 'if-none-match': '"another"' })).status).toBe(200);
    }
  });

  it('has the script of its documentation kept for good, under an address that changes with it', async () => {
    const page = (await api.client().get('/docs/')).body as string;
    const [, address = ''] = /src="(js\/scalar\.js\?v=[\w.-]+)"/.exec(page) ?? [];
    const cachingOf = async (path: string) => (await fetch(`${api.url}/docs/${path}`)).headers.get('cache-control');
    expect(await cachingOf(address)).toBe('public, max-age=31536000, immutable');
    expect([await cachingOf('js/scalar.js'), await cachingOf('js/scalar.js?v=0')]).toEqual(['no-cache', 'no-cache']);
  });

  describe('compression', () => {
    const JSON_BODY = { 'content-type': 'application/json' };
    const VALUES = Array.from({ length: 300 }, (_, n) => `value ${n}`);
    const get = async (path: string, encoding: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${api.org.key}`, 'accept-encoding': encoding, ...init.headers };
      const response = await fetch(api.url + path, { ...init, headers });
      return { response, used: response.headers.get('content-encoding') };
    };
    beforeAll(async () => {
      await api.org.post('/contacts', {
        contact: { email: 'long@example.com', custom_data: { values: VALUES.join() } },
      });
    });

    it.each([
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['gzip;q=1, br;q=0.5', 'gzip'],
      ['identity', null],
      ['', null],
      ['gzip;q=0', null],
    ])('of a long answer in JSON is as the client accepts it: %j', async (accepted, encoding) => {
      const { response, used } = await get('/contacts', accepted);
      expect([used, response.headers.get('content-type')]).toEqual([encoding, 'application/json; charset=utf-8']);
      expect(JSON.stringify(await response.json())).toContain('value 299');
      if (encoding !== null) expect(response.headers.get('vary')).toContain('accept-encoding');
    });

    it('leaves short answers, pages and answers to writes as they are, which may show a secret', async () => {
      const contacts = VALUES.map((_, n) => ({ email: `number-${n}@example.com` }));
      const init = { method: 'POST', body: JSON.stringify({ contacts }), headers: JSON_BODY };
      const written = await get('/contacts/batch', 'gzip', init);
      expect([written.response.status, written.used]).toEqual([200, null]);
      expect((await written.response.text()).length).toBeGreaterThan(2_000);
      for (const path of ['/healthz', '/', '/metrics', '/sign-in'])
        expect([path, (await get(path, 'br, gzip')).used]).toEqual([path, null]);
    });

    it('covers searches by POST', async () => {
      const filter = { or: [{ and: [{ type: 'contacts_email_in', email_in: ['long@example.com'] }] }] };
      const init = { method: 'POST', body: JSON.stringify({ filter }), headers: JSON_BODY };
      expect((await get('/contacts/search', 'gzip', init)).used).toBe('gzip');
    });

    it('never holds back an event', async () => {
      const stream = new AbortController();
      const { response, used } = await get('/events', 'br, gzip', { signal: stream.signal });
      expect([response.headers.get('content-type'), used]).toEqual(['text/event-stream', null]);
      const { value } = (await response.body?.getReader().read()) ?? {};
      expect(Buffer.from(value ?? []).toString()).toContain('retry:');
      stream.abort();
    });

    it('refuses packed bodies as before', async () => {
      const init = {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      };
      expect((await get('/contacts/search', 'gzip', init)).response.status).toBe(415);
    });
  });

  it.each([
    ['in Latin-1', Buffer.from('{"contact":{"name":"Jos\u00e9"}}', 'latin1'), /must be in UTF-8/],
    ['cut within a character', Buffer.from('{"contact":{"name":"é"}}').subarray(0, 21), /must be in UTF-8/],
    ['with __proto__', Buffer.from('{"contact":{"custom_data":{"__proto__":"x"}}}'), /no member __proto__/],
    ['that is no JSON', Buffer.from('{"contact":'), /not valid JSON/],
  ])('refuses a JSON body %s with what to change', async (_, body, message) => {
    const headers = { authorization: `Bearer ${api.org.key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${api.url}/contacts`, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringMatching(message) }),
    ]);
  });

  it('says of a value that is missing or given twice what to do, and names the types that a form takes', async () => {
    const messageOf = async (path: string, body?: object) =>
      (body === undefined ? await api.org.get(path) : await api.org.post(path, body)).body.message;
    expect(await messageOf('/csat/scores', {})).toMatch(/: is missing/);
    expect(await messageOf('/contacts?limit=1&limit=2')).toContain('query.limit: must be one number');
    const { body } = await api.org.post('/contacts/batch', { contacts: [{ name: 3 }, { custm_data: {} }] });
    expect(body.results).toEqual([
      { error: 'name: Invalid input: expected string, received number' },
      { error: 'custm_data is not known here: did you mean custom_data?' },
    ]);
    const types = async (path: string, type: string) => {
      const answer = await fetch(api.url + path, { method: 'POST', headers: { 'content-type': type }, body: '{}' });
      return [answer.status, ((await answer.json()) as { message: string }).message];
    };
    const form = 'application/x-www-form-urlencoded';
    expect(await types('/csat/token', 'application/json')).toEqual([415, `Unsupported Media Type. Send ${form}`]);
    const both = `Unsupported Media Type. Send application/json or ${form}`;
    expect(await types('/u/token', 'text/plain')).toEqual([415, both]);
  });

  it('reports itself as degraded while Temporal is unavailable, and still accepts requests', async () => {
    const down = await startApi({
      deps: {
        temporal: {
          check: async () => {
            throw new Error('away');
          },
          describeQueues: async () => [],
        },
      },
    });
    try {
      expect(await down.client().get('/readyz')).toMatchObject({
        status: 200,
        body: { status: 'degraded', database: 'ok', temporal: 'away' },
      });
      expect((await down.client().get('/healthz')).status).toBe(200);
      expect((await down.org.post('/contacts', { contact: { email: 'ann@example.com' } })).status).toBe(201);
    } finally {
      await down.close();
    }
  });

  it('serves its metrics while the database is away, with no number of rows in the outbox', async () => {
    const away = connect('postgres://127.0.0.1:1/nowhere', { poolSize: 1 });
    const down = await startApi({ databaseUrl: api.databaseUrl, deps: { db: away.db } });
    try {
      const { status, body } = await down.client().get('/metrics');
      expect(status).toBe(200);
      expect(body).toContain('process_cpu_seconds_total');
      expect(body).toMatch(/^switchboard_outbox_rows nan$/im);
    } finally {
      await down.close();
      await away.close();
    }
  });

  it('takes an absent body as {} where no field is required, and an empty cursor as the beginning', async () => {
    const { workflow_id } = (
      await api.org.post('/workflows', { name: 'Empty', trigger_type: 'manual-trigger', workflow_blocks: [] })
    ).body;
    const authorization = `Bearer ${api.org.key}`;
    const post = (path: string, headers: Record<string, string> = {}) =>
      fetch(api.url + path, { method: 'POST', headers: { authorization, ...headers } });
    expect((await post(`/workflows/${workflow_id}/activate`)).status).toBe(200);
    expect((await post(`/workflows/${workflow_id}/trigger`, { 'content-type': 'application/json' })).status).toBe(200);
    expect((await post('/contacts')).status).toBe(400);
    expect((await post('/contacts', { 'content-type': 'application/json' })).status).toBe(400);
    const { paths: items, components } = (await api.client().get('/openapi.json')).body;
    const paths = Object.entries<Operations>(items);
    const parametersOfGet = ({ get }: Operations) => (get === undefined ? [] : parametersOf(get, components));
    const cursors = paths.flatMap(([path, item]) =>
      parametersOfGet(item).flatMap(({ name, schema }) => (name === 'cursor' ? [{ path, schema }] : [])),
    );
    const refusingEmpty = cursors.filter(
      ({ schema }) => schema.type !== 'string' || schema.minLength !== undefined || schema.pattern !== undefined,
    );
    expect(refusingEmpty).toEqual([]);
    const lists = paths.filter(
      ([path, item]) =>
        !path.includes('{') && !path.startsWith('/me/') && parametersOfGet(item).some(({ name }) => name === 'cursor'),
    );
    expect(lists.length).toBeGreaterThan(5);
    for (const [path] of lists) {
      const key = path.startsWith('/partner') ? api.partner : api.org;
      expect([path, (await key.get(`${path}?cursor=`)).status]).toEqual([path, 200]);
    }
  });
});
