import Fastify, { type FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { authenticate } from '../../src/api/edge/authenticate.ts';
import { handleErrors } from '../../src/api/edge/errors.ts';
import { idempotency } from '../../src/api/edge/idempotency.ts';
import { sendAhead } from '../../src/db/connections/pipeline.ts';
import { afterCommit, inTransaction } from '../../src/db/transaction.ts';
import { conflict } from '../../src/errors.ts';
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

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });
const countOrgs = async () => (await api.partner.get(ORGS)).body.total as number;

describe('an Idempotency-Key', () => {
  it('repeats the first answer and creates nothing more', async () => {
    const first = await api.partner.post(ORGS, { name: 'Once' }, withKey('same'));
    const count = await countOrgs();
    const second = await api.partner.post(ORGS, { name: 'Once' }, withKey('same'));

    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(await countOrgs()).toBe(count);
  });

  it('repeats the answer of an activation, without activating what was deactivated since', async () => {
    const made = await api.org.post('/workflows', { name: 'W', trigger_type: 'manual-trigger', workflow_blocks: [] });
    const path = `/workflows/${made.body.workflow_id}`;
    const key = withKey(crypto.randomUUID());
    const first = await api.org.post(`${path}/activate`, {}, key);
    await api.org.post(`${path}/deactivate`);
    const again = await api.org.post(`${path}/activate`, {}, key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect([first.body.is_active, (await api.org.get(path)).body.is_active]).toEqual([true, false]);
  });

  it('repeats the answer of a new eval case', async () => {
    const ask = () =>
      api.org.post(
        '/autopilot/evals',
        { name: 'Hi', messages: [{ sender: 'contact', text: 'Hi' }], checks: { ends: 'answered' } },
        withKey('case'),
      );
    const [first, again] = [await ask(), await ask()];
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect(first.body.id).toEqual(expect.any(String));
  });

  it('repeats a secret shown only once, and stores it encrypted', async () => {
    const path = `${ORGS}/${api.org.id}/api-keys`;
    const first = await api.partner.post(path, { name: 'Secret' }, withKey('secret'));
    const second = await api.partner.post(path, { name: 'Secret' }, withKey('secret'));
    expect(second.body).toEqual(first.body);

    const { rows } = await sql<{ row: string }>`select idempotency_keys::text as row from idempotency_keys`.execute(
      api.db,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(first.body.api_key);
    expect(JSON.stringify(rows)).not.toContain(first.body.api_key_id);
  });

  it('repeats its answer to other keys of the org that have all scopes of the first one, and does nothing for lesser ones', async () => {
    const create = (client: Pick<TestApi['org'], 'post'>, name: string) =>
      client.post('/org/api-keys', { name, scopes: name === 'Full' ? undefined : ['org:write'] }, withKey(name));
    const countKeys = async () => (await api.org.get('/org/api-keys')).body.items.length as number;
    const [lesser, equal] = [await api.org.withScopes('org:write'), await api.org.withScopes('org:write', 'org:read')];
    const rotated = await api.org.withScopes('org:read', 'org:write', 'contacts:read');
    const full = await create(api.org, 'Full');
    const limited = await create(equal, 'Limited');
    const count = await countKeys();
    for (const [client, name] of [
      [lesser, 'Full'],
      [equal, 'Full'],
      [lesser, 'Limited'],
    ] as const) {
      const { status, body } = await create(client, name);
      expect([status, body.message]).toEqual([422, expect.stringContaining('more scopes')]);
    }
    for (const client of [api.org, equal, rotated]) {
      const again = await create(client, 'Limited');
      expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, limited.body, 'true']);
    }
    expect((await create(api.org, 'Full')).body).toEqual(full.body);
    expect(await countKeys()).toBe(count);
  });

  it('repeats a refusal', async () => {
    await api.partner.post(ORGS, { name: 'X', external_id: 'taken' });
    const first = await api.partner.post(ORGS, { name: 'Y', external_id: 'taken' }, withKey('refused'));
    const second = await api.partner.post(ORGS, { name: 'Y', external_id: 'taken' }, withKey('refused'));
    expect([first.status, second.status]).toEqual([409, 409]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is refused with 422 for another body or path', async () => {
    await api.partner.post(ORGS, { name: 'A' }, withKey('other'));
    expect((await api.partner.post(ORGS, { name: 'B' }, withKey('other'))).status).toBe(422);
    expect((await api.partner.post(`${ORGS}/${api.org.id}/api-keys`, { name: 'A' }, withKey('other'))).status).toBe(
      422,
    );
  });

  it('is separate for each caller', async () => {
    const stranger = await api.createPartner();
    const mine = await api.partner.post(ORGS, { name: 'Same' }, withKey('shared'));
    const theirs = await stranger.post(ORGS, { name: 'Same' }, withKey('shared'));
    expect(theirs.status).toBe(201);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it('is refused with 409 while the first request is running', async () => {
    const body = { name: 'Slow', integrations: { fareharbor: { app_key: 'a', user_key: 'good' } } };
    const { promise, resolve } = Promise.withResolvers<void>();
    fareHarbor.next({ released: promise });
    const calls = fareHarbor.calls.length;
    const running = api.partner.post(ORGS, body, withKey('slow'));
    while (fareHarbor.calls.length === calls) await new Promise((wait) => setTimeout(wait, 5));

    expect((await api.partner.post(ORGS, body, withKey('slow'))).status).toBe(409);

    resolve();
    const first = await running;
    expect(first.status).toBe(201);
    expect((await api.partner.post(ORGS, body, withKey('slow'))).body).toEqual(first.body);
  });

  it('lets only one of twenty concurrent requests run', async () => {
    const count = await countOrgs();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.partner.post(ORGS, { name: 'Crowd' }, withKey('crowd'))),
    );
    expect(await countOrgs()).toBe(count + 1);
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id)).size).toBe(1);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
  });

  it('expires after 24 hours', async () => {
    const first = await api.partner.post(ORGS, { name: 'Old' }, withKey('old'));
    await sql`update idempotency_keys set created_at = now() - interval '23 hours 59 minutes' where key = 'old'`.execute(
      api.db,
    );
    expect((await api.partner.post(ORGS, { name: 'Old' }, withKey('old'))).body).toEqual(first.body);
    await sql`update idempotency_keys set created_at = now() - interval '24 hours 1 minute' where key = 'old'`.execute(
      api.db,
    );
    const again = await api.partner.post(ORGS, { name: 'New' }, withKey('old'));
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(first.body.id);
  });

  it('stores neither the change nor the answer if the answer cannot be stored', async () => {
    const count = await countOrgs();
    await sql`
      create function break() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger break before insert on idempotency_keys for each row when (new.key = 'atomic') execute function break();
    `.execute(api.db);

    expect((await api.partner.post(ORGS, { name: 'Atomic' }, withKey('atomic'))).status).toBe(500);
    expect(await countOrgs()).toBe(count);

    await sql`drop function break cascade`.execute(api.db);
    const retried = await api.partner.post(ORGS, { name: 'Atomic' }, withKey('atomic'));
    expect({ status: retried.status, replayed: retried.headers.get('idempotent-replayed') }).toEqual({
      status: 201,
      replayed: null,
    });
    expect(await countOrgs()).toBe(count + 1);
  });

  it('stores nothing for an invalid request', async () => {
    expect((await api.partner.post(ORGS, {}, withKey('fixed'))).status).toBe(400);
    expect((await api.partner.post(ORGS, { name: 'Fixed' }, withKey('fixed'))).status).toBe(201);
  });

  it('must have 1 to 255 characters', async () => {
    expect((await api.partner.post(ORGS, { name: 'X' }, withKey('k'.repeat(255)))).status).toBe(201);
    expect((await api.partner.post(ORGS, { name: 'X' }, withKey('k'.repeat(256)))).status).toBe(400);
    expect((await api.partner.post(ORGS, { name: 'X' }, withKey(''))).status).toBe(400);
  });
});

describe('a refusal that undoes a handler with an Idempotency-Key', () => {
  /** The answer to one request that runs `handle`, twice: the second answer is the stored one. */
  const answersTo = async (handle: (request: FastifyRequest) => Promise<unknown>) => {
    const app = Fastify();
    await app.register(handleErrors);
    await app.register(authenticate, api.deps);
    await app.register(idempotency, api.deps);
    app.post('/', { config: { scope: 'any' } }, handle);
    const headers = { authorization: `Bearer ${api.org.key}`, 'idempotency-key': crypto.randomUUID() };
    const post = async () => {
      const { statusCode, headers: answered } = await app.inject({ method: 'POST', url: '/', headers });
      return [statusCode, answered['idempotent-replayed']];
    };
    const answers = [await post(), await post()];
    await app.close();
    return answers;
  };

  it('calls nothing that the handler wanted called after the commit', async () => {
    const called: string[] = [];
    const answers = await answersTo(async ({ db }) => {
      afterCommit(db, () => called.push('undone'));
      throw conflict('refused');
    });
    expect(answers).toEqual([
      [409, undefined],
      [409, 'true'],
    ]);
    expect(called).toEqual([]);
  });

  it('is not stored if a statement of the handler has failed', async () => {
    const answers = await answersTo(async ({ db }) => {
      await inTransaction(db, (trx) => sendAhead(trx, sql`select from missing`));
      throw conflict('refused');
    });
    expect(answers).toEqual([
      [500, undefined],
      [500, undefined],
    ]);
  });
});
