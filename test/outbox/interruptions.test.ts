import { sql } from 'kysely';
import { pino } from 'pino';
import { runCommand } from '../../src/cli/commands.ts';
import { connect } from '../../src/db/connect.ts';
import { onlyRow } from '../../src/db/rows.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { deferInterrupted, insertClaim } from '../../src/outbox/interruptions.ts';
import type { Reactions } from '../../src/outbox/reactions.ts';
import { startRelay } from '../../src/outbox/relay.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

describe('an event during which a process ended', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const withRelay = async (reactions: Reactions, during: () => Promise<void>) => {
    const relay = startRelay({
      databaseUrl: api.databaseUrl,
      db: api.db,
      commandDb: api.db,
      temporal: () => {
        throw new Error('No command is sent here');
      },
      reactions,
      log: pino({ level: 'silent' }),
    });
    try {
      await during();
    } finally {
      await relay.stop();
    }
  };
  /** Runs a command of the operator, and returns what it prints as JSON. Throws what it refuses. */
  const cli = async (...args: string[]) => {
    const { DATABASE_URL, JWT_SECRET } = api.config;
    let printed = '';
    await runCommand([...args, '--json'], {
      env: { DATABASE_URL, JWT_SECRET, SECRET_KEYS: `k:${Buffer.alloc(32).toString('base64')}` },
      print: (text) => {
        printed = text;
      },
      printError: (text) => {
        throw new Error(text);
      },
    });
    return JSON.parse(printed);
  };
  const rowsOf = (orgId: string) =>
    api.db
      .selectFrom('outbox')
      .select(['id', 'attempts', 'interruptions', 'last_error', 'available_at'])
      .where('org_id', '=', orgId)
      .where('kind', '=', 'event')
      .orderBy('id')
      .execute();
  const save = async (org: { id: string; post: TestApi['org']['post'] }) => {
    await org.post('/contacts', { contact: { email: 'ann@example.com' } });
    return (await rowsOf(org.id)).map(({ id }) => id);
  };

  it('waits longer after each time, is parked in the end, and holds up nobody else', async () => {
    const [deadly, fine] = [await api.createOrg('Deadly'), await api.createOrg('Fine')];
    const ids = await save(deadly);
    const handled: string[] = [];
    const reactions: Reactions = { 'contact-created': [async (_, orgId) => void handled.push(orgId)] };
    const delays: number[] = [];
    for (let end = 1; end <= 6; end++) {
      await api.db.updateTable('outbox').set({ available_at: new Date() }).where('org_id', '=', deadly.id).execute();
      await insertClaim(api.db, { orgId: deadly.id, ids, backend: 0 }); // as a process leaves it that ended
      await withRelay(reactions, async () => {
        const [row] = await eventually('the delay', async () => {
          const rows = await rowsOf(deadly.id);
          return rows[0]?.interruptions === end && rows;
        });
        expect(row?.last_error).toContain('process ended');
        delays.push(Number(row?.available_at) - Date.now());
      });
    }
    expect(handled).not.toContain(deadly.id);
    expect(delays.slice(0, -1)).toEqual(delays.slice(0, -1).toSorted((one, other) => one - other));
    expect(delays[0]).toBeGreaterThan(1_000);
    expect(delays.at(-1)).toBe(Number.POSITIVE_INFINITY);

    await save(fine);
    await withRelay(reactions, () =>
      eventually('the other org', () => handled.includes(fine.id)).then(() => undefined),
    );

    const [parked] = await cli('outbox', 'parked');
    expect(parked).toMatchObject({
      id: ids[0],
      org_id: deadly.id,
      type: 'contact-created',
      last_error: expect.stringContaining('process ended'),
    });
    expect(await cli('outbox', 'release', String(ids[0]))).toEqual({ event_id: String(ids[0]), released: true });
    await withRelay(reactions, () =>
      eventually('the released event', () => handled.includes(deadly.id)).then(() => undefined),
    );
    expect(await cli('outbox', 'parked')).toEqual([]);
    for (const id of [String(ids[0]), 'none'])
      await expect(cli('outbox', 'release', id)).rejects.toThrow('Parked event not found');
  });

  it('is handled after its delay', async () => {
    const org = await api.createOrg('Unlucky');
    const ids = await save(org);
    await insertClaim(api.db, { orgId: org.id, ids, backend: 0 });
    let handled = 0;
    const reactions: Reactions = { 'contact-created': [async () => void handled++] };
    await withRelay(reactions, async () => {
      await eventually('the delay', async () => (await rowsOf(org.id))[0]?.interruptions === 1);
      expect(handled).toBe(0);
      await api.db.updateTable('outbox').set({ available_at: new Date() }).where('org_id', '=', org.id).execute();
      await eventually('an empty outbox', async () => (await rowsOf(org.id)).length === 0);
    });
    expect(handled).toBe(1);
    expect(await api.db.selectFrom('outbox_claims').select('id').where('org_id', '=', org.id).execute()).toEqual([]);
  });

  it('waits shortly in a batch of several, and is parked only for what it ends alone', async () => {
    const org = await api.createOrg('Several');
    for (const name of ['deadly', 'innocent'])
      await org.post('/contacts', { contact: { email: `${name}@example.com` } });
    const ids = (await rowsOf(org.id)).map(({ id }) => id);
    const interrupted = async (ended: number[]) => {
      await insertClaim(api.db, { orgId: org.id, ids: ended, backend: 0 });
      expect(await deferred(org.id)).toBe(ended.length);
      return (await rowsOf(org.id)).map(({ available_at }) => Number(available_at) - Date.now());
    };
    for (let end = 1; end <= 7; end++)
      for (const delay of await interrupted(ids)) {
        expect(delay).toBeGreaterThan(1_000);
        expect(delay).toBeLessThan(3_000);
      }
    const delays: number[] = [];
    for (let end = 1; end <= 6; end++) delays.push((await interrupted(ids.slice(0, 1)))[0] ?? 0);
    expect(delays).toEqual(delays.toSorted((one, other) => one - other));
    expect(delays[0]).toBeLessThan(10_000);
    expect(delays.at(-1)).toBe(Number.POSITIVE_INFINITY);
    expect(await rowsOf(org.id)).toMatchObject([{ interruptions: 7 }, { interruptions: 1, attempts: 7 }]);
  });

  const claimsOf = (orgId: string) =>
    api.db.selectFrom('outbox_claims').select('id').where('org_id', '=', orgId).execute();
  const deferred = (orgId: string) => inTransaction(api.db, (trx) => deferInterrupted(trx, orgId));

  it('is told from one whose batch has just failed in any process, which still deletes the claim', async () => {
    const org = await api.createOrg('Failed');
    const ids = await save(org);
    const relay = connect(api.databaseUrl, { poolSize: 1 });
    const backend = onlyRow(await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(relay.db)).pid;
    await insertClaim(api.db, { orgId: org.id, ids, backend });
    expect(await deferred(org.id)).toBe(0);
    expect(await claimsOf(org.id)).toHaveLength(1);
    await relay.close();
    await eventually('the end of the connection', async () => (await deferred(org.id)) === 1);
    expect(await claimsOf(org.id)).toEqual([]);
  });

  it('is not told by a claim from before a restart of Postgres, which may have been the reason', async () => {
    const org = await api.createOrg('Restarted');
    const ids = await save(org);
    await insertClaim(api.db, { orgId: org.id, ids, backend: 0 });
    await sql`update outbox_claims set server_started_at = now() - interval '1 year' where org_id = ${org.id}`.execute(
      api.db,
    );
    expect(await deferred(org.id)).toBe(0);
    expect(await claimsOf(org.id)).toEqual([]);
  });

  it('leaves no claim behind when its transaction is repeated, or finds that another relay has done it', async () => {
    const org = await api.createOrg('Deadlocked');
    await save(org);
    let times = 0;
    const reactions: Reactions = {
      'contact-created': [
        async (trx, orgId) => {
          if (orgId !== org.id) return;
          times++;
          if (times === 1)
            await sql`do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$`.execute(trx);
        },
      ],
    };
    await withRelay(reactions, () =>
      eventually('an empty outbox', async () => (await rowsOf(org.id)).length === 0).then(() => undefined),
    );
    expect(times).toBe(2);
    expect(await claimsOf(org.id)).toEqual([]);
  });
});
