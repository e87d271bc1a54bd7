import { sql } from 'kysely';
import { type Listener, listen } from '../../src/db/listen.ts';
import { inTransaction, notifyAfterCommit } from '../../src/db/transaction.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

const CHANNEL = 'heard';

describe('what a transaction tells others', () => {
  let api: TestApi;
  let listener: Listener;
  let heard: string[] = [];
  beforeAll(async () => {
    api = await startApi();
    listener = listen(api.databaseUrl, CHANNEL, (payload) => heard.push(...payload.split(' ')));
    await eventually('what was told', () => heard.length > 0);
  });
  beforeEach(() => {
    heard = [];
  });
  afterAll(async () => {
    await listener.close();
    await api.close();
  });

  const tell = (hint: string, work = 'select 1') =>
    inTransaction(api.db, async (trx) => {
      notifyAfterCommit(trx, CHANNEL, hint);
      await sql.raw(work).execute(trx);
    });

  it('is heard once it has committed, also if many do at once', async () => {
    const hints = Array.from({ length: 200 }, (_, nth) => `hint-${nth}`);
    await Promise.all(hints.map((hint) => tell(hint)));
    await eventually('what was told', () => heard.length >= hints.length);
    expect(heard.toSorted()).toEqual(hints.toSorted());
  });

  it('is not heard if it has failed', async () => {
    await expect(tell('failed', 'select 1 / 0')).rejects.toThrow('division by zero');
    await tell('committed');
    await eventually('what was told', () => heard.length > 0);
    expect(heard).toEqual(['committed']);
  });

  it('does not break what its connection does next, if the notification fails', async () => {
    await tell('x'.repeat(9_000));
    await tell('next');
    await eventually('what was told', () => heard.includes('next'));
    expect(heard).toEqual(['', 'next']);
  });

  it('can be given up before the connection is made', async () => {
    await listen(api.databaseUrl, CHANNEL, () => undefined).close();
  }, 20_000);
});
