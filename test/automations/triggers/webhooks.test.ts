import { createHmac } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import formWords from '../../../src/automations/triggers/form-words.json' with { type: 'json' };
import { purgeDeletedMedia, storeUnclaimedMedia } from '../../../src/media/service.ts';
import { type Client, startApi, type TestApi } from '../../support/stack/api.ts';
import { activate, expectRunsAsDescribed, type StartedRun } from '../../support/triggers.ts';

/** No worker, relay or Temporal server runs here: accepting webhooks needs none. */
let api: TestApi;
let anybody: Client;
beforeAll(async () => {
  api = await startApi();
  anybody = api.client();
});
afterAll(() => api.close());

const UUID = /^[0-9a-f-]{36}$/;
const pathOf = (url: string) => new URL(url).pathname;
const runs = (id: string) => expectRunsAsDescribed(api.db, id);
const webhook = async (trigger_configuration: object | null = null, trigger_constraints: object | null = null) => {
  const { id, url } = await activate(api.org, { trigger_type: 'webhook', trigger_configuration, trigger_constraints });
  const path = pathOf(url);
  return {
    id,
    path,
    post: (body?: unknown, headers: Record<string, string> = {}) => anybody.post(path, body, { headers }),
  };
};
const outputOf = async (id: string) => ((await runs(id))[0] as StartedRun).trigger_output;

describe('an inbound webhook', () => {
  it('starts its workflow with the request’s body, query and headers, without credentials', async () => {
    const { id, path } = await webhook();
    const credentials = {
      authorization: 'Bearer secret',
      cookie: 'a=b',
      'x-api-key': 'k',
      'x-gitlab-token': 'g',
      'x-webhook-secret': 's',
      'php-auth-pw': 'p',
    };
    const headers = { ...credentials, 'x-source': 'shop' };
    const { status, body } = await anybody.post(`${path}?a=1&b=2&b=3`, { order: { id: 17 } }, { headers });
    expect([status, body]).toEqual([202, { run_id: expect.stringMatching(UUID) }]);
    const output = await outputOf(id);
    expect(output).toEqual({
      event_id: expect.stringMatching(/^webhook\//),
      occurred_at: expect.any(String),
      trigger_type: 'webhook',
      body: { order: { id: 17 } },
      query: { a: '1', b: ['2', '3'] },
      headers: expect.objectContaining({ 'x-source': 'shop', 'content-type': 'application/json' }),
    });
    for (const name of Object.keys(credentials)) expect(output.headers).not.toHaveProperty(name);
  });

  it.each([
    ['text', 'text/plain', 'hello', 'hello'],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=x+y&a=2', { a: ['1', '2'], b: 'x y' }],
    ['a list', 'application/json', '[1,null,"x"]', [1, null, 'x']],
    ['JSON of a kind', 'application/cloudevents+json', '{"id":"e"}', { id: 'e' }],
    ['XML', 'application/xml', '<a/>', '<a/>'],
  ])('accepts %s as its body', async (_, type, sent, body) => {
    const { id, post } = await webhook();
    expect((await post(sent, { 'content-type': type })).status).toBe(202);
    expect((await outputOf(id)).body).toEqual(body);
  });

  it('accepts an empty body', async () => {
    const { id, post } = await webhook();
    expect((await post()).status).toBe(202);
    expect((await outputOf(id)).body).toBeNull();
  });

  it.each([undefined, '', ' \n'])('takes an empty body of a JSON type for an empty object: %j', async (sent) => {
    const { id, path } = await webhook();
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const answer = await fetch(api.url + path, { method: 'POST', headers, ...(sent !== undefined && { body: sent }) });
    expect(answer.status).toBe(202);
    expect((await outputOf(id)).body).toEqual({});
  });

  it('takes the fields of a multipart form, and its files as media', async () => {
    const { id, path } = await webhook();
    const form = new FormData();
    for (const [name, value] of [
      ['name', 'Ada ü'],
      ['tag', 'a'],
      ['tag', 'b'],
      ['__proto__', 'x'],
    ] as const)
      form.append(name, value);
    form.append('photo', new File(['%PDF-1.4\n%%EOF\n'], 'bill ü.pdf', { type: 'application/pdf' }));
    form.append('photo', new File(['hello'], 'note.txt', { type: 'text/plain' }));
    form.append('empty', new File([], ''));
    const answer = await fetch(api.url + path, { method: 'POST', body: form });
    expect([answer.status, await answer.json()]).toEqual([202, { run_id: expect.stringMatching(UUID) }]);
    const { body } = await outputOf(id);
    const file = { id: expect.stringMatching(UUID), url: expect.any(String), size: expect.any(Number) };
    expect(body).toEqual({
      name: 'Ada ü',
      tag: ['a', 'b'],
      ['__proto__']: 'x',
      photo: [
        { ...file, file_name: 'bill ü.pdf', mime_type: 'application/pdf' },
        { ...file, file_name: 'note.txt', mime_type: 'text/plain' },
      ],
      empty: '',
    });
    const stored = await fetch(body.photo[1].url.replace(/^https?:\/\/[^/]+/, api.url));
    expect([stored.status, await stored.text()]).toEqual([200, 'hello']);
  });

  describe('with the files of a multipart form', () => {
    const formOf = (name: string) => {
      const form = new FormData();
      form.append('wanted', 'no');
      form.append('file', new File(['hello'], name));
      return form;
    };
    const send = async (path: string, name: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(api.url + path, { method: 'POST', body: formOf(name), headers });
      return [answer.status, ((await answer.json()) as { run_id: string | null }).run_id];
    };
    const rows = () =>
      api.db.selectFrom('media').select(['key', 'deleted_at']).where('org_id', '=', api.org.id).execute();
    const stored = async () => {
      const all = await readdir(fileURLToPath(String(api.config.STORAGE_URL)), { recursive: true });
      return all.filter((path) => path.includes(`${api.org.id}/`));
    };

    it('stores none where the constraint does not hold', async () => {
      const before = [await rows(), await stored()];
      const { path } = await webhook(null, { '==': [{ var: 'body.wanted' }, 'yes'] });
      expect(await send(path, 'none.txt')).toEqual([202, null]);
      expect([await rows(), await stored()]).toEqual(before);
    });

    it('stores those of the first request alone where another repeats it, and none where a file is refused', async () => {
      const before = await rows();
      const { id, path } = await webhook();
      const [status, runId] = await send(path, 'first.txt', { 'idempotency-key': 'one' });
      expect(status).toBe(202);
      expect(await send(path, 'b.txt', { 'idempotency-key': 'one' })).toEqual([202, runId]);
      const form = formOf('c.txt');
      form.append('other', new File(['<!doctype html><html></html>'], 'a.html'));
      expect((await fetch(api.url + path, { method: 'POST', body: form })).status).toBe(415);
      expect(await rows()).toHaveLength(before.length + 1);
      expect(await stored()).toHaveLength(before.length + 1);
      const { body } = await outputOf(id);
      expect((await fetch(body.file.url.replace(/^https?:\/\/[^/]+/, api.url))).status).toBe(200);
    });

    it('deletes those that a process has left when it ended, an hour later, and no others', async () => {
      const before = await rows();
      const { path } = await webhook();
      await send(path, 'kept.txt');
      const content = [new TextEncoder().encode('hello')];
      const { deps, db, org } = api;
      for (const fileName of ['old.txt', 'new.txt'])
        await storeUnclaimedMedia(db, deps.storage, org.id, { content, fileName });
      await sql`update media set deleted_at = deleted_at - interval '1 hour' where file_name = 'old.txt'`.execute(db);
      await purgeDeletedMedia(db, deps.storage);
      expect(await rows()).toHaveLength(before.length + 2);
      expect(await stored()).toHaveLength(before.length + 2);
    });
  });

  it('answers a wrong token before it reads the body', async () => {
    const { path } = await webhook();
    const { hostname, port } = new URL(api.url);
    const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': String(5 * 1024 * 1024) };
    const options = { hostname, port, method: 'POST', headers };
    const statusOf = (target: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sending = request({ ...options, path: target }, ({ statusCode }) => {
          resolve(statusCode);
          sending.destroy();
        });
        sending.on('error', reject);
        sending.flushHeaders(); // no byte of the body follows
      });
    expect(await statusOf(`${path.slice(0, -3)}xyz`)).toBe(404);
    expect(await statusOf('/hooks/workflows/nobody/token')).toBe(400);
  });

  it('refuses a multipart form that is malformed, has too many parts, or a file of no accepted type', async () => {
    const { id, path } = await webhook();
    const send = (body: FormData | string, type?: string) =>
      fetch(api.url + path, { method: 'POST', body, ...(type !== undefined && { headers: { 'content-type': type } }) });
    const many = (count: number, value: string | File) => {
      const form = new FormData();
      for (let n = 0; n < count; n++) form.append(`f${n}`, value);
      return form;
    };
    for (const [answer, status] of [
      [await send('no form', 'multipart/form-data; boundary=x'), 400],
      [await send('no form', 'multipart/form-data'), 400],
      [await send(many(1_001, 'x')), 400],
      [await send(many(11, new File(['hello'], 'a.txt'))), 400],
      [await send(many(1, new File(['<!doctype html><html></html>'], 'a.html'))), 415],
    ] as const)
      expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
        status,
        expect.any(String),
      ]);
    expect(await runs(id)).toEqual([]);
    const { rows } = await sql`select 1 from media where org_id = ${api.org.id} and file_name = 'a.txt'`.execute(
      api.db,
    );
    expect(rows).toEqual([]);
  });

  it('starts no run and returns null if the constraint does not hold', async () => {
    const { id, post } = await webhook(null, { '>': [{ var: 'body.amount' }, 100] });
    expect(await post({ amount: 5 })).toMatchObject({ status: 202, body: { run_id: null } });
    expect(await post({ amount: 500 })).toMatchObject({ status: 202, body: { run_id: expect.stringMatching(UUID) } });
    expect(await runs(id)).toHaveLength(1);
  });

  it.each([
    ['Idempotency-Key', null, { 'idempotency-key': 'order-17' }],
    ['webhook-id', null, { 'webhook-id': 'msg_17' }],
    ['what lies at dedupe_path', { dedupe_path: 'order.id' }, {}],
  ] as const)('starts one run for concurrent requests identified by %s', async (_, configuration, headers) => {
    const { id, post } = await webhook(configuration);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post({ order: { id: 17 } }, headers)));
    const all = await runs(id);
    expect(all).toHaveLength(1);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.run_id}`))).toEqual(
      new Set([`202 ${all[0]?.id}`]),
    );
    await post(
      { order: { id: 18 } },
      Object.fromEntries(Object.entries(headers).map(([name, key]) => [name, `${key}b`])),
    );
    expect(await runs(id)).toHaveLength(2);
  });

  it('starts a run for each request without an id at dedupe_path', async () => {
    const { id, post } = await webhook({ dedupe_path: 'order.id' });
    const empty = { order: { id: '' } };
    for (const body of [{}, { order: null }, { order: { id: { $: 1 } } }, 'x', empty, empty]) {
      const headers: Record<string, string> = typeof body === 'string' ? { 'content-type': 'text/plain' } : {};
      expect((await post(body, headers)).status).toBe(202);
    }
    expect(await runs(id)).toHaveLength(6);
  });

  it('tells numbers at dedupe_path apart by all of their digits', async () => {
    const { id, post } = await webhook({ dedupe_path: 'order.0.id' });
    const send = async (digits: string) => (await post(`{"order":[{"id":${digits}}]}`)).body.run_id;
    const first = await send('9007199254740993');
    expect(await send('9007199254740992')).not.toBe(first);
    expect(await send(' 9007199254740993 ')).toBe(first);
    expect(await runs(id)).toHaveLength(2);
  });

  it('answers 404 for a wrong token or workflow, and 409 for an inactive workflow or one with another trigger', async () => {
    const { id, path } = await webhook();
    const other = await webhook();
    const [, , , , token] = path.split('/');
    expect((await anybody.post(`${path}x`, {})).status).toBe(404);
    expect((await anybody.post(`/hooks/workflows/${other.id}/${token}`, {})).status).toBe(404);
    expect((await anybody.post(`/hooks/workflows/${crypto.randomUUID()}/${token}`, {})).status).toBe(404);
    expect((await anybody.post(`/hooks/workflows/nobody/${token}`, {})).status).toBe(400);
    expect((await anybody.post(path.replace('workflows', 'forms'), {})).status).toBe(409);
    await api.org.post(`/workflows/${id}/deactivate`, {});
    const off = await anybody.post(path, {});
    expect([off.status, off.body.message]).toEqual([409, expect.stringContaining('not active')]);
    expect([await runs(id), await runs(other.id)]).toEqual([[], []]);
  });

  it('rejects bodies that are invalid JSON, too large or impossible to store, without a server error', async () => {
    const { id, post } = await webhook();
    expect((await post('{"a":', { 'content-type': 'application/json' })).status).toBe(400);
    expect((await post('"'.padEnd(1_100_000, 'x'), { 'content-type': 'text/plain' })).status).toBe(413);
    expect((await post({ text: 'a\u0000b' })).status).toBe(400);
    expect((await post('"\\ud800"')).status).toBe(400);
    expect((await post(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)).status).toBe(400);
    expect((await post('{"a":1}', { 'idempotency-key': 'k'.repeat(300) })).status).toBe(400);
    expect(await runs(id)).toEqual([]);
    expect((await post('{"__proto__":{"x":1},"constructor":null}')).status).toBe(202);
    expect((await post(JSON.stringify({ text: 'x'.repeat(1_000_000) }))).status).toBe(202);
    expect(await runs(id)).toHaveLength(2);
  });

  it.each([
    ['application/json', '{"name":"Jos\u00e9"}'],
    ['text/plain; charset=utf-8', 'Jos\u00e9'],
    ['application/x-www-form-urlencoded', 'name=Jos%E9'],
  ])('rejects a body in another encoding than UTF-8, whose letters would be lost: %s', async (type, body) => {
    const { id, path } = await webhook();
    const post = (sent: Uint8Array) =>
      fetch(api.url + path, { method: 'POST', headers: { 'content-type': type }, body: sent });
    const refused = await post(Buffer.from(body, 'latin1'));
    expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
      400,
      'The request is not valid: body must be in UTF-8',
    ]);
    expect((await post(Buffer.from(body.replace('%E9', '%C3%A9')))).status).toBe(202);
    expect((await post(Buffer.from(body.replace(/\u00e9|%E9/, '\ufffd')))).status).toBe(202);
    expect(await runs(id)).toHaveLength(2);
  });

  it('counts against the rate limit of its org', async () => {
    const limited = await startApi({ env: { RATE_LIMIT_STANDARD: '8' } });
    try {
      const { url } = await activate(limited.org, { trigger_type: 'webhook' });
      const codes: number[] = [];
      for (let n = 0; n < 9; n++) codes.push((await limited.client().post(pathOf(url), {})).status);
      expect(codes).toEqual([...Array(8).fill(202), 429]);
    } finally {
      await limited.close();
    }
  });
});

describe('an inbound webhook with a secret', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = JSON.stringify({ order: 17 });
  const standard = (at = Date.now(), sent = body, id = 'msg_1') => {
    const timestamp = String(Math.floor(at / 1000));
    const key = Buffer.from(secret.slice(6), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${sent}`).digest('base64');
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,bm8= v1,${signature}` };
  };
  const plain = (key = secret) => createHmac('sha256', key).update(body).digest('hex');

  it('accepts requests signed with the secret', async () => {
    const { id, post } = await webhook({ secret });
    for (const headers of [
      standard(),
      { 'x-signature': plain() },
      { 'x-signature': `sha256=${plain().toUpperCase()}` },
    ])
      expect((await post(body, headers as Record<string, string>)).status).toBe(202);
    expect(await runs(id)).toHaveLength(2);
  });

  it('starts one run in 24 hours for a body whose signature has no time, whatever the headers say', async () => {
    const { id, post } = await webhook({ secret });
    const first = await post(body, { 'x-signature': plain() });
    const keys: Record<string, string>[] = [{}, { 'idempotency-key': 'another' }, { 'webhook-id': 'another' }];
    for (const key of keys) {
      expect((await post(body, { 'x-signature': plain(), ...key })).body).toEqual(first.body);
    }
    const other = `${body} `;
    const signature = createHmac('sha256', secret).update(other).digest('hex');
    expect((await post(other, { 'x-signature': signature })).body).not.toEqual(first.body);
    expect(await runs(id)).toHaveLength(2);
    await api.db
      .updateTable('automation_runs')
      .set({ created_at: new Date(Date.now() - 49 * 3_600_000), trigger_key: sql`trigger_key || ' earlier'` })
      .where('automation_id', '=', id)
      .execute();
    expect((await post(body, { 'x-signature': plain() })).body).not.toEqual(first.body);
  });

  it('masks the secret in responses, and keeps it when an edit sends the mask back', async () => {
    const { id, post } = await webhook({ secret, dedupe_path: 'id' });
    const path = `/workflows/${id}`;
    const shown = (await api.org.get(path)).body.trigger_configuration;
    expect(shown).toEqual({ secret: '***', dedupe_path: 'id' });
    await api.org.patch(path, { trigger_configuration: { ...shown, dedupe_path: 'order' } });
    await api.org.post(`${path}/activate`, {});
    for (const answer of [
      await api.org.get(path),
      await api.org.get('/workflows'),
      await api.org.get(`${path}/versions`),
    ])
      expect(JSON.stringify(answer.body)).not.toContain(secret);
    expect((await post(body)).status).toBe(403);
    expect((await post(body, { 'x-signature': plain() })).status).toBe(202);
    expect((await runs(id))[0]?.trigger_key).toBe('webhook/17');
  });

  it('rejects requests with a missing, wrong or expired signature', async () => {
    const { id, post } = await webhook({ secret });
    const wrong: Record<string, string>[] = [
      {},
      { 'x-signature': plain('guessed') },
      { 'x-signature': '' },
      standard(Date.now() - 10 * 60_000),
      standard(Date.now() + 10 * 60_000),
      standard(Date.now(), `${body} `),
      { ...standard(), 'webhook-id': 'msg_2' },
      { ...standard(), 'webhook-timestamp': 'soon' },
    ];
    for (const headers of wrong) expect((await post(body, headers)).status).toBe(403);
    expect(await runs(id)).toEqual([]);
  });
});

describe('a form trigger', () => {
  const fields = [
    { name: 'name', type: 'text', required: true },
    { name: 'email', type: 'email', required: true },
    { name: 'seats', type: 'number' },
    { name: 'plan', type: 'select', options: ['free', 'pro'] },
    { name: 'terms', type: 'checkbox', required: true },
  ];
  const form = async () => {
    const { id, url } = await activate(api.org, { trigger_type: 'form-trigger', trigger_configuration: { fields } });
    expect(url).toContain('/hooks/forms/');
    const path = pathOf(url);
    return { id, path, submit: (body: unknown, headers = {}) => anybody.post(path, body, { headers }) };
  };
  const good = { name: 'Ada', email: 'ada@example.com', seats: 3, plan: 'pro', terms: true };

  it('starts its workflow with its fields, sent as JSON or by a browser', async () => {
    const { id, path, submit } = await form();
    expect((await submit({ ...good, more: 'dropped' })).status).toBe(202);
    const sent = 'name=Ada&email=ada%40example.com&seats=3&plan=&terms=off&terms=on';
    expect((await submit(sent, { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(202);
    const multipart = new FormData();
    for (const [name, value] of new URLSearchParams(sent)) multipart.append(name, value);
    expect((await fetch(api.url + path, { method: 'POST', body: multipart })).status).toBe(202);
    expect((await runs(id)).map(({ trigger_output }) => trigger_output.form)).toEqual([
      good,
      { ...good, plan: null },
      { ...good, plan: null },
    ]);
  });

  it('rejects a submission with the name of each wrong field', async () => {
    const { id, submit } = await form();
    const { status, body } = await submit({ name: '', email: 'ada', seats: 'many', plan: 'gold', terms: false });
    expect(status).toBe(400);
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual(
      ['name', 'email', 'seats', 'plan', 'terms'].map((name) => `body.${name}`),
    );
    for (const odd of [undefined, '[]', 'null', '"x"', '{"name":{"__proto__":1}}'])
      expect((await submit(odd)).status).toBe(400);
    for (const value of [{ toString: 1 }, { valueOf: 1, toString: null }, [{ toString: 1 }], ['on'], {}]) {
      const refused = await submit(Object.fromEntries(fields.map(({ name }) => [name, value])));
      expect([refused.status, refused.body.issues?.length]).toEqual([400, fields.length]);
    }
    expect(await runs(id)).toEqual([]);
  });

  it('has a page whose own words are in the language of the visitor, and whose look is that of the org', async () => {
    await api.org.patch('/org/settings', { brand: { name: 'Acme & Co', color: '#0f766e' } });
    const { path } = await form();
    const open = async (query: string, language: string) => {
      const response = await fetch(api.url + path + query, {
        headers: { accept: 'text/html', 'accept-language': language },
      });
      const html = await response.text();
      return { head: /<html[^>]*>/.exec(html)?.[0], html, robots: response.headers.get('x-robots-tag') };
    };
    const cases = [
      ['', 'de-AT,en;q=0.8', 'lang="de"', 'Senden'],
      ['', 'sw, fr;q=0.4, nb;q=0.6, en;q=0.1', 'lang="no"', 'Send<'],
      ['', 'en;q=0, ar', 'lang="ar" dir="rtl"', 'إرسال'],
      ['?lang=ja', 'de', 'lang="ja"', '送信'],
      ['?lang=xx', 'de', 'lang="de"', 'Senden'],
      ['', 'xx', 'lang="en"', 'Send<'],
      ['', '*', 'lang="en"', 'Send<'],
    ] as const;
    for (const [query, language, head, word] of cases) {
      const page = await open(query, language);
      expect([query, language, page.head, page.html.includes(word)]).toEqual([query, language, `<html ${head}>`, true]);
      expect(page.robots).toBe('noindex');
    }
    expect((await open('', 'en')).html).toContain('--accent:#0f766e;--on:#ffffff');
    const refused = await fetch(`${api.url + path}?lang=de`, {
      method: 'POST',
      headers: { accept: 'text/html' },
      body: new URLSearchParams({ name: '', email: 'ada', seats: 'many', plan: 'gold' }),
    });
    const html = await refused.text();
    const { required, email, number, option, ticked, check } = formWords.de;
    for (const sentence of [required, email, number, option, ticked, check, 'Acme &amp; Co'])
      expect(html).toContain(sentence);
    await api.org.patch('/org/settings', { brand: null });
  });

  it('has a page with labels, thanks and a trap, and starts one run for the same fields sent twice, and another for corrected ones', async () => {
    const labelled = [
      { name: 'email', type: 'email', required: true, label: 'Where we answer' },
      ...fields.slice(3, 4),
    ];
    const trigger_configuration = { title: 'Ask for a demo', thanks: 'We call you tomorrow.', fields: labelled };
    const { id, url } = await activate(api.org, { trigger_type: 'form-trigger', trigger_configuration });
    const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
    const html = await (await fetch(api.url + pathOf(url), { headers: { accept: 'text/html' } })).text();
    expect(html).toContain('<h1>Ask for a demo</h1>');
    expect(html).toContain('Where we answer *');
    const submissionOf = (page: string) => /name="_submission" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const submission = submissionOf(html);
    const send = async (more: Record<string, string>) => {
      const body = new URLSearchParams({ email: 'ada@example.com', plan: 'pro', _submission: submission, ...more });
      const response = await fetch(api.url + pathOf(url), { method: 'POST', headers, body });
      return { status: response.status, html: await response.text() };
    };
    const trapped = await send({ _trap: 'https://spam.example' });
    expect([trapped.status, submissionOf(trapped.html)]).toEqual([400, submission]);
    expect(trapped.html).toContain('A hidden field was filled');
    expect(await runs(id)).toEqual([]);
    const again = { _submission: submissionOf(trapped.html), _trap: '' };
    for (const answer of [await send(again), await send(again)]) {
      expect(answer.status).toBe(202);
      expect(answer.html).toContain('We call you tomorrow.');
    }
    expect((await runs(id)).map(({ trigger_output }) => trigger_output.form)).toEqual([
      { email: 'ada@example.com', plan: 'pro' },
    ]);
    for (let n = 0; n < 2; n++) expect((await send({ email: 'ada@corrected.example' })).status).toBe(202);
    expect((await runs(id)).map(({ trigger_output }) => trigger_output.form)).toEqual([
      { email: 'ada@example.com', plan: 'pro' },
      { email: 'ada@corrected.example', plan: 'pro' },
    ]);
  });

  it('starts one run for two submissions with the same Idempotency-Key', async () => {
    const { id, submit } = await form();
    const [first, second] = [
      await submit(good, { 'idempotency-key': 'f1' }),
      await submit(good, { 'idempotency-key': 'f1' }),
    ];
    expect(second.body).toEqual(first.body);
    expect(await runs(id)).toHaveLength(1);
  });
});
