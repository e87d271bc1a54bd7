import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const MAX_PLAN_AGE_MS = 10_000;
const MANY = 3_000;
const CHECKS = 10;

describe('the age of a plan', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
    await sql`
      create table parents (org integer, id integer, status integer, note integer, filler char(400) default '', primary key (org, id));
      create index parents_by_status on parents (org, status, note);
      alter table parents set (autovacuum_enabled = off);
      create table children (org integer, parent integer, foreign key (org, parent) references parents)`.execute(
      api.db,
    );
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => api.close());

  const add = (db: Db, from: number, to: number) =>
    sql`insert into parents select 1, id, 1, 1 from generate_series(${from}::integer, ${to}::integer) as id`.execute(
      db,
    );
  /** Returns the rows of parents that checks of the foreign key have read. */
  const readByChecks = (db: Db, parent: number) =>
    inTransaction(db, async (trx) => {
      const read = async () => {
        const { rows } = await sql<{ read: number }>`
          select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables where relname = 'parents'`.execute(
          trx,
        );
        return rows[0]?.read ?? 0;
      };
      const before = await read();
      for (let check = 0; check < CHECKS; check++) await sql`insert into children values (1, ${parent})`.execute(trx);
      return (await read()) - before;
    });

  it('is ten seconds at most: what was planned for few rows is planned again for many', async () => {
    const now = performance.now.bind(performance);
    await api.db.connection().execute(async (db) => {
      await add(db, 1, 1);
      await readByChecks(db, 1);
      await add(db, 2, MANY);
      expect(await readByChecks(db, MANY)).toBeGreaterThan(MANY);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + MAX_PLAN_AGE_MS);
      expect(await readByChecks(db, MANY)).toBeLessThan(10 * CHECKS);
    });
  });
});
