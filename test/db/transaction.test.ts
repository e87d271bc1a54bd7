import type { Trx } from '../../src/db/connect.ts';
import { afterCommit, inSavepoint, inTransaction } from '../../src/db/transaction.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

it('two transactions in a deadlock both succeed, each with its effect once', async () => {
  const ids = [await newTag('a'), await newTag('b')];
  let runs = 0;
  let locked = 0;
  let meet = () => {};
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const change = (first: string, second: string) =>
    inTransaction(api.db, async (trx) => {
      runs += 1;
      const append = (key: string) =>
        trx
          .updateTable('tags')
          .set((eb) => ({ tag_name: eb('tag_name', '||', '!') }))
          .where('org_id', '=', api.org.id)
          .where('tag_key', '=', key)
          .execute();
      await append(first);
      locked += 1;
      if (locked === 2) meet();
      await met;
      await append(second);
    });
  const [a, b] = ids as [string, string];
  await Promise.all([change(a, b), change(b, a)]);
  expect(runs).toBeGreaterThan(2); // both may be refused at once
  const { body } = await api.org.get('/tags');
  expect(body.map(({ tag_name }: { tag_name: string }) => tag_name)).toEqual(['a!!', 'b!!']);
});

it('nothing that an undone savepoint wanted called after the commit is called', async () => {
  const called: string[] = [];
  await inTransaction(api.db, async (trx) => {
    afterCommit(trx, () => called.push('before'));
    const undone = inSavepoint(trx, async () => {
      afterCommit(trx, () => called.push('undone'));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await inSavepoint(trx, async () => afterCommit(trx, () => called.push('kept')));
  });
  expect(called).toEqual(['before', 'kept']);
});

it('a savepoint undoes all that was written in it, also what came before an undone savepoint within it', async () => {
  await newTag('nested');
  const rename = (trx: Trx, name: string) =>
    trx.updateTable('tags').set({ tag_name: name }).where('org_id', '=', api.org.id).where('tag_key', '=', 'nested');
  await inTransaction(api.db, async (trx) => {
    const undone = inSavepoint(trx, async () => {
      await rename(trx, 'outer').execute();
      const inner = inSavepoint(trx, async () => {
        await rename(trx, 'inner').execute();
        throw new Error('inner');
      });
      await expect(inner).rejects.toThrow('inner');
      throw new Error('outer');
    });
    await expect(undone).rejects.toThrow('outer');
  });
  const { body } = await api.org.get('/tags');
  expect(body.map(({ tag_name }: { tag_name: string }) => tag_name)).toContain('nested');
});

async function newTag(name: string): Promise<string> {
  await api.org.put('/tags', { tag_name: name });
  return name;
}
