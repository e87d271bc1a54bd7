import { openTimes } from '../../src/analytics/reports/calendars.service.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

const DAY_MS = 86_400_000;
const WORKDAYS = [{ day_of_week: 'monday_to_friday', start_time: '09:00:00', end_time: '17:00:00' }];
/** As many as can stand side by side in a day. */
const EVERY_HALF_HOUR = Array.from({ length: 48 }, (_, nth) => {
  const hour = String(Math.floor(nth / 2)).padStart(2, '0');
  const minute = nth % 2 === 0 ? '00' : '30';
  return { day_of_week: 'everyday', start_time: `${hour}:${minute}:00`, end_time: `${hour}:${minute}:59` };
});

let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
});

async function newTeam(shifts: object[]): Promise<string> {
  const hours = (await org.post('/office-hours', { name: 'Office', iana_timezone: 'Europe/Berlin', shifts })).body;
  return (await org.post('/teams', { name: `Team ${hours.id}`, support_office_hours_id: hours.id })).body.id;
}

/** Opens a session, as if so many days ago. */
async function openedBefore(days: number): Promise<void> {
  const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
  await api.db
    .updateTable('sessions')
    .set({ created_at: new Date(Date.now() - days * DAY_MS) })
    .where('org_id', '=', org.id)
    .where('id', '=', id)
    .execute();
}

const report = (query: string) => org.get(`/analytics/conversations?${query}`);
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
const intervalsOf = async (from: Date, to: Date, team_id?: string): Promise<number> =>
  (await openTimes(api.db, org.id, { from, to, team_id })).reduce(
    (sum, { starts }) => sum + starts.split(',').length,
    0,
  );

describe('the office hours that a report counts by', () => {
  it('begin with the first session of the range, however early it begins', async () => {
    await newTeam(WORKDAYS);
    await openedBefore(14);
    expect(await intervalsOf(new Date('2020-01-01T00:00:00Z'), new Date())).toBeLessThanOrEqual(14);
    expect(await intervalsOf(daysAgo(7), new Date())).toBe(0);
    const ancient = await report('from=0001-01-01T00:00:00Z&to=0001-01-02T00:00:00Z');
    expect([ancient.status, ancient.body.totals.sessions]).toEqual([200, 0]);
    expect(await intervalsOf(new Date('0001-01-01T00:00:00Z'), new Date('0001-01-02T00:00:00Z'))).toBe(0);
  });

  it('leave the processor to others again and again', async () => {
    for (let nth = 0; nth < 5; nth++) await newTeam(WORKDAYS);
    await openedBefore(3_600);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    expect(await intervalsOf(daysAgo(3_650), new Date())).toBeGreaterThan(5 * 2_500);
    isDone = true;
    expect(turns).toBeGreaterThan(5 * 30);
  });

  it('are refused where there are too many, unless the report is of one team or a shorter range', async () => {
    const team = await newTeam(EVERY_HALF_HOUR);
    for (let nth = 0; nth < 2; nth++) await newTeam(EVERY_HALF_HOUR);
    await openedBefore(1_000);
    await openedBefore(10);
    const from = daysAgo(1_100).toISOString();
    const { status, body } = await report(`from=${from}`);
    expect([status, body.issues]).toEqual([400, [{ path: 'query.from', message: expect.stringContaining('team_id') }]]);
    expect((await report(`from=${from}&team_id=${team}`)).status).toBe(200);
    expect((await report(`from=${daysAgo(30).toISOString()}`)).body.totals.sessions).toBe(1);
  });
});
