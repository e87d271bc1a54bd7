import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../support/stack/api.ts';

describe('the edge', () => {
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

  it('opens the widget’s paths to every origin, and no others', async () => {
    const widget = await preflight('/backend/widget/v2/chat/send');
    expect(widget.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    const contacts = await preflight('/contacts');
    expect(contacts.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('names each answer by an id of its own, whatever the caller calls it', async () => {
    const first = await api.org.get('/contacts', { headers: { 'x-request-id': 'mine' } });
    const second = await api.org.get('/contacts');
    const ids = [first, second].map(({ headers }) => headers.get('x-request-id'));
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(2);
  });

  it('sends the headers that keep browsers safe', async () => {
    const { headers } = await api.org.get('/contacts');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('strict-transport-security')).toContain('max-age');
  });

  it('answers the operator’s questions without a key', async () => {
    expect(await api.client().get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await api.client().get('/readyz')).toMatchObject({ status: 200, body: { database: 'ok', temporal: 'ok' } });
    const metrics = await api.client().get('/metrics');
    expect(metrics.body).toContain('http_request_duration_seconds_bucket');
    expect(metrics.body).toContain('switchboard_outbox_rows 0');
  });

  it('shows the API to read, and as OpenAPI 3.1', async () => {
    const document = await api.client().get('/openapi.json');
    expect(document.body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0-beta', license: { name: 'MIT' } } });
    const page = await api.client().get('/docs/');
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.body).toContain('/openapi.json');
  });

  it('says that it is not ready, and 503 with Retry-After, while what it needs is away', async () => {
    const down = await startApi({
      deps: {
        temporal: {
          check: async () => {
            throw new Error('away');
          },
        },
      },
    });
    try {
      expect(await down.client().get('/readyz')).toMatchObject({
        status: 503,
        body: { database: 'ok', temporal: 'away' },
      });
      expect((await down.client().get('/healthz')).status).toBe(200);
      expect((await down.org.post('/contacts', { contact: { email: 'ann@example.com' } })).status).toBe(201);
    } finally {
      await down.close();
    }
  });
});
