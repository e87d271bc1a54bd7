import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../src/db/connect.ts';
import { lockName } from '../../../src/db/locks.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { networkOf } from '../../../src/networks.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { unverified } from '../../widget/client.ts';
import { MESSAGE_OF_MANY_VALUES } from '../oversized.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** Holds a lock while the function runs. */
async function whileLocked<T>(name: string, work: () => Promise<T>): Promise<T> {
  const holder = connect(api.databaseUrl, { poolSize: 1 });
  try {
    return await inTransaction(holder.db, async (trx) => {
      await lockName(trx, name);
      return work();
    });
  } finally {
    await holder.close();
  }
}

/** Returns the milliseconds of the slowest of ten requests in a row. */
async function slowestRequest(org: TestOrg): Promise<number> {
  let slowest = 0;
  for (let n = 0; n < 10; n++) {
    const begun = performance.now();
    expect((await org.get('/org')).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - begun);
  }
  return slowest;
}

describe('requests of one org that wait for its lock', () => {
  it('leave connections to the others, and end after two seconds with 503 or 429 and Retry-After', async () => {
    const { org, other } = api;
    const { id } = (await org.post('/segments', { name: 'Segment', filter: null })).body;
    const visitor = await unverified(api, org);
    await whileLocked(`segments ${org.id}`, async () => {
      const begun = performance.now();
      const waiting = Array.from({ length: 40 }, (_, n) => org.patch(`/segments/${id}`, { name: `Segment ${n}` }));
      await sleep(300); // their five seconds are over before the requests at work have ended
      const ofWidget = Array.from({ length: 10 }, () => visitor.post('create-session', {}));
      expect(await slowestRequest(other)).toBeLessThan(1_800);
      const first = await Promise.race(waiting);
      expect(first.status).toBe(503);
      expect(performance.now() - begun).toBeLessThan(4_000);
      const answers = await Promise.all(waiting);
      for (const { status, headers } of answers) {
        expect([429, 503]).toContain(status);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
      const refused = (await Promise.all(ofWidget)).filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    });
    expect((await org.patch(`/segments/${id}`, { name: 'Later' })).status).toBe(200);
  });
});

it('a second sync of a help center does not wait for the first', async () => {
  const { org, other } = api;
  await whileLocked(`help-center ${org.id}`, async () => {
    expect((await org.put('/help-center/content', { categories: [] })).status).toBe(409);
    expect((await other.put('/help-center/content', { categories: [] })).status).toBe(200);
  });
  expect((await org.put('/help-center/content', { categories: [] })).status).toBe(200);
});

describe('an Idempotency-Key', () => {
  it('stores no answer of a search', async () => {
    const headers = { 'idempotency-key': newId() };
    const search = { filter: { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ plan: 'pro' }] }] }] } };
    const searched = await api.org.post('/contacts/search', search, { headers });
    expect(searched.status).toBe(200);
    expect(searched.headers.get('idempotent-replayed')).toBeNull();
    const again = await api.org.post('/contacts/search', search, { headers });
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(
      await api.db.selectFrom('idempotency_keys').select('key').where('key', '=', headers['idempotency-key']).execute(),
    ).toEqual([]);
  });
});

describe('a body of many values', () => {
  it('is counted by its values, not by commas and brackets in its texts', async () => {
    const text = '[{,"'.repeat(10_000);
    const articles = Array.from({ length: 8 }, (_, n) => ({ title: `${n}`, slug: `s${n}`, content_markdown: text }));
    const tree = { categories: [{ name: 'Help', slug: 'help', articles }] };
    expect((await api.org.put('/help-center/content', tree)).status).toBe(200);
  });

  it('is refused with the number that is allowed, and holds up nobody', async () => {
    const id = (await api.org.post('/chat/sessions', {})).body.id;
    const begun = performance.now();
    const [refused, slowest] = await Promise.all([
      api.org.post(`/chat/sessions/${id}/send`, MESSAGE_OF_MANY_VALUES, {
        headers: { 'content-type': 'application/json' },
      }),
      slowestRequest(api.other),
    ]);
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('200000');
    expect(slowest).toBeLessThan(3_000);
    expect(performance.now() - begun).toBeLessThan(6_000);
  });
});

it('an address is its network, for connections, bytes and requests', () => {
  const networks = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1', '192.0.2.1', '::ffff:192.0.2.1'].map(
    networkOf,
  );
  expect(new Set(networks).size).toBe(3);
  expect(networkOf('x'.repeat(10_000))).toBe(networkOf('unknown'));
});

describe('public routes', () => {
  let limited: TestApi;
  beforeAll(async () => {
    limited = await startApi({ env: { RATE_LIMIT_REFUSED: '4' } });
  });
  afterAll(() => limited.close());

  it.each([
    ['pages', 'RATE_LIMIT_HELP', (n: number) => `/help/${newId()}?n=${n}`],
    ['unsubscribe links', 'RATE_LIMIT_ADDRESS', () => '/u/nothing'],
    ['login links', 'RATE_LIMIT_ADDRESS', () => '/partner-login?token=nothing'],
  ])('%s are limited by address', async (_, limit, path) => {
    const here = await startApi({ databaseUrl: limited.databaseUrl, env: { [limit]: '5' } });
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 7; n++) statuses.push((await here.client().get(path(n))).status);
      expect(statuses.slice(0, 5)).not.toContain(429);
      expect(statuses.slice(5)).toEqual([429, 429]);
      const other = limit === 'RATE_LIMIT_HELP' ? '/u/nothing' : `/help/${newId()}`;
      expect((await here.client().get(other)).status).not.toBe(429);
    } finally {
      await here.close();
    }
  });

  it('refuse further wrong keys and tokens of an address, but not right ones', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await limited.client('wrong').get('/org')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429]);
    const callback = await limited.client().post(`/callbacks/twilio/${limited.org.id}/wrong`, {});
    expect(callback.status).toBe(429);
    expect(Number(callback.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await limited.org.get('/org')).status).toBe(200);
  });
});
