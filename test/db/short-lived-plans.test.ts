import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { SHORT_LIVED_PLAN } from '../../src/db/connections/preparing-client.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const TTL_MS = 2_000;

describe('a statement with a short-lived plan', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const double = (db: Db, value: unknown) =>
    sql<{ double: number }>`${sql.raw(SHORT_LIVED_PLAN)} select 2 * ${value}::integer as double`.execute(db);
  const plansOf = async (db: Db) => {
    const { rows } = await sql<{ name: string; generic: number; custom: number }>`
      select name, generic_plans as generic, custom_plans as custom from pg_prepared_statements
      where name like 'plan%' and statement like ${`${SHORT_LIVED_PLAN}%`}`.execute(db);
    return rows;
  };
  const mode = async (db: Db) => (await sql<{ plan_cache_mode: string }>`show plan_cache_mode`.execute(db)).rows[0];

  it('has one plan for all values, for two seconds, and leaves the mode of the other statements as it was', async () => {
    await api.db.connection().execute(async (db) => {
      for (const value of [1, 2, 3]) expect((await double(db, value)).rows).toEqual([{ double: 2 * value }]);
      const before = await plansOf(db);
      expect(before).toMatchObject([{ generic: 3, custom: 0 }]);
      await sleep(TTL_MS);
      await double(db, 4);
      const after = await plansOf(db);
      expect(after).toMatchObject([{ generic: 1, custom: 0 }]);
      expect(after[0]?.name).not.toBe(before[0]?.name);
      expect(await mode(db)).toEqual({ plan_cache_mode: 'auto' });
    });
  });

  it('runs again after it has failed, alone and in a transaction, also when its plan has ended meanwhile', async () => {
    await api.db.connection().execute(async (db) => {
      await expect(double(db, 'no number')).rejects.toThrow('invalid input syntax');
      expect((await double(db, 5)).rows).toEqual([{ double: 10 }]);
      const failing = inTransaction(db, async (trx) => {
        await double(trx, 6);
        await expect(sql`select 1 / 0`.execute(trx)).rejects.toThrow('division by zero');
        await sleep(TTL_MS);
        await double(trx, 7);
      });
      await expect(failing).rejects.toThrow('current transaction is aborted');
      expect((await double(db, 8)).rows).toEqual([{ double: 16 }]);
      expect(await mode(db)).toEqual({ plan_cache_mode: 'auto' });
    });
  });
});
