import { sql } from 'kysely';
import { connect, type Db } from '../../src/db/connect.ts';
import { onlyRow } from '../../src/db/rows.ts';
import { NIL_UUID, newId } from '../../src/ids.ts';
import { type ClaimedCommand, claimCommands, deleteClaimed } from '../../src/outbox/claim.ts';
import { renewLeases } from '../../src/outbox/leases.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const LIMIT = 200;

describe('a batch of commands', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(() => sql`truncate outbox`.execute(api.db));

  /** Adds commands of an org, spread over workflows. */
  const add = (orgId: string, commands: number, workflows = commands) =>
    sql`
      insert into outbox (org_id, kind, type, subject_id, workflow_id, task_queue, signal, payload)
      select ${orgId}::uuid, 'signal', 'look', ${orgId}::uuid, ${`look/${orgId}/`} || n % ${workflows}::int, 'bulk', 'wake', '{}'
      from generate_series(1, ${commands}::int) n
    `.execute(api.db);
  const defer = (orgId: string) =>
    sql`update outbox set is_deferrable = true where org_id = ${orgId}::uuid`.execute(api.db);
  const claim = (behind = NIL_UUID as string) =>
    api.db.transaction().execute(async (trx) => {
      const claimed = await claimCommands(trx, LIMIT, behind);
      await deleteClaimed(
        trx,
        claimed.commands.map(({ id }) => id),
      );
      return claimed;
    });
  const countBy = (commands: ClaimedCommand[]) =>
    new Map([...Map.groupBy(commands, ({ org_id }) => org_id)].map(([orgId, own]) => [orgId, own.length]));
  const newOrgs = (count: number) => Array.from({ length: count }, newId).sort();

  it('includes commands of every org, regardless of their order and number', async () => {
    const [loud = '', quiet = '', other = ''] = newOrgs(3);
    await add(loud, 10_000);
    await add(quiet, 3);
    await add(other, 500);
    const { commands } = await claim();
    expect(countBy(commands).get(quiet)).toBe(3);
    expect(countBy(commands).get(other)).toBe(25);
    expect(countBy(commands).get(loud)).toBe(25);
  });

  it('is short even if only one org has any: an org whose command arrives next does not wait for long', async () => {
    const [orgId = ''] = newOrgs(1);
    await add(orgId, 1_000);
    const { rows } = await sql<{ id: number }>`select id from outbox order by id limit 25`.execute(api.db);
    const { commands } = await claim();
    expect(commands.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  });

  it('serves orgs in turn if there are more than it can include', async () => {
    const orgs = newOrgs(180);
    for (const orgId of orgs) await add(orgId, 10);
    const served = new Set<string>();
    let behind: string = NIL_UUID;
    for (let batch = 0; batch < 4; batch++) {
      const { commands, last } = await claim(behind);
      for (const { org_id } of commands) served.add(org_id);
      behind = last;
    }
    expect(orgs.filter((orgId) => !served.has(orgId))).toEqual([]);
  });

  it('gives other orgs their share despite thousands of repeated commands of one workflow', async () => {
    const [loud = '', quiet = ''] = newOrgs(2);
    await add(loud, 5_000, 1);
    await add(quiet, 3);
    const { commands } = await claim();
    expect(countBy(commands).get(quiet)).toBe(3);
    expect(countBy(commands).get(loud)).toBeGreaterThan(200);
  });

  it('leaves a workflow’s commands to the relay with the lock on the oldest one, in order', async () => {
    const [orgId = ''] = newOrgs(1);
    await add(orgId, 600, 100);
    const second = connect(api.databaseUrl, { poolSize: 1 });
    try {
      await api.db.transaction().execute(async (one) => {
        const { commands: first } = await claimCommands(one, 50, NIL_UUID);
        const others = await second.db.transaction().execute((two) => claimCommands(two, LIMIT, NIL_UUID));
        const ofFirst = new Set(first.map(({ workflow_id }) => workflow_id));
        expect(ofFirst.size).toBe(25);
        expect(others.commands.length).toBeGreaterThan(0);
        expect(others.commands.filter(({ workflow_id }) => ofFirst.has(workflow_id))).toEqual([]);
        for (const own of Map.groupBy(first, ({ workflow_id }) => workflow_id).values()) {
          const ids = own.map(({ id }) => id);
          const { rows } = await sql<{ id: number }>`
            select id from outbox where workflow_id = ${own[0]?.workflow_id as string} order by id limit ${ids.length}`.execute(
            one,
          );
          expect(ids).toEqual(rows.map(({ id }) => id));
        }
      });
    } finally {
      await second.close();
    }
  });

  it('has one deferrable command of an org, beside all others that are due', async () => {
    const [orgId = ''] = newOrgs(1);
    await add(orgId, 1_000);
    await defer(orgId);
    await add(orgId, 3, 1);
    const { commands } = await claim();
    expect(countBy(commands).get(orgId)).toBe(5);
    expect(new Set(commands.map(({ workflow_id }) => workflow_id)).size).toBe(2);
  });

  it('leaves the deferrable commands of an org to the relay that sends one of them', async () => {
    const [orgId = ''] = newOrgs(1);
    await add(orgId, 3);
    await defer(orgId);
    const second = connect(api.databaseUrl, { poolSize: 1 });
    try {
      await api.db.transaction().execute(async (one) => {
        expect((await claimCommands(one, LIMIT, NIL_UUID)).commands).toHaveLength(1);
        const others = await second.db.transaction().execute((two) => claimCommands(two, LIMIT, NIL_UUID));
        expect(others.commands).toEqual([]);
      });
    } finally {
      await second.close();
    }
  });

  it('has a deferrable command with the next other one of its workflow, before it', async () => {
    const [orgId = ''] = newOrgs(1);
    await add(orgId, 10);
    await defer(orgId);
    await sql`
      insert into outbox (org_id, kind, type, subject_id, workflow_id, task_queue, signal, payload)
      select org_id, kind, type, subject_id, workflow_id, task_queue, signal, payload from outbox order by id desc limit 1
    `.execute(api.db);
    const { commands } = await claim();
    expect(commands.map(({ workflow_id }) => workflow_id).slice(1)).toEqual([`look/${orgId}/0`, `look/${orgId}/0`]);
    expect(commands).toHaveLength(3);
  });

  it('leaves out deferred commands and all later ones of the same workflow', async () => {
    const [orgId = ''] = newOrgs(1);
    await add(orgId, 4, 2);
    await sql`update outbox set available_at = now() + interval '1 minute' where id = (select min(id) from outbox)`.execute(
      api.db,
    );
    const { commands } = await claim();
    expect(new Set(commands.map(({ workflow_id }) => workflow_id))).toEqual(new Set([`look/${orgId}/0`]));
    expect(commands).toHaveLength(2);
  });

  it('is leased without a change of any index: renewals leave no dead entries behind', async () => {
    const [orgId = ''] = newOrgs(1);
    await add(orgId, 3);
    await sql`update outbox set kind = 'start', signal = null`.execute(api.db);
    const names = [0, 1, 2].map((n) => `look/${orgId}/${n}`);
    const countUpdates = async (trx: Db) =>
      onlyRow(
        await sql<{ all: number; hot: number }>`
          select n_tup_upd::integer as all, n_tup_hot_upd::integer as hot from pg_stat_xact_user_tables where relname = 'outbox'
        `.execute(trx),
      );
    const updates = await api.db.transaction().execute(async (trx) => {
      const before = await countUpdates(trx);
      await renewLeases(trx, names);
      const after = await countUpdates(trx);
      return { all: after.all - before.all, hot: after.hot - before.hot };
    });
    expect(updates).toEqual({ all: 3, hot: 3 });
  });
});
