import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
/** A second process of the same installation. */
let second: TestApi;
beforeAll(async () => {
  api = await startApi();
  second = await startApi({ databaseUrl: api.databaseUrl });
});
afterAll(async () => {
  await second.close();
  await api.close();
});

const KEYS = '/org/api-keys';

describe('an org key', () => {
  it('an org key is shown once, and the list does not contain it', async () => {
    const { status, body } = await api.org.post(KEYS, { name: 'CI', scopes: ['contacts:read'] });
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(['api_key', 'api_key_id']);

    const { body: list } = await api.org.get(KEYS);
    const listed = list.items.find(({ id }: { id: string }) => id === body.api_key_id);
    expect(listed).toEqual({
      id: body.api_key_id,
      name: 'CI',
      scopes: ['contacts:read'],
      created_at: expect.any(String),
      last_used_at: null,
    });
    expect(JSON.stringify(list)).not.toContain(body.api_key);
  });

  it('an org key has the time of its last use, which is written once an hour at most and is no change of the key', async () => {
    const used = await api.org.withScopes('org:read');
    const stored = async () =>
      (
        await sql<{ last_used_at: Date | null; version: string }>`
          select last_used_at, xmin::text as version from org_api_keys where id = ${used.keyId}`.execute(api.db)
      ).rows[0];
    expect((await stored())?.last_used_at).toBeNull();
    await used.get('/org');
    const first = await stored();
    expect(first?.last_used_at).toBeInstanceOf(Date);
    for (const process of [api, second]) {
      process.deps.keys.clearCache();
      await process.client(used.key).get('/org');
    }
    expect(await stored()).toEqual(first);
    await sql`update org_api_keys set last_used_at = now() - interval '61 minutes' where id = ${used.keyId}`.execute(
      api.db,
    );
    api.deps.keys.clearCache();
    await used.get('/org');
    const { items } = (await api.org.get(KEYS)).body;
    const { last_used_at } = items.find(({ id }: { id: string }) => id === used.keyId);
    expect(Date.now() - Date.parse(last_used_at)).toBeLessThan(60_000);
    const { rows } = await sql`select from audit_entries where ref = ${used.keyId} and action = 'changed'`.execute(
      api.db,
    );
    expect(rows).toEqual([]);
  });

  it('a request does not wait for a transaction that has its key to record the use', async () => {
    const used = await api.org.withScopes('org:read');
    const ofKey = sql`from org_api_keys where id = ${used.keyId}`;
    const waited = await api.db.transaction().execute(async (trx) => {
      await sql`select ${ofKey} for no key update`.execute(trx);
      const begin = performance.now();
      expect((await used.get('/org')).status).toBe(200);
      return performance.now() - begin;
    });
    expect(waited).toBeLessThan(1_500); // a statement gives up after two seconds
    const { rows } = await sql`select last_used_at ${ofKey}`.execute(api.db);
    expect(rows).toEqual([{ last_used_at: null }]);
  });

  it('an org key gives access only within its scopes', async () => {
    const limited = await api.org.withScopes('contacts:read', 'org:read');
    expect((await limited.get('/org')).status).toBe(200);
    expect(await limited.patch('/org', { name: 'X' })).toMatchObject({
      status: 403,
      body: { message: 'Missing required scope: org:write' },
    });
    expect((await limited.get('/members')).status).toBe(403);
  });

  it('an org key cannot create a key with more scopes than its own', async () => {
    const limited = await api.org.withScopes('org:write', 'contacts:read');
    expect((await limited.post(KEYS, { scopes: ['contacts:read'] })).status).toBe(201);
    expect((await limited.post(KEYS, { scopes: ['contacts:write'] })).status).toBe(403);
    expect((await limited.post(KEYS, {})).status).toBe(403);
  });

  it('an org key cannot revoke a key with more scopes than its own', async () => {
    const limited = await api.org.withScopes('org:write', 'contacts:read');
    const [more, less] = [await api.org.withScopes('contacts:write'), await api.org.withScopes('contacts:read')];
    for (const keyId of [more.keyId, api.org.keyId]) {
      const { status, body } = await limited.delete(`${KEYS}/${keyId}`);
      expect(status).toBe(403);
      expect(body.message).toMatch(/contacts:write|full access/);
    }
    expect((await limited.delete(`${KEYS}/${less.keyId}`)).status).toBe(200);
    expect((await api.org.get('/org')).status).toBe(200);
  });

  it('an org key stops working in every process within a second of its revocation', async () => {
    const { body } = await api.org.post(KEYS, {});
    expect((await api.client(body.api_key).get('/org')).status).toBe(200);
    expect((await second.client(body.api_key).get('/org')).status).toBe(200);

    expect((await api.org.delete(`${KEYS}/${body.api_key_id}`)).status).toBe(200);
    const revokedAt = Date.now();

    for (const process of [second, api]) {
      for (;;) {
        const askedAt = Date.now();
        if ((await process.client(body.api_key).get('/org')).status === 401) break;
        expect(askedAt - revokedAt).toBeLessThan(1_000);
      }
    }
    expect((await api.org.delete(`${KEYS}/${body.api_key_id}`)).status).toBe(404);
  });

  it('another org cannot see or revoke an org key', async () => {
    expect((await api.other.delete(`${KEYS}/${api.org.keyId}`)).status).toBe(404);
    expect(JSON.stringify((await api.other.get(KEYS)).body)).not.toContain(api.org.keyId);
    expect((await api.org.get('/org')).status).toBe(200);
  });

  it.each([
    { name: '' },
    { name: 'x'.repeat(256) },
    { scopes: [] },
    { scopes: ['everything'] },
    { scopes: 'contacts:read' },
  ])('an org key is not created from the invalid body %j', async (body) => {
    expect((await api.org.post(KEYS, body)).status).toBe(400);
  });
});

describe('an invalid org key', () => {
  const secret = () => new TextEncoder().encode(api.config.JWT_SECRET);
  const forged = (change: (jwt: SignJWT) => SignJWT, alg = 'HS256', typ = 'org-key+jwt') =>
    change(
      new SignJWT()
        .setProtectedHeader({ alg, typ })
        .setIssuer('switchboard')
        .setAudience('org-api')
        .setSubject(api.org.id)
        .setJti(api.org.keyId),
    );
  const unsigned = () => {
    const [, payload] = api.org.key.split('.');
    return `${Buffer.from('{"alg":"none","typ":"org-key+jwt"}').toString('base64url')}.${payload}.`;
  };

  it('an invalid org key is made from a key that is accepted unchanged', async () => {
    expect((await api.client(await forged((jwt) => jwt).sign(secret())).get('/org')).status).toBe(200);
  });

  it.each<[string, () => Promise<string> | string]>([
    ['no signature', unsigned],
    ['another secret', () => forged((jwt) => jwt).sign(new TextEncoder().encode('x'.repeat(48)))],
    ['another algorithm', () => forged((jwt) => jwt, 'HS512').sign(secret())],
    ['another type', () => forged((jwt) => jwt, 'HS256', 'JWT').sign(secret())],
    ['another audience', () => forged((jwt) => jwt.setAudience('partner-api')).sign(secret())],
    ['another issuer', () => forged((jwt) => jwt.setIssuer('else')).sign(secret())],
    ['another org’s id', () => forged((jwt) => jwt.setSubject(api.other.id)).sign(secret())],
    ['an expiry time in the past', () => forged((jwt) => jwt.setExpirationTime(1)).sign(secret())],
    ['a partner’s key', () => api.partner.key],
    [
      'a changed letter',
      () => `${api.org.key.slice(0, -10)}${api.org.key.at(-10) === 'A' ? 'B' : 'A'}${api.org.key.slice(-9)}`,
    ],
  ])('an invalid org key is refused with %s', async (_case, make) => {
    const { status, headers, body } = await api.client(await make()).get('/org');
    expect({ status, challenge: headers.get('www-authenticate') }).toEqual({ status: 401, challenge: 'Bearer' });
    expect(body).toEqual({
      statusCode: 401,
      code: 'unauthenticated',
      error: 'Unauthorized',
      message: expect.any(String),
    });
  });

  it.each(['Basic abc', 'Bearer', 'Bearer a b', 'x'])(
    'an invalid org key is refused in the header "%s"',
    async (authorization) => {
      expect((await api.client().get('/org', { headers: { authorization } })).status).toBe(401);
    },
  );
});
