import { sql } from 'kysely';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const RANGE = 'start_date=2026-03-01T00:00:00Z&end_date=2026-04-01T00:00:00Z';
const report = async (org: TestOrg, query = '') => (await org.get(`/handoff-analytics?${RANGE}${query}`)).body;
const events = async (org: TestOrg, query = '') => (await org.get(`/handoff-analytics/events?${RANGE}${query}`)).body;

const open = async (org: TestOrg, channel = 'web'): Promise<string> =>
  (await org.post('/chat/sessions', { channel: { type: channel } })).body.id;

/** Hands a session off by the API at a time, with what a model would have said of it. */
async function handOff(
  org: TestOrg,
  id: string,
  at: string,
  { reason, sentiment, summary = null }: { reason?: string; sentiment?: string; summary?: string | null } = {},
): Promise<void> {
  expect((await org.post(`/chat/sessions/${id}/handoff`, { reason })).status).toBe(200);
  await sql`update session_events set created_at = ${at} where session_id = ${id} and type = 'handoff'
    and seq = (select max(seq) from session_events where session_id = ${id} and type = 'handoff')`.execute(api.db);
  const said = JSON.stringify({ sentiment: sentiment ?? null, summary });
  await sql`update sessions set handoff = handoff || ${said}::jsonb where id = ${id}`.execute(api.db);
}

async function handedOff(
  org: TestOrg,
  at: string,
  { channel, ...said }: { channel?: string; reason?: string; sentiment?: string; summary?: string } = {},
): Promise<string> {
  const id = await open(org, channel);
  await handOff(org, id, at, said);
  return id;
}

const redact = (org: TestOrg, sessionId: string) =>
  org.post('/redaction/session', { sessionId, reason: 'Asked for it' });

describe('handoffs', () => {
  let org: TestOrg;
  let twice: string;
  beforeAll(async () => {
    org = await api.createOrg();
    await org.patch('/org/settings', { timezone: 'America/New_York' });
    await handedOff(org, '2026-03-01T00:00:00Z', { reason: 'missing_knowledge', sentiment: 'angry' });
    await handedOff(org, '2026-03-02T04:59:59Z', { reason: 'missing_knowledge', channel: 'email' });
    await handedOff(org, '2026-03-02T05:00:00Z', { reason: 'Wants a discount', sentiment: 'happy' });
    await handedOff(org, '2026-03-31T23:59:59Z');
    await handedOff(org, '2026-02-28T23:59:59.999Z', { reason: 'user_request' });
    await handedOff(org, '2026-04-01T00:00:00Z', { reason: 'user_request' });
    twice = await handedOff(org, '2026-03-10T12:00:00Z', {
      reason: 'missing_knowledge',
      sentiment: 'angry',
      summary: 'Old',
    });
    expect((await org.post(`/chat/sessions/${twice}/return-to-ai`)).status).toBe(200);
    await handOff(org, twice, '2026-03-10T13:00:00Z', { reason: 'user_request', sentiment: 'neutral', summary: 'New' });
  });

  it('are counted by reason, sentiment, channel and day of the org’s time zone, with percentages of all', async () => {
    expect(await report(org)).toEqual({
      summary:
        '6 handoffs of 5 sessions. Most frequent reasons: insufficient_knowledge (50 %), not_given (16.67 %), other (16.67 %).',
      total_handoffs: 6,
      total_sessions: 5,
      start_date: '2026-03-01T00:00:00.000Z',
      end_date: '2026-04-01T00:00:00.000Z',
      reasons: [
        { reason: 'insufficient_knowledge', count: 3, percentage: 50 },
        { reason: 'not_given', count: 1, percentage: 16.67 },
        { reason: 'other', count: 1, percentage: 16.67 },
        { reason: 'user_requested_human_assistance', count: 1, percentage: 16.67 },
      ],
      reason_combinations: [
        { reasons: ['insufficient_knowledge'], session_count: 2, percentage: 40 },
        { reasons: ['insufficient_knowledge', 'user_requested_human_assistance'], session_count: 1, percentage: 20 },
        { reasons: ['not_given'], session_count: 1, percentage: 20 },
        { reasons: ['other'], session_count: 1, percentage: 20 },
      ],
      sentiments: [
        { sentiment: 'unknown', count: 3, percentage: 50 },
        { sentiment: 'angry', count: 1, percentage: 16.67 },
        { sentiment: 'happy', count: 1, percentage: 16.67 },
        { sentiment: 'neutral', count: 1, percentage: 16.67 },
      ],
      channels: [
        { channel: 'web', count: 5, percentage: 83.33 },
        { channel: 'email', count: 1, percentage: 16.67 },
      ],
      trends: [
        { date: '2026-02-28', count: 1 },
        { date: '2026-03-01', count: 1 },
        { date: '2026-03-02', count: 1 },
        { date: '2026-03-10', count: 2 },
        { date: '2026-03-31', count: 1 },
      ],
    });
  });

  it('are counted on one channel, or of one team', async () => {
    expect(await report(org, '&channel=email')).toMatchObject({
      total_handoffs: 1,
      channels: [{ channel: 'email', count: 1, percentage: 100 }],
    });
    const team = (await org.post('/teams', { name: 'Billing' })).body.id;
    expect((await report(org, `&team_id=${team}`)).total_handoffs).toBe(0);
    await org.post(`/chat/sessions/${twice}/assign`, { assignee_id: null, team_id: team });
    expect(await report(org, `&team_id=${team}`)).toMatchObject({ total_handoffs: 2, total_sessions: 1 });
    expect((await events(org, `&team_id=${team}&channel=email`)).items).toEqual([]);
  });

  it('are listed in pages, oldest first, each with its reason, its words, and what is known while it lasts', async () => {
    const first = await events(org, '&limit=4');
    const second = await events(org, `&limit=4&cursor=${first.next}`);
    const newest = await events(org, '&limit=100&order=newest');
    expect(newest.items).toEqual([...first.items, ...second.items].toReversed());
    expect([first.items.length, first.total, second.items.length, second.total, second.next]).toEqual([
      4,
      6,
      2,
      6,
      null,
    ]);
    const listed = [...first.items, ...second.items];
    expect(listed.map(({ created_at }) => created_at)).toEqual(listed.map(({ created_at }) => created_at).toSorted());
    expect(listed.map(({ reasons: [reason], explanation }) => [reason, explanation])).toEqual([
      ['insufficient_knowledge', 'The AI had no answer.'],
      ['insufficient_knowledge', 'The AI had no answer.'],
      ['other', 'Wants a discount'],
      ['insufficient_knowledge', 'The AI had no answer.'],
      ['user_requested_human_assistance', 'The contact asked for a person.'],
      ['not_given', null],
    ]);
    const ofTwice = listed.filter(({ session_id }) => session_id === twice);
    expect(ofTwice.map(({ sentiment, summary }) => [sentiment, summary])).toEqual([
      ['unknown', null],
      ['neutral', 'New'],
    ]);
    const history = (await org.get(`/chat/sessions/${twice}/history`)).body.items;
    expect(history.map(({ id }: { id: string }) => id)).toContain(ofTwice[0].id);
  });

  it('are listed by reason', async () => {
    const { items, total, next } = await events(org, '&reason=insufficient_knowledge&limit=2');
    expect([items.length, total]).toEqual([2, 3]);
    expect((await events(org, `&reason=insufficient_knowledge&limit=2&cursor=${next}`)).items).toHaveLength(1);
    expect(await events(org, '&reason=based_on_instructions')).toEqual({ items: [], next: null, total: 0 });
  });

  it('are only those of the org', async () => {
    expect(await report(api.other)).toMatchObject({ total_handoffs: 0, total_sessions: 0 });
    expect(await events(api.other)).toEqual({ items: [], next: null, total: 0 });
    const team = (await org.post('/teams', { name: 'Mine' })).body.id;
    expect((await report(api.other, `&team_id=${team}`)).total_handoffs).toBe(0);
  });
});

describe('a report of handoffs', () => {
  it.each([
    ['user_request', 'user_requested_human_assistance'],
    ['prohibited_topic', 'prohibited_topic'],
    ['missing_knowledge', 'insufficient_knowledge'],
    ['missing_tool', 'insufficient_tools'],
    ['unclear_instructions', 'instructions_not_clear'],
    ['not_helping', 'not_helping'],
    ['no_transport', 'no_transport'],
    ['no_address', 'no_address'],
    ['ai_failed', 'ai_failed'],
    ['constructor', 'other'],
    ['', 'not_given'],
  ])('has the reason %j as %s', async (reason, reported) => {
    const org = await api.createOrg();
    await handedOff(org, '2026-03-05T12:00:00Z', { reason });
    expect((await report(org)).reasons).toEqual([{ reason: reported, count: 1, percentage: 100 }]);
  });

  it('is empty where nothing was handed off, and says so', async () => {
    const org = await api.createOrg();
    expect((await org.get('/handoff-analytics')).body).toEqual({
      summary: 'No session was handed off.',
      total_handoffs: 0,
      total_sessions: 0,
      start_date: expect.any(String),
      end_date: expect.any(String),
      reasons: [],
      reason_combinations: [],
      sentiments: [],
      channels: [],
      trends: [],
    });
  });

  it('covers the last 30 days without a range, and 30 days before an end', async () => {
    const org = await api.createOrg();
    const id = await open(org);
    await org.post(`/chat/sessions/${id}/handoff`, { reason: 'user_request' });
    const { start_date, end_date, total_handoffs } = (await org.get('/handoff-analytics')).body;
    expect([Date.parse(end_date) - Date.parse(start_date), total_handoffs]).toEqual([30 * 86_400_000, 1]);
    expect((await org.get('/handoff-analytics/events')).body.total).toBe(1);
    const before = (await org.get('/handoff-analytics?end_date=2026-03-31T00:00:00Z')).body;
    expect([before.start_date, before.total_handoffs]).toEqual(['2026-03-01T00:00:00.000Z', 0]);
  });

  it('counts no takeover by an agent, and does not take its texts for those of an earlier handoff', async () => {
    const org = await api.createOrg();
    const id = await handedOff(org, '2026-03-05T12:00:00Z', { reason: 'budget', sentiment: 'happy', summary: 'Old' });
    await org.post(`/chat/sessions/${id}/return-to-ai`);
    for (const session of [id, await open(org)]) {
      const message = { type: 'text', text: 'Hello' };
      const takeover = { sender: 'agent', message, should_take_over_session_from_ai: true };
      expect((await org.post(`/chat/sessions/${session}/send`, takeover)).status).toBe(201);
      expect((await org.get(`/chat/sessions/${session}`)).body.handoff).toMatchObject({ reason: 'An agent took over' });
    }
    await sql`update sessions set handoff = handoff || '{"sentiment": "angry", "summary": "New"}' where id = ${id}`.execute(
      api.db,
    );
    expect((await org.get('/handoff-analytics')).body.total_handoffs).toBe(0);
    const { items } = await events(org);
    expect(items).toMatchObject([{ session_id: id, reasons: ['budget'], sentiment: 'unknown', summary: null }]);
  });

  it('counts a redacted session without its words, its summary and its sentiment', async () => {
    const org = await api.createOrg();
    const said = { reason: 'About her illness', sentiment: 'angry', summary: 'She is ill' };
    const id = await handedOff(org, '2026-03-05T12:00:00Z', said);
    expect((await events(org)).items).toMatchObject([{ explanation: said.reason, summary: said.summary }]);
    expect((await redact(org, id)).status).toBe(200);
    const { items } = await events(org);
    expect(items).toMatchObject([{ reasons: ['not_given'], explanation: null, summary: null, sentiment: 'unknown' }]);
    expect(await report(org)).toMatchObject({
      total_handoffs: 1,
      reasons: [{ reason: 'not_given', count: 1, percentage: 100 }],
      sentiments: [{ sentiment: 'unknown', count: 1, percentage: 100 }],
    });
  });

  it('still counts the sessions of a deleted contact', async () => {
    const org = await api.createOrg();
    const contact = (await org.post('/contacts', { contact: { email: 'ann@example.com' } })).body.id;
    const id = (await org.post('/chat/sessions', { contact_id: contact })).body.id;
    await handOff(org, id, '2026-03-05T12:00:00Z', { reason: 'budget' });
    expect((await org.delete(`/contacts/${contact}`)).status).toBe(200);
    expect(await report(org)).toMatchObject({ total_handoffs: 1, reasons: [{ reason: 'budget' }] });
  });

  it.each(['/handoff-analytics', '/handoff-analytics/events'])('at %s refuses what is wrong by name', async (path) => {
    for (const [query, named] of [
      ['start_date=yesterday', 'start_date'],
      ['start_date=', 'start_date'],
      ['start_date=2026-03-01', 'start_date'],
      ['end_date=2026-13-01T00:00:00Z', 'end_date'],
      ['start_date=2026-03-02T00:00:00Z&end_date=2026-03-01T00:00:00Z', 'start_date'],
      ['start_date=1999-01-01T00:00:00Z', 'start_date'],
      ['end_date=9999-12-31T23:59:59-23:59', 'end_date'],
      ['channel=pigeon', 'channel'],
      ['team_id=7', 'team_id'],
    ]) {
      const { status, body } = await api.org.get(`${path}?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(body.issues[0].path).toBe(`query.${named}`);
    }
  });

  it('names its own parameters where the range is wrong, and refuses a page or a reason that cannot be', async () => {
    const { body } = await api.org.get('/handoff-analytics?start_date=1999-01-01T00:00:00Z');
    expect(body.message).toMatch(/query\.start_date: must be at most \d+ days before `end_date`/);
    for (const query of ['reason=bored', 'cursor=nonsense', 'limit=0', 'limit=101'])
      expect([query, (await api.org.get(`/handoff-analytics/events?${query}`)).status]).toEqual([query, 400]);
  });

  it('needs the scope insights:read', async () => {
    const [without, reader] = [await api.org.withScopes('csat:read'), await api.org.withScopes('insights:read')];
    for (const path of ['/handoff-analytics', '/handoff-analytics/events']) {
      expect((await without.get(path)).status).toBe(403);
      expect((await reader.get(path)).status).toBe(200);
    }
  });
});
