import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
      await insertClaim(api.db, deadly.id, ids, new Set()); // as a process leaves it that ended
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
  });

  it('is handled after its delay', async () => {
    const org = await api.createOrg('Unlucky');
    const ids = await save(org);
    await insertClaim(api.db, org.id, ids, new Set());
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

  it('is told from one whose batch has just failed in this process, which still deletes the claim', async () => {
    const org = await api.createOrg('Failed');
    const ids = await save(org);
    const claims = new Set<number>();
    await insertClaim(api.db, org.id, ids, claims);
    const deferred = (own: Set<number>) => inTransaction(api.db, (trx) => deferInterrupted(trx, org.id, ids, own));
    expect(await deferred(claims)).toBe(0);
    expect(await deferred(new Set())).toBe(1);
  });
});
