import { reserveSlot } from '../../../src/crm/hubspot/rate-limit.queries.ts';
import { createRateLimit } from '../../../src/crm/hubspot/rate-limit.ts';
import { connect } from '../../../src/db/connect.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

let api: TestApi;
let another: ReturnType<typeof connect>;
beforeAll(async () => {
  api = await startApi();
  another = connect(api.databaseUrl, { poolSize: 10 });
});
afterAll(async () => {
  await another.close();
  await api.close();
});

const PATIENT_MS = 60_000;

const takeAtOnce = (orgId: string, kind: 'request' | 'search', count: number, gapMs: number) =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      reserveSlot(n % 2 === 0 ? api.db : another.db, orgId, kind, { gapMs, mostMs: PATIENT_MS }),
    ),
  );

describe('the rate limit of an org', () => {
  it('gives every call a separate slot, over all processes', async () => {
    const { id } = await api.createOrg();
    const from = Date.now();
    const turns = await takeAtOnce(id, 'request', 60, 112);
    expect(turns.every(({ isTaken }) => isTaken)).toBe(true);
    const budget = api.db.selectFrom('crm_rate_limits').select('next_at').where('org_id', '=', id);
    const { next_at } = await budget.executeTakeFirstOrThrow();
    expect(next_at.getTime()).toBeGreaterThanOrEqual(from + 60 * 112 - 2);
    expect(next_at.getTime()).toBeLessThan(Date.now() + 60 * 112);
  });

  it.each([
    ['request', 19, 2_000],
    ['search', 9, 2_000],
  ] as const)('spaces calls of kind %s so that the %ith begins after 2 s', async (kind, count, ms) => {
    const { id } = await api.createOrg();
    const budgets = [createRateLimit(api.db, id), createRateLimit(another.db, id)];
    const from = performance.now();
    await Promise.all(Array.from({ length: count }, (_, n) => budgets[n % 2]?.reserve(kind)));
    expect(performance.now() - from).toBeGreaterThanOrEqual(ms);
  });

  it('lets the first call begin at once, and does not accumulate unused slots', async () => {
    const { id } = await api.createOrg();
    const gap = { gapMs: 1_000, mostMs: PATIENT_MS };
    expect((await reserveSlot(api.db, id, 'request', gap)).waitMs).toBeLessThanOrEqual(1);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await reserveSlot(api.db, id, 'request', gap)).waitMs).toBeLessThanOrEqual(1);
    expect((await reserveSlot(api.db, id, 'request', gap)).waitMs).toBeGreaterThan(50);
  });

  it('is separate for each org and each kind of call', async () => {
    const { id } = await api.createOrg();
    await takeAtOnce(id, 'request', 20, 112);
    const gap = { gapMs: 112, mostMs: PATIENT_MS };
    expect((await reserveSlot(api.db, id, 'search', gap)).waitMs).toBeLessThanOrEqual(1);
    expect((await reserveSlot(api.db, api.other.id, 'request', gap)).waitMs).toBeLessThanOrEqual(1);
  });

  it('rejects a call with too long a wait, without reserving its slot', async () => {
    const { id } = await api.createOrg();
    await takeAtOnce(id, 'request', 10, 1_000);
    const failure = await createRateLimit(api.db, id)
      .reserve('request')
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'CrmError', transient: true, mayHaveArrived: false });
    const { retryAfterMs } = failure as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(5_000);
    expect(retryAfterMs).toBeLessThanOrEqual(10_000);
    const { waitMs } = await reserveSlot(api.db, id, 'request', { gapMs: 1_000, mostMs: PATIENT_MS });
    expect(waitMs).toBeLessThanOrEqual(10_000);
  });
});
