import { setTimeout } from 'node:timers/promises';
import { updateSession } from '../../src/conversations/queries.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

let api: TestApi;
let gold: string;
let silver: string;
let team: string;
const query = 'from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z';

const policyOf = async (org: TestOrg, name: string) =>
  (await org.post('/sla/policies', { name, resolution_target_seconds: 86_400 })).body.id;

/**
 * Creates a session with one decided clock. `stoppedAfter` is in seconds; null for a clock still running past its
 * target.
 */
async function decided(
  org: TestOrg,
  policy_id: string,
  decided_at: string,
  stoppedAfter: number | null,
  { outcome = 'met', channel = 'web', metric = 'first_reply', of }: Decided = {},
): Promise<void> {
  const opened = await org.post('/chat/sessions', { channel: { type: channel } });
  expect([opened.status, opened.body.message]).toEqual([201, undefined]);
  const { id } = opened.body;
  if (of !== undefined) await org.post(`/chat/sessions/${id}/assign`, { team_id: of });
  await insertDecided(org, id, policy_id, { decided_at, stoppedAfter, outcome, metric });
}

async function insertDecided(
  org: TestOrg,
  session_id: string,
  policy_id: string,
  { decided_at, stoppedAfter, outcome = 'met', metric = 'first_reply' }: DecidedAt,
): Promise<void> {
  await api.db
    .insertInto('sla_clocks')
    .values({
      org_id: org.id,
      session_id,
      metric,
      cycle: 1,
      policy_id,
      target_seconds: 60,
      elapsed_seconds: stoppedAfter ?? 0,
      changes_told: 1,
      warned_at: null,
      breached_at: null,
      stopped_at: stoppedAfter === null ? null : new Date(decided_at),
      outcome,
      decided_at: new Date(decided_at),
    })
    .execute();
}
interface DecidedAt extends Decided {
  decided_at: string;
  stoppedAfter: number | null;
}
interface Decided {
  outcome?: 'met' | 'breached';
  channel?: string;
  metric?: 'first_reply' | 'next_reply' | 'resolution';
  of?: string;
}

beforeAll(async () => {
  api = await startApi();
  const { org, other } = api;
  [gold, silver] = [await policyOf(org, 'Gold'), await policyOf(org, 'Silver')];
  team = (await org.post('/teams', { name: 'Billing' })).body.id;
  await decided(org, gold, '2026-03-02T10:00:00Z', 10, { of: team });
  await decided(org, gold, '2026-03-02T11:00:00Z', 20, { of: team });
  await decided(org, gold, '2026-03-02T23:30:00Z', 40, { channel: 'sms' });
  await decided(org, gold, '2026-03-09T10:00:00Z', 100, { outcome: 'breached' });
  await decided(org, silver, '2026-03-09T10:00:00Z', null, { outcome: 'breached' });
  await decided(org, silver, '2026-03-20T10:00:00Z', 600, { metric: 'resolution' });
  await decided(org, gold, '2026-02-28T23:59:59Z', 5);
  await decided(org, gold, '2026-04-01T00:00:00Z', 5);
  await decided(other, await policyOf(other, 'Theirs'), '2026-03-02T10:00:00Z', 7);
});
afterAll(() => api.close());

const first = (metrics: { met: number; breached: number }[]) => [metrics[0]?.met, metrics[0]?.breached];
const get = async (path: string) => (await api.org.get(`/sla/analytics${path}`)).body;

describe('SLA analytics', () => {
  it('count the clocks decided in the range, with percentiles of stopped ones', async () => {
    expect(await get(`?${query}`)).toEqual({
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-04-01T00:00:00.000Z',
      metrics: [
        {
          metric: 'first_reply',
          met: 3,
          breached: 2,
          compliance: 0.6,
          p50_seconds: 30,
          p90_seconds: expect.closeTo(82),
          p95_seconds: expect.closeTo(91),
        },
        {
          metric: 'next_reply',
          met: 0,
          breached: 0,
          compliance: null,
          p50_seconds: null,
          p90_seconds: null,
          p95_seconds: null,
        },
        {
          metric: 'resolution',
          met: 1,
          breached: 0,
          compliance: 1,
          p50_seconds: 600,
          p90_seconds: 600,
          p95_seconds: 600,
        },
      ],
    });
    expect(first((await get(`?${query}&policy_id=${gold}&channel=web`)).metrics)).toEqual([2, 1]);
    expect(first((await get(`?${query}&team_id=${team}`)).metrics)).toEqual([2, 0]);
    expect(first((await get(`?${query}&policy_id=${newId()}`)).metrics)).toEqual([0, 0]);
  });

  it('show the trend by day, week and month in the org’s time zone', async () => {
    const course = async (granularity: string) =>
      (await get(`/trend?${query}&granularity=${granularity}`)).items.map(
        ({ period_start, metrics }: { period_start: string; metrics: [] }) => [period_start, ...first(metrics)],
      );
    expect(await course('day')).toEqual([
      ['2026-03-02T00:00:00.000Z', 3, 0],
      ['2026-03-09T00:00:00.000Z', 0, 2],
      ['2026-03-20T00:00:00.000Z', 0, 0],
    ]);
    await api.org.patch('/org/settings', { timezone: 'Europe/Berlin' });
    expect((await course('day')).slice(0, 2)).toEqual([
      ['2026-03-01T23:00:00.000Z', 2, 0],
      ['2026-03-02T23:00:00.000Z', 1, 0],
    ]);
    expect(await course('week')).toHaveLength(3);
    expect(await course('month')).toEqual([['2026-02-28T23:00:00.000Z', 3, 2]]);
  });

  it('break down by policy, team, channel and assignee', async () => {
    const by = async (group: string) =>
      (await get(`/breakdown?${query}&group_by=${group}`)).items.map(
        ({ key, name, metrics }: { key: string; name: string; metrics: [] }) => [key, name, ...first(metrics)],
      );
    expect(await by('policy')).toEqual([
      [gold, 'Gold', 3, 1],
      [silver, 'Silver', 0, 1],
    ]);
    expect(await by('team')).toEqual([
      [team, 'Billing', 2, 0],
      [null, null, 1, 2],
    ]);
    expect(await by('channel')).toEqual([
      ['sms', 'sms', 1, 0],
      ['web', 'web', 2, 2],
    ]);
    expect(await by('assignee')).toEqual([[null, null, 3, 2]]);
  });

  it('count a clock for the team and the assignee that its session has now', async () => {
    const org = await api.createOrg();
    const policy = await policyOf(org, 'Gold');
    const teams: string[] = [];
    for (const name of ['First', 'Second']) teams.push((await org.post('/teams', { name })).body.id);
    const [before = '', after = ''] = teams;
    await decided(org, policy, '2026-03-02T10:00:00Z', 10, { of: before });
    await decided(org, policy, '2026-03-02T10:00:00Z', 20, { of: before });
    const of = async (narrower: string) =>
      first((await org.get(`/sla/analytics?${query}&${narrower}`)).body.metrics)[0];
    expect(await of(`team_id=${before}`)).toBe(2);
    const [moved] = (await org.get('/chat/sessions?limit=1')).body.items;
    await org.post(`/chat/sessions/${moved.id}/assign`, { team_id: after });
    expect([await of(`team_id=${before}`), await of(`team_id=${after}`)]).toEqual([1, 1]);
    expect([await of(`team_id=${after}&channel=web`), await of(`team_id=${after}&channel=sms`)]).toEqual([1, 0]);
  });

  it('count a clock that is written while its session moves to another team for that team', async () => {
    const org = await api.createOrg();
    const policy = await policyOf(org, 'Gold');
    const moved = (await org.post('/teams', { name: 'Moved' })).body.id;
    const { id } = (await org.post('/chat/sessions', { channel: { type: 'web' } })).body;
    const written = await inTransaction(api.db, async (trx) => {
      await updateSession(trx, org.id, id, { team_id: moved });
      const insertion = insertDecided(org, id, policy, { decided_at: '2026-03-02T10:00:00Z', stoppedAfter: 10 });
      await setTimeout(200);
      return { insertion };
    });
    await written.insertion;
    expect(first((await org.get(`/sla/analytics?${query}&team_id=${moved}`)).body.metrics)).toEqual([1, 0]);
  });

  it('refuse invalid queries, and count no clocks of other orgs', async () => {
    for (const path of [
      '?from=2026-03-02',
      '/trend?granularity=hour',
      '/breakdown',
      '/breakdown?group_by=tag',
      '?policy_id=x',
    ]) {
      expect([path, (await api.org.get(`/sla/analytics${path}`)).status]).toEqual([path, 400]);
    }
    const backwards = await api.org.get('/sla/analytics?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z');
    expect(backwards.status).toBe(400);
    expect(first((await api.other.get(`/sla/analytics?${query}`)).body.metrics)).toEqual([1, 0]);
  });

  it('keep the outcomes decided under a deleted policy', async () => {
    await api.org.delete(`/sla/policies/${silver}`);
    expect(first((await get(`?${query}`)).metrics)).toEqual([3, 2]);
    const { items } = await get(`/breakdown?${query}&group_by=policy`);
    expect(items.at(-1)).toMatchObject({ key: null, name: null });
  });
});
