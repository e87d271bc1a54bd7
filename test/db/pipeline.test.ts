import { sql } from 'kysely';
import { pipelined, sendAhead, sendWithCommit } from '../../src/db/connections/pipeline.ts';
import { inSavepoint, inTransaction } from '../../src/db/transaction.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

describe('statements that do not wait for one another', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const tagsNow = async () => {
    const rows = await api.db.selectFrom('tags').select('tag_name').where('org_id', '=', api.org.id).execute();
    return rows.map(({ tag_name }) => tag_name);
  };
  const rename = (name: string) => sql<{ tag_name: string }>`
    update tags set tag_name = ${name} where org_id = ${api.org.id} and tag_key = 'one' returning tag_name`;

  it('run in the transaction, in their order, and each gets its own answer', async () => {
    const answers = await inTransaction(api.db, async (trx) => {
      await sql`create temporary table counted (n integer) on commit drop`.execute(trx);
      const together = await pipelined(trx);
      const counts = Array.from({ length: 50 }, async (_, n) => {
        const { rows } = await sql<{ n: number; earlier: number }>`
          with inserted as (insert into counted values (${n}::integer) returning n)
          select n, (select count(*) from counted) as earlier from inserted`.execute(together);
        return rows[0];
      });
      return Promise.all(counts);
    });
    expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => ({ n, earlier: n })));
  });

  it('undo the transaction if one of them fails, even if nobody asks for its answer', async () => {
    await api.org.put('/tags', { tag_name: 'one' });
    const failing = inTransaction(api.db, async (trx) => {
      await rename('renamed').execute(trx);
      await sendWithCommit(trx, sql`select 1 / 0 as row`);
    });
    await expect(failing).rejects.toThrow('division by zero');
    expect(await tagsNow()).toEqual(['one']);
  });

  it('are committed with the last one, whose answer comes with the commit', async () => {
    const { row } = await inTransaction(api.db, (trx) => sendWithCommit(trx, rename('one more')));
    expect([await row, await tagsNow()]).toEqual([{ tag_name: 'one more' }, ['one more']]);
  });

  it('undo the savepoint if one of them fails in it, with the error of the first', async () => {
    const renamed = await inTransaction(api.db, async (trx) => {
      const failing = inSavepoint(trx, async () => {
        await sendAhead(trx, sql`select 1 / 0 as row`);
        await rename('undone').execute(trx);
      });
      await expect(failing).rejects.toThrow('division by zero');
      const { rows } = await sendAhead(trx, rename('after it'));
      return rows;
    });
    expect([renamed, await tagsNow()]).toEqual([[{ tag_name: 'after it' }], ['after it']]);
    await inTransaction(api.db, (trx) => rename('one more').execute(trx));
  });

  it('take another connection once the server has ended one', async () => {
    const { pid } = await inTransaction(api.db, async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      return rows[0] ?? { pid: 0 };
    });
    await sql`select pg_terminate_backend(${pid}::integer) from pg_stat_activity where pid = ${pid} and pid <> pg_backend_pid()`.execute(
      api.db,
    );
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => inTransaction(api.db, (trx) => sql`select 1`.execute(trx))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(15);
    expect(await tagsNow()).toEqual(['one more']);
  });
});
