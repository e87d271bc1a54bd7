import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendAhead } from '../../src/db/pipeline.ts';
import { inSavepoint, inTransaction, whileCommitting } from '../../src/db/transaction.ts';
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

it('what is done while a transaction commits learns whether it did', async () => {
  const ends: boolean[] = [];
  const note = (ended: Promise<boolean>) => void ended.then((isCommitted) => ends.push(isCommitted));
  await inTransaction(api.db, async (trx) => whileCommitting(trx, note));
  const failing = inTransaction(api.db, async (trx) => {
    await sendAhead(trx, sql`select 1 / 0`);
    whileCommitting(trx, note);
  });
  await expect(failing).rejects.toThrow('division by zero');
  await Promise.resolve();
  expect(ends).toEqual([true, false]);
});

it('nothing that an undone savepoint wanted to do while its transaction commits is done', async () => {
  const called: string[] = [];
  await inTransaction(api.db, async (trx) => {
    whileCommitting(trx, () => called.push('before'));
    const undone = inSavepoint(trx, async () => {
      whileCommitting(trx, () => called.push('undone'));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    whileCommitting(trx, () => called.push('after'));
  });
  expect(called).toEqual(['before', 'after']);
});

async function newTag(name: string): Promise<string> {
  await api.org.put('/tags', { tag_name: name });
  return name;
}
