import { sql } from 'kysely';
import { newId } from '../../src/ids.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
  await api.org.patch('/org/settings', { csat: true, timezone: 'America/New_York' });
});
afterAll(() => api.close());

const RANGE = 'from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z';
const report = async (subject: string, query = '') =>
  (await api.org.get(`/analytics/${subject}?${RANGE}${query && `&${query}`}`)).body;
const csvOf = async (path: string) => {
  const { body, headers } = await api.org.get(path, { headers: { accept: 'text/csv' } });
  return { type: headers.get('content-type'), vary: headers.get('vary'), lines: (body as string).split('\r\n') };
};

async function scored(score: number, at: string, { comment = '', channel = 'web', team = '' } = {}): Promise<string> {
  const { id } = (await api.org.post('/chat/sessions', { channel: { type: channel } })).body;
  if (team !== '') await api.org.post(`/chat/sessions/${id}/assign`, { assignee_id: null, team_id: team });
  await api.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
  const given = await api.org.post('/csat/scores', { session_id: id, score, comment: comment || undefined });
  await sql`update csat_scores set created_at = ${at} where id = ${given.body.id}`.execute(api.db);
  return id;
}

describe('CSAT', () => {
  let team: string;
  beforeAll(async () => {
    team = (await api.org.post('/teams', { name: '=Sales' })).body.id;
    await scored(5, '2026-03-02T10:00:00Z', { comment: 'Quick, "kind"', team });
    await scored(4, '2026-03-03T03:00:00Z', { comment: '=1+1', channel: 'sms' });
    await scored(1, '2026-03-03T12:00:00Z', { team });
    await scored(3, '2026-02-28T23:59:59Z');
    await scored(2, '2026-04-01T00:00:00Z');
  });

  it('is averaged and counted by score, in days of the org’s time zone', async () => {
    const { items, totals } = await report('csat');
    expect(totals).toEqual({
      scores: 3,
      average: expect.closeTo(10 / 3),
      satisfied: expect.closeTo(2 / 3),
      score_1: 1,
      score_2: 0,
      score_3: 0,
      score_4: 1,
      score_5: 1,
    });
    expect(items.map(({ key, scores }: { key: string; scores: number }) => [key, scores])).toEqual([
      ['2026-03-02', 2],
      ['2026-03-03', 1],
    ]);
  });

  it('is grouped by team with its name, and by channel', async () => {
    expect((await report('csat', 'group_by=team')).items).toMatchObject([
      { key: team, name: '=Sales', scores: 2 },
      { key: null, name: null, scores: 1 },
    ]);
    expect((await report('csat', 'group_by=channel&channel=sms')).items).toMatchObject([{ key: 'sms', scores: 1 }]);
  });

  it('is listed in pages, oldest first', async () => {
    const first = (await api.org.get(`/csat/scores?${RANGE}&limit=2`)).body;
    const second = (await api.org.get(`/csat/scores?${RANGE}&limit=2&cursor=${first.next}`)).body;
    const scores = [...first.items, ...second.items].map(({ score }: { score: number }) => score);
    expect([scores, second.next]).toEqual([[5, 4, 1], null]);
    const newest = (await api.org.get(`/csat/scores?${RANGE}&order=newest`)).body.items;
    expect(newest).toEqual([...first.items, ...second.items].toReversed());
    expect((await api.org.get(`/csat/scores?${RANGE}&team_id=${team}`)).body.items).toHaveLength(2);
    expect((await api.other.get(`/csat/scores?${RANGE}`)).body.items).toEqual([]);
  });

  it('is exported whole as CSV, and no text of it runs as a formula', async () => {
    const { type, vary, lines } = await csvOf(`/csat/scores?${RANGE}&limit=1`);
    expect(type).toContain('text/csv');
    expect(vary?.toLowerCase()).toContain('accept');
    expect(lines[0]).toBe('id,session_id,score,comment,channel,created_at');
    expect(lines[1]).toContain(',5,"Quick, ""kind""",web,2026-03-02T10:00:00.000Z');
    expect(lines[2]).toContain(",4,'=1+1,sms,");
    expect(lines.filter((line) => line !== '')).toHaveLength(4);
  });
});

async function insertDelivery(status: string, at: string, { channel = 'email', org = api.org } = {}): Promise<void> {
  await sql`insert into deliveries (org_id, id, channel, "to", status, created_at, updated_at)
    values (${org.id}, ${newId()}, ${channel}, 'ann@example.com', ${status}, ${at}, ${at})`.execute(api.db);
}

describe('deliveries', () => {
  it('are counted by their status', async () => {
    const at = '2026-03-10T12:00:00Z';
    for (const status of ['delivered', 'delivered', 'read', 'bounced', 'failed', 'held', 'skipped', 'unknown'])
      await insertDelivery(status, at);
    await insertDelivery('sent', '2026-03-11T12:00:00Z', { channel: 'sms' });
    await insertDelivery('sent', '2026-04-01T00:00:00Z', { channel: 'sms' });
    const { items, totals } = await report('deliveries', 'group_by=channel');
    expect(totals).toMatchObject({ deliveries: 9, handed_over: 5, delivered: 3, delivery_rate: 0.6, bounce_rate: 0.2 });
    expect(totals).toMatchObject({
      waiting: 1,
      failed: 1,
      skipped: 1,
      unknown: 1,
      canceled: 0,
      suppressed: 0,
      read: 1,
    });
    expect(items.map(({ key, deliveries }: { key: string; deliveries: number }) => [key, deliveries])).toEqual([
      ['email', 8],
      ['sms', 1],
    ]);
    expect((await report('deliveries', 'group_by=day')).items).toHaveLength(2);
  });

  // In these zones the clocks change at midnight, at 2 or 3 o'clock, by half an hour, or never.
  it.each(['America/Havana', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu'])(
    'are counted by the days of %s, also where clocks change',
    async (timezone) => {
      const org = await api.createOrg();
      await org.patch('/org/settings', { timezone });
      const changes = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01'];
      const times = changes.flatMap((day) =>
        Array.from({ length: 72 }, (_, nth) => new Date(Date.parse(day) + (nth - 24) * 30 * 60_000)),
      );
      for (const at of times) await insertDelivery('sent', at.toISOString(), { org });
      const dayOf = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone });
      const [first, last] = [times[3], times.at(-5)];
      const range = `from=${first?.toISOString()}&to=${last?.toISOString()}`;
      const inRange = times.filter((at) => first !== undefined && last !== undefined && at >= first && at < last);
      const { items, totals } = (await org.get(`/analytics/deliveries?${range}&group_by=day`)).body;
      const counted = items.map(({ key, deliveries }: { key: string; deliveries: number }) => [key, deliveries]);
      expect(counted).toEqual([...Map.groupBy(inRange, (at) => dayOf.format(at))].map(([key, of]) => [key, of.length]));
      expect(totals.deliveries).toBe(inRange.length);
      const byMonth = (await org.get(`/analytics/deliveries?${range}&group_by=month`)).body.items;
      expect(byMonth.map(({ key, deliveries }: { key: string; deliveries: number }) => [key, deliveries])).toEqual(
        [...Map.groupBy(inRange, (at) => `${dayOf.format(at).slice(0, 7)}-01`)].map(([key, of]) => [key, of.length]),
      );
    },
  );
});

describe('workflows', () => {
  it('are counted by the outcomes and durations of their runs, without test runs', async () => {
    const blocks = [{ $kind: 'Action', id: 'a', type: 'search-knowledge', name: 'A', input: { query: 'refund' } }];
    const { body } = await api.org.post('/workflows', {
      name: 'Refunds',
      trigger_type: 'manual-trigger',
      workflow_blocks: blocks,
    });
    const workflow = body.workflow_id;
    const insertRun = (status: string, seconds: number | null, isTest = false) =>
      sql`insert into automation_runs (org_id, id, automation_id, version_id, status, trigger_cause, trigger_key, trigger_output,
          is_test_run, created_at, run_started_at, run_ended_at)
        select ${api.org.id}, ${newId()}, automation_id, id, ${status}, 'manual', ${newId()}, '{}', ${isTest}, '2026-03-05T12:00:00Z',
          '2026-03-05T12:00:00Z', timestamptz '2026-03-05T12:00:00Z' + make_interval(secs => ${seconds}::float8)
        from automation_versions where org_id = ${api.org.id} and automation_id = ${workflow}`.execute(api.db);
    for (const seconds of [1, 2, 3]) await insertRun('completed', seconds);
    await insertRun('failed', 10);
    await insertRun('in_progress', null);
    await insertRun('completed', 100, true);
    const { items } = await report('automations', 'group_by=workflow');
    expect(items).toEqual([
      {
        key: workflow,
        name: 'Refunds',
        runs: 5,
        waiting: 1,
        completed: 3,
        failed: 1,
        canceled: 0,
        failure_rate: 0.25,
        duration_p50_seconds: 2.5,
        duration_p90_seconds: expect.closeTo(7.9),
      },
    ]);
  });
});

describe('the AI', () => {
  const HOUR_MS = 3_600_000;
  const AT = Date.parse('2026-03-20T12:00:00Z');
  let contact: string;

  async function insertSession({
    ai = 0,
    agent = 0,
    handedOff = false,
    resolved = false,
    back = 0,
    later = 0,
  }): Promise<string> {
    const { id } = (await api.org.post('/chat/sessions', { contact_id: contact })).body;
    const at = new Date(AT);
    await sql`update sessions set created_at = ${at}, contact_messages = 1, ai_messages = ${ai}, agent_messages = ${agent},
      first_handoff_at = ${handedOff ? at : null} where id = ${id}`.execute(api.db);
    const insertEvent = (seq: number, type: string, sender: string | null, time: Date) =>
      sql`insert into session_events (org_id, session_id, seq, id, type, sender, created_at)
        values (${api.org.id}, ${id}, ${seq}, ${newId()}, ${type}, ${sender}, ${time})`.execute(api.db);
    if (resolved) await insertEvent(101, 'ai_resolved_issue', null, new Date(AT + HOUR_MS));
    if (back === 0) return id;
    await insertEvent(102, 'message', 'contact', new Date(AT + HOUR_MS + back * HOUR_MS));
    const lastAt = new Date(AT + HOUR_MS + (back + later) * HOUR_MS);
    if (later > 0) await insertEvent(103, 'message', 'human_agent', lastAt);
    await sql`update sessions set last_contact_seq = 102, last_message_at = ${lastAt} where id = ${id}`.execute(api.db);
    return id;
  }

  async function insertTurn(session: string, number: number, state: string): Promise<void> {
    const id = newId();
    const at = new Date(AT);
    await sql`insert into ai_turns (org_id, id, session_id, number, state, first_seq, last_seq, answers, message_id, config_version, due_at, ended_at, created_at)
      values (${api.org.id}, ${id}, ${session}, ${number}, ${state}, 1, 1, '{}', ${newId()}, 1, ${at}, ${at}, ${at})`.execute(
      api.db,
    );
    for (const step of [1, 2])
      await sql`insert into ai_steps (org_id, turn_id, step, purpose, usage, cost, latency_ms)
        values (${api.org.id}, ${id}, ${step}, 'answer', '{"input": 100, "output": 10}', 0.25, 1)`.execute(api.db);
  }

  it('is reported by the share it answered, what came back within 72 hours, and what its turns have cost', async () => {
    contact = (await api.org.post('/contacts', { contact: { email: 'ann@example.com' } })).body.id;
    const only = await insertSession({ ai: 2, resolved: true });
    await insertSession({ ai: 1, resolved: true, back: 72 });
    await insertSession({ ai: 1, resolved: true, back: 73 });
    await insertSession({ ai: 1, resolved: true, back: 71, later: 2 });
    await insertSession({ ai: 1, handedOff: true });
    await insertSession({ agent: 1 });
    for (const [nth, state] of ['answered', 'asked', 'superseded'].entries()) await insertTurn(only, nth + 1, state);
    const { totals, items } = await report('ai', 'group_by=day&channel=api');
    expect(totals).toEqual({
      sessions: 6,
      answered_by_ai: 5,
      only_by_ai: 4,
      answered_share: expect.closeTo(5 / 6),
      only_by_ai_share: expect.closeTo(4 / 6),
      resolved_by_ai: 4,
      came_back: 2,
      came_back_share: 0.5,
      turns: 2,
      turns_answered: 1,
      turns_asked: 1,
      turns_handed_off: 0,
      turns_skipped: 0,
      input_tokens: 400,
      output_tokens: 40,
      cost: 1,
    });
    expect(items).toEqual([{ key: '2026-03-20', name: null, ...totals }]);
  });

  it('counts the turns of a session for the team that it has now', async () => {
    const id = await insertSession({ ai: 1 });
    await insertTurn(id, 1, 'answered');
    const turnsOf = async (team: string) => (await report('ai', `team_id=${team}`)).totals.turns;
    for (const name of ['First', 'Second']) {
      const team = (await api.org.post('/teams', { name })).body.id;
      await api.org.post(`/chat/sessions/${id}/assign`, { assignee_id: null, team_id: team });
      expect(await turnsOf(team)).toBe(1);
      expect((await report('ai', 'group_by=team')).items).toContainEqual(
        expect.objectContaining({ key: team, name, sessions: 1, turns: 1 }),
      );
    }
  });

  it('counts another session of the contact within 72 hours as coming back', async () => {
    const { id } = (await api.org.post('/chat/sessions', { contact_id: contact })).body;
    const at = new Date(AT + 20 * HOUR_MS);
    await sql`update sessions set created_at = ${at}, contact_messages = 1 where id = ${id}`.execute(api.db);
    expect((await report('ai', 'group_by=channel')).totals).toMatchObject({ resolved_by_ai: 4, came_back: 4 });
  });
});

describe('SLA', () => {
  it('has the counts of /sla/analytics, one row a group', async () => {
    const policy = (await api.org.post('/sla/policies', { name: 'Gold', resolution_target_seconds: 3_600 })).body.id;
    const { id } = (await api.org.post('/chat/sessions', {})).body;
    await sql`insert into sla_clocks (org_id, session_id, metric, cycle, policy_id, target_seconds, elapsed_seconds, changes_told, stopped_at, outcome, decided_at)
      values (${api.org.id}, ${id}, 'resolution', 1, ${policy}, 3600, 60, 1, '2026-03-07T03:00:00Z', 'met', '2026-03-07T03:00:00Z')`.execute(
      api.db,
    );
    const expected = {
      resolution_met: 1,
      resolution_breached: 0,
      resolution_compliance: 1,
      resolution_p50_seconds: 60,
    };
    const nothing = { first_reply_met: 0, first_reply_compliance: null, next_reply_p95_seconds: null };
    const byDay = await report('sla');
    expect(byDay.items).toMatchObject([{ key: '2026-03-06', name: null, ...expected, ...nothing }]);
    expect(byDay.totals).toMatchObject(expected);
    expect((await report('sla', 'group_by=policy')).items).toMatchObject([{ key: policy, name: 'Gold', ...expected }]);
  });
});

describe('a report', () => {
  const SUBJECTS = ['conversations', 'csat', 'sla', 'deliveries', 'automations', 'ai'];

  it('covers the last 30 days without a range', async () => {
    for (const subject of SUBJECTS) {
      const { body } = await api.org.get(`/analytics/${subject}`);
      expect(Date.parse(body.to) - Date.parse(body.from)).toBe(30 * 86_400_000);
    }
  });

  it('comes as CSV with the same figures, one line a group', async () => {
    const { items } = await report('csat', 'group_by=team');
    const { type, lines } = await csvOf(`/analytics/csat?${RANGE}&group_by=team`);
    expect(type).toContain('text/csv');
    expect(lines[0]).toBe('key,name,scores,average,satisfied,score_1,score_2,score_3,score_4,score_5');
    expect(lines[1]).toBe(`${items[0].key},'=Sales,2,3,0.5,1,0,0,0,1`);
    expect(lines[2]).toBe(',,1,4,1,0,0,0,1,0');
  });

  it('prefers JSON where the client takes both, and refuses what is wrong by name', async () => {
    for (const accept of ['application/json, text/csv', 'text/csv;q=0.5, application/json']) {
      const both = await api.org.get('/analytics/csat', { headers: { accept } });
      expect([accept, both.body.items]).toEqual([accept, expect.any(Array)]);
    }
    for (const [query, named] of [
      ['group_by=color', 'group_by'],
      ['from=yesterday', 'from'],
      ['from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'from'],
      ['from=1999-01-01T00:00:00Z', 'from'],
      ['to=9999-12-31T23:59:59-23:59', 'to'],
      ['from=0000-01-01T00:00:00%2B14:00&to=0000-01-02T00:00:00Z', 'to'],
      ['from=0000-12-31T00:00:00Z&to=0001-01-02T00:00:00Z', 'from'],
      ['group_bye=day', 'group_by'],
    ]) {
      const { status, body } = await api.org.get(`/analytics/conversations?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(body.message).toContain(named);
    }
  });

  it('needs the scope insights:read', async () => {
    const without = await api.org.withScopes('csat:read');
    expect((await without.get('/analytics/csat')).status).toBe(403);
    const reader = await api.org.withScopes('insights:read');
    for (const subject of SUBJECTS) expect((await reader.get(`/analytics/${subject}`)).status).toBe(200);
  });

  it('counts no time for a team whose office hours never open', async () => {
    const { id: hours } = (await api.org.post('/office-hours', { name: 'Never', iana_timezone: 'UTC', shifts: [] }))
      .body;
    const team = (await api.org.post('/teams', { name: 'Asleep', support_office_hours_id: hours })).body.id;
    const { id } = (await api.org.post('/chat/sessions', {})).body;
    await api.org.post(`/chat/sessions/${id}/assign`, { assignee_id: null, team_id: team });
    await api.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    const { body } = await api.org.get(`/analytics/conversations?team_id=${team}`);
    expect(body.totals).toMatchObject({ resolved: 1, resolution_p50_seconds: 0 });
  });
});
