import { readFileSync } from 'node:fs';
import { ERROR_CODES } from '../../src/error-codes.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const asked = async (path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${api.org.key}`, ...init.headers };
  const response = await fetch(api.url + path, { ...init, headers });
  return (await response.json()) as { statusCode: number; code: string; message: string };
};

it('the documentation lists every code with its status and meaning', () => {
  const text = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` \| (\d+) \| (.*) \|$/gm)].map(([, code, status, meaning]) => [
    code,
    { status: Number(status), meaning },
  ]);
  expect(Object.fromEntries(rows)).toEqual(ERROR_CODES);
});

it('errors of each kind have their code', async () => {
  const { withScopes } = api.org;
  const limited = await withScopes('contacts:read');
  expect((await asked('/contacts', { headers: { authorization: 'Bearer nobody' } })).code).toBe('unauthenticated');
  expect((await limited.post('/contacts', { contact: {} })).body.code).toBe('missing_scope');
  expect((await asked('/contacts?limit=none')).code).toBe('invalid_request');
  expect((await asked('/contacts/00000000-0000-4000-8000-000000000000')).code).toBe('not_found');
  expect((await asked('/no/such/path')).code).toBe('unknown_path');
  expect((await asked('/contacts', { method: 'PUT' })).code).toBe('method_not_allowed');
});

it('an Idempotency-Key that was used for another request has its own code', async () => {
  const send = (name: string) =>
    asked('/segments', {
      method: 'POST',
      headers: { 'idempotency-key': 'one', 'content-type': 'application/json' },
      body: JSON.stringify({ name, filter: null }),
    });
  await send('first');
  expect(await send('second')).toMatchObject({ statusCode: 422, code: 'idempotency_key_reused' });
});

it('a 415 names the types that the operation takes', async () => {
  const answer = await asked('/contacts', { method: 'POST', body: 'name', headers: { 'content-type': 'text/csv' } });
  expect(answer).toMatchObject({ code: 'unsupported_type', message: expect.stringContaining('application/json') });
  const file = await asked('/media', { method: 'POST', body: 'name', headers: { 'content-type': 'text/csv' } });
  expect(file).toMatchObject({ code: 'unsupported_type', message: expect.stringContaining('multipart/form-data') });
});

it('a 409 names the contact that has the address', async () => {
  const { body: first } = await api.org.post('/contacts', { contact: { email: 'ann@example.com' } });
  const { body: second } = await api.org.post('/contacts', { contact: { email: 'bob@example.com' } });
  const { body } = await api.org.patch(`/contacts/${second.id}`, { contact: { email: 'ann@example.com' } });
  expect(body).toMatchObject({
    statusCode: 409,
    code: 'already_exists',
    conflicting: { type: 'contact', id: first.id, field: 'email' },
  });
});
