import { connect, type Socket } from 'node:net';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { ODD_JSON, STRANGE_TEXTS } from './hostile.ts';

const ANSWER_WITHIN_MS = 5_000;

let api: TestApi;

beforeAll(async () => {
  api = await startApi({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
});

afterAll(() => api.close());

describe('strange text is data', () => {
  it.each(STRANGE_TEXTS)('%j is read as it was written', async (text) => {
    const { org } = api;
    const email = `c${STRANGE_TEXTS.indexOf(text)}@example.com`;
    const key = text === '__proto__' ? 'key' : text; // refused, see below
    const custom_data = { [key]: text, plain: text };
    const contact = await org.post('/contacts', { contact: { email, name: text, custom_data } });
    expect((await org.get(`/contacts/${contact.body.id}`)).body).toMatchObject({ name: text, custom_data });

    const attributes = { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ [key]: text }] }] }] };
    const names = { or: [{ and: [{ type: 'contacts_name_in', name_in: [text] }] }] };
    for (const filter of [attributes, names]) {
      const { body } = await org.post('/contacts/search', { filter });
      expect(body.items.map(({ id }: { id: string }) => id)).toEqual([contact.body.id]);
      const segment = await org.post('/segments', { name: text, filter });
      expect((await org.get(`/segments/${segment.body.id}`)).body).toMatchObject({ name: text, filter });
    }

    const data = {
      from_email: 'a@example.com',
      email_subject: 'x',
      email_body: text.replaceAll('{{', '\\{{'), // escapes the template's braces
      email_sender_name: 'x',
      email_is_transactional: true,
    };
    const steps = [{ delay_in_minutes: 0, action: { type: 'send_emails', data } }];
    const made = await org.post('/sequences', {
      name: text,
      custom_id: text,
      is_continuous: false,
      filter: null,
      steps,
    });
    const sequence = await org.get(`/sequences/${made.body.id}`);
    expect(sequence.body).toMatchObject({ name: text, custom_id: text, steps });
    expect((await org.get(`/sequences/${encodeURIComponent(text)}`)).body).toEqual(sequence.body);

    const blocked = await org.post('/blocklist/contacts', { email: `b${email}`, reason: text });
    expect(blocked.status).toBe(200);
    expect((await org.get('/blocklist/contacts?limit=1')).body.data[0]).toMatchObject({ reason: text });

    expect((await org.patch('/org', { name: text })).body.name).toBe(text);
    expect((await org.get('/org')).body.name).toBe(text);

    const external = { name: text, external_id: text };
    const provisioned = await api.partner.post('/partner/v1/orgs', external);
    const found = await api.partner.get(`/partner/v1/orgs/by-external-id/${encodeURIComponent(text)}`);
    expect(found.body).toMatchObject({ ...external, id: provisioned.body.id });
  });

  it('keys such as __proto__ never change a prototype', async () => {
    const custom_data = JSON.parse('{"constructor":"a","toString":"b","hasOwnProperty":"c"}');
    const { body } = await api.org.post('/contacts', { contact: { email: 'proto@example.com', custom_data } });
    expect((await api.org.get(`/contacts/${body.id}`)).body.custom_data).toEqual(custom_data);

    for (const json of [ODD_JSON.prototype, ODD_JSON.prototypeInside, ODD_JSON.constructor]) {
      expect((await api.org.post('/contacts', json)).status).toBe(400);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('a request with an odd header', () => {
  it('accepts as Idempotency-Key any text of 1 to 255 characters, and answers 400 to others', async () => {
    const post = (key: string) =>
      api.org.post('/contacts', { contact: { name: 'x' } }, { headers: { 'idempotency-key': key } });
    const taken = ['a', 'x'.repeat(255), "' or 1=1; --", 'é\u00ff', '../..', '{"a":1}', '__proto__', '%00', 'a\tb'];
    for (const key of taken) {
      expect(`${key} ${(await post(key)).status}`).toBe(`${key} 201`);
      expect((await post(key)).headers.get('idempotent-replayed')).toBe('true');
    }
    for (const key of ['', 'x'.repeat(256), 'x'.repeat(8_000)]) {
      const { status, body } = await post(key);
      expect(`${key.slice(0, 10)} ${status}`).toBe(`${key.slice(0, 10)} 400`);
      expect(body.message).toMatch(/Idempotency-Key must have 1 to 255/);
    }
  });

  it('is a 401 if Authorization is not a Bearer token', async () => {
    const garbage = ['', ' ', 'Bearer', 'Bearer ', 'Basic YTpi', 'bearer a b', api.org.key, `Bearer ${api.org.key} x`];
    for (const authorization of [...garbage, `Bearer ${'x'.repeat(9_000)}`, 'Bearer \u00e9\u00ff', 'Bearer null']) {
      const { status, body } = await api.client().get('/org', { headers: { authorization } });
      expect(`${authorization.slice(0, 20)} ${status} ${body.error}`).toBe(
        `${authorization.slice(0, 20)} 401 Unauthorized`,
      );
    }
    const { status } = await api.client().get('/org', { headers: { authorization: `bearer   ${api.org.key}` } });
    expect(status).toBe(200);
  });

  it('is a 431 if its headers are too large, and the API keeps working', async () => {
    const answer = await raw(`GET /org HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(100 * 1024)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect((await api.org.get('/org')).status).toBe(200);
  });

  it.each([
    'no-address',
    '999.999.999.999',
    "' or 1=1",
    '203.0.113.9:4711',
    '[2001:db8::1]:443',
    '2001:db8::zz',
    ', , ,',
    '::ffff:203.0.113.9',
    'fe80::1%eth0',
    Array.from({ length: 500 }, () => '10.0.0.1').join(', '),
  ])('passes no allow list and causes no failure with X-Forwarded-For %j', async (address) => {
    const free = await api.partner.get('/partner/v1/orgs', { headers: { 'x-forwarded-for': address } });
    expect(free.status).toBe(200);

    const limited = await api.createPartner({ allowed_ips: ['198.51.100.0/24', '2001:db8:1::/48'] });
    const { status, body } = await limited.get('/partner/v1/orgs', { headers: { 'x-forwarded-for': address } });
    expect(`${status} ${body.error}`).toBe('403 Forbidden');
    const allowed = await limited.get('/partner/v1/orgs', { headers: { 'x-forwarded-for': '198.51.100.7' } });
    expect(allowed.status).toBe(200);
  });
});

describe('a malformed or misleading request', () => {
  const key = () => `Authorization: Bearer ${api.org.key}\r\n`;
  const json = 'Content-Type: application/json\r\n';

  it('has no effect if its body ends too early', async () => {
    const before = (await api.org.get('/contacts')).body.items.length;
    const head = `POST /contacts HTTP/1.1\r\nHost: x\r\n${key()}${json}Content-Length: 500\r\n\r\n`;
    await raw(`${head}{"contact":{"name":"cut"}}`, { hangUp: true });
    expect((await api.org.get('/contacts')).body.items.length).toBe(before);
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['two lengths', 'POST /contacts HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    [
      'a length and chunks',
      'POST /contacts HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST /contacts HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['a bad chunk', 'POST /contacts HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['no Host', 'GET /org HTTP/1.1\r\n\r\n'],
    ['a space in the path', 'GET /org name HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a name', 'GET /org HTTP/1.1\r\nHost: x\r\n: x\r\n\r\n'],
    ['a NUL in a header', 'GET /org HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n'],
  ])('is a 400 with %s', async (_, text) => {
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await api.org.get('/org')).status).toBe(200);
  });

  it('is not affected by an absolute address and a foreign Host', async () => {
    const answer = await raw(
      `GET http://evil.example/org HTTP/1.1\r\nHost: evil.example\r\n${key()}Connection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 (200|404) /);
    expect(answer).not.toMatch(/evil\.example\/\w+"/);
  });

  it('cannot override its method by headers or the query', async () => {
    const { body } = await api.org.post('/contacts', { contact: { name: 'stays' } });
    const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
    await api.org.get(`/contacts/${body.id}?_method=DELETE`, { headers });
    expect((await api.org.get(`/contacts/${body.id}`)).status).toBe(200);
  });
});

/** Sends raw bytes, and returns the answer until the API closes the connection or stops sending. */
function raw(text: string, { hangUp = false } = {}): Promise<string> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve) => {
    let answer = '';
    const socket: Socket = connect(Number(port), hostname, () => {
      socket.write(text, 'latin1');
      if (hangUp) setTimeout(() => socket.destroy(), 100);
    });
    const silence = setTimeout(() => socket.destroy(), ANSWER_WITHIN_MS);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      socket.end();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(silence);
      resolve(answer);
    });
  });
}
