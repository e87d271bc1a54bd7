import { sql } from 'kysely';
import { inTransaction } from '../../src/db/transaction.ts';
import { WriteQuotaUsed } from '../../src/db/write-quota.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

const QUOTA = 20_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ env: { WRITE_QUOTA_BYTES: String(QUOTA) } });
});
afterAll(() => api.close());

it('a used-up quota stays used up while its count is saved', async () => {
  const { db, deps } = api;
  await inTransaction(db, async (trx) => {
    await sql`lock table written_bytes in exclusive mode`.execute(trx);
    deps.quota.add(QUOTA, 'somebody');
    expect(() => deps.quota.assertLeft('somebody')).toThrow(WriteQuotaUsed);
    await eventually('the save to wait', async () => {
      const { rows } =
        await sql`select from pg_locks where not granted and relation = 'written_bytes'::regclass`.execute(trx);
      return rows.length > 0;
    });
    expect(() => deps.quota.assertLeft('somebody')).toThrow(WriteQuotaUsed);
  });
  expect(() => deps.quota.assertLeft('nobody')).not.toThrow();
});
