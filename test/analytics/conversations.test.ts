import fc from 'fast-check';
import { sql } from 'kysely';
import { forEachConcurrently } from '../../src/concurrency/limited.ts';
import { changeSession } from '../../src/conversations/change-session.service.ts';
import { lockSession } from '../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { type HistoryEntry, minuteByMinute, percentile, type RecountedSession, recount } from './recount.ts';

const SESSIONS = 500;
const AT_ONCE = 8;
const TIME_ZONE = 'Europe/Berlin';
const SPAN_DAYS = 14;
const OPERATIONS = [
  'contact',
  'contact',
  'agent',
  'ai',
  'handoff',
  'closed_resolved',
  'closed_unresolved',
  'open',
] as const;
type Operation = (typeof OPERATIONS)[number];

let api: TestApi;
let teams: (string | null)[];
let sessions: { id: string; channel: string; team: string | null; created_at: string; history: HistoryEntry[] }[];

const scenario = fc.record({
  channel: fc.constantFrom('api' as const, 'web' as const),
  team: fc.nat({ max: 2 }),
  operations: fc.array(fc.constantFrom(...OPERATIONS), { maxLength: 8 }),
});

const OPERATE: Record<Operation, (id: string) => Promise<unknown>> = {
  contact: (id) => send(id, 'contact'),
  agent: (id) => send(id, 'agent'),
  ai: (id) => addAiMessage(id),
  handoff: (id) => api.org.post(`/chat/sessions/${id}/handoff`, {}),
  closed_resolved: (id) => api.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' }),
  closed_unresolved: (id) => api.org.patch(`/chat/sessions/${id}`, { status: 'closed_unresolved' }),
  open: (id) => api.org.patch(`/chat/sessions/${id}`, { status: 'open' }),
};

const send = (id: string, sender: string) =>
  api.org.post(
    `/chat/sessions/${id}/send`,
    { sender, message: { type: 'text', text: 'Hello' } },
    { headers: { prefer: 'wait=0' } },
  );

const addAiMessage = (id: string) =>
  inTransaction(api.db, async (trx) => {
    const session = await lockSession(trx, api.org.id, id);
    const events = [{ id: newId(), type: 'message' as const, sender: 'ai' as const, content: 'Hello' }];
    await changeSession(trx, api.org.id, session, { events });
  });

async function playOut({ channel, team, operations }: { channel: string; team: number; operations: Operation[] }) {
  const { id } = (await api.org.post('/chat/sessions', { channel: { type: channel } })).body;
  const team_id = teams[team] ?? null;
  if (team_id !== null) await api.org.post(`/chat/sessions/${id}/assign`, { assignee_id: null, team_id });
  for (const operation of operations) await OPERATE[operation](id);
  return { id, channel, team: team_id };
}

/** Makes the seconds of this test two weeks, so that office hours matter. */
async function stretchTime(): Promise<void> {
  const { rows } = await sql<{ from: Date; to: Date }>`
    select min(created_at) as from, now() as to from sessions where org_id = ${api.org.id}`.execute(api.db);
  const [{ from, to } = { from: new Date(), to: new Date() }] = rows;
  const factor = (SPAN_DAYS * 86_400_000) / (to.getTime() - from.getTime());
  const later = (column: string) => {
    const at = sql.ref(column);
    return sql`${at} = ${from}::timestamptz - interval '20 days' + (${at} - ${from}::timestamptz) * ${factor}::float8`;
  };
  const columns = ['created_at', 'closed_at', 'first_contact_message_at', 'first_ai_message_at'];
  columns.push('first_agent_message_at', 'first_handoff_at');
  await sql`update sessions set ${sql.join(columns.map(later))} where org_id = ${api.org.id}`.execute(api.db);
  await sql`update session_events set ${later('created_at')} where org_id = ${api.org.id}`.execute(api.db);
}

beforeAll(async () => {
  api = await startApi();
  await api.org.patch('/org/settings', { timezone: TIME_ZONE });
  const shifts = [
    { day_of_week: 'monday_to_friday', start_time: '09:00:00', end_time: '17:00:00' },
    { day_of_week: 'saturday', start_time: '22:00:00', end_time: '02:00:00' },
  ];
  const hours = (await api.org.post('/office-hours', { name: 'Office', iana_timezone: TIME_ZONE, shifts })).body;
  const newTeam = async (name: string, support_office_hours_id?: string): Promise<string> =>
    (await api.org.post('/teams', { name, support_office_hours_id })).body.id;
  teams = [await newTeam('Day', hours.id), await newTeam('Always'), null];
  const waiting = fc.sample(scenario, { numRuns: SESSIONS, seed: 20 });
  const played: Awaited<ReturnType<typeof playOut>>[] = [];
  await forEachConcurrently(waiting, AT_ONCE, async (next) => void played.push(await playOut(next)));
  await stretchTime();
  sessions = [];
  for (const session of played) {
    const [{ body }, { body: history }] = await Promise.all([
      api.org.get(`/chat/sessions/${session.id}`),
      api.org.get(`/chat/sessions/${session.id}/history`),
    ]);
    sessions.push({ ...session, created_at: body.created_at, history: history.items });
  }
}, 240_000);
afterAll(() => api.close());

const partsOf = new Intl.DateTimeFormat('en-GB', {
  timeZone: TIME_ZONE,
  weekday: 'short',
  hour: 'numeric',
  hourCycle: 'h23',
});
const openMinutes = new Map<number, boolean>();
/** The shifts above, said once more. */
function isOpen(at: number): boolean {
  const known = openMinutes.get(at);
  if (known !== undefined) return known;
  const parts = new Map(partsOf.formatToParts(at).map(({ type, value }) => [type, value]));
  const [day = '', hour] = [parts.get('weekday'), Number(parts.get('hour'))];
  const isWorkday = !['Sat', 'Sun'].includes(day) && hour >= 9 && hour < 17;
  const open = isWorkday || (day === 'Sat' && hour >= 22) || (day === 'Sun' && hour < 2);
  openMinutes.set(at, open);
  return open;
}

const inOfficeHours = minuteByMinute(isOpen);
const inAllTime = (from: number, to: number) => (to - from) / 1000;
const recounted = (keyOf: (session: (typeof sessions)[number]) => string | null): RecountedSession[] =>
  sessions.map((session) => ({
    key: keyOf(session),
    ...recount(session.created_at, session.history, session.team === teams[0] ? inOfficeHours : inAllTime),
  }));

function figuresOf(of: RecountedSession[]) {
  const times = (name: 'firstResponse' | 'firstReply' | 'resolution') =>
    of.map((session) => session[name]).filter((seconds) => seconds !== null);
  const sum = (name: 'contact' | 'ai' | 'agent') => of.reduce((total, session) => total + session[name], 0);
  const withStatus = (status: string) => of.filter((session) => session.status === status).length;
  const close = (value: number | null) => (value === null ? null : expect.closeTo(value, 2));
  return {
    sessions: of.length,
    open: withStatus('open'),
    resolved: withStatus('closed_resolved'),
    unresolved: withStatus('closed_unresolved'),
    handed_off: of.filter(({ handedOff }) => handedOff).length,
    contact_messages: sum('contact'),
    ai_messages: sum('ai'),
    agent_messages: sum('agent'),
    first_response_p50_seconds: close(percentile(times('firstResponse'), 0.5)),
    first_response_p90_seconds: close(percentile(times('firstResponse'), 0.9)),
    first_reply_p50_seconds: close(percentile(times('firstReply'), 0.5)),
    first_reply_p90_seconds: close(percentile(times('firstReply'), 0.9)),
    resolution_p50_seconds: close(percentile(times('resolution'), 0.5)),
    resolution_p90_seconds: close(percentile(times('resolution'), 0.9)),
  };
}

function reportOf(of: RecountedSession[]) {
  const groups = [...Map.groupBy(of, ({ key }) => key)];
  const items = groups.map(([key, group]) => expect.objectContaining({ key, ...figuresOf(group) }));
  return { items: expect.arrayContaining(items), count: groups.length, totals: figuresOf(of) };
}

const dayOf = new Intl.DateTimeFormat('sv-SE', { timeZone: TIME_ZONE });
const report = async (query: string) => (await api.org.get(`/analytics/conversations?${query}`)).body;

describe('the report of conversations', () => {
  it.each([
    ['day', ({ created_at }: { created_at: string }) => dayOf.format(new Date(created_at))],
    ['channel', ({ channel }: { channel: string }) => channel],
    ['team', ({ team }: { team: string | null }) => team],
  ] as const)('grouped by %s equals a recount from the histories of 500 sessions', async (groupBy, keyOf) => {
    const { items, totals, group_by } = await report(`group_by=${groupBy}`);
    const expected = reportOf(recounted(keyOf));
    expect(group_by).toBe(groupBy);
    expect(items).toEqual(expected.items);
    expect(items).toHaveLength(expected.count);
    expect(totals).toEqual(expected.totals);
    expect(totals.first_reply_p50_seconds).toBeGreaterThan(0);
  });

  it('counts only the sessions of a channel, of a team and of a range', async () => {
    const [team] = teams;
    const from = new Date(Date.now() - 16 * 86_400_000).toISOString();
    const of = recounted(({ channel }) => channel).filter(
      (_, nth) =>
        sessions[nth]?.channel === 'web' && sessions[nth]?.team === team && (sessions[nth]?.created_at ?? '') >= from,
    );
    const { totals } = await report(`group_by=month&channel=web&team_id=${team}&from=${from}`);
    expect(of.length).toBeGreaterThan(0);
    expect(totals).toEqual(figuresOf(of));
  });

  it('shows nothing of another org', async () => {
    const { body } = await api.other.get('/analytics/conversations');
    expect(body.items).toEqual([]);
    expect(body.totals).toMatchObject({ sessions: 0, contact_messages: 0, first_reply_p50_seconds: null });
  });
});
