import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { REPORT } from '../../src/db/connections/preparing-client.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

describe('a report', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const memoryOf = async (db: Db, beginning: string, divisor = 1) => {
    const { rows } = await sql<{ memory: string }>`
      ${sql.raw(beginning)} select current_setting('work_mem') as memory, 1 / ${divisor}::integer as one`.execute(db);
    return rows[0]?.memory;
  };

  it('has more memory than other statements, also where one before it has failed', async () => {
    await api.db.connection().execute(async (db) => {
      expect(await memoryOf(db, REPORT)).toBe('32MB');
      await expect(memoryOf(db, REPORT, 0)).rejects.toThrow('division by zero');
      expect(await memoryOf(db, '')).toBe('4MB');
    });
  });

  it('leaves the memory as it is where the server gives more', async () => {
    await api.db.connection().execute(async (db) => {
      await sql`set work_mem = '64MB'`.execute(db);
      expect(await memoryOf(db, REPORT)).toBe('64MB');
    });
  });
});
