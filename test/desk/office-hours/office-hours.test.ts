import { DAYS_OF } from '../../../src/desk/office-hours/business-time.rules.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

const NOBODY = '019aa1f0-0000-7000-8000-000000000000';
const MORNING = { day_of_week: 'monday_to_friday', start_time: '09:00:00', end_time: '12:00:00' };
const NIGHT = { day_of_week: 'saturday', start_time: '22:00:00', end_time: '06:00:00' };
const CHRISTMAS = { date: '2026-12-25', name: 'Christmas Day' };
const BERLIN = { name: 'Berlin', iana_timezone: 'Europe/Berlin', shifts: [MORNING, NIGHT], holidays: [CHRISTMAS] };

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const create = async (fields: object = {}) => (await api.org.post('/office-hours', { ...BERLIN, ...fields })).body;
const read = async (id: string) => (await api.org.get(`/office-hours/${id}`)).body;

describe('office hours', () => {
  it('are created, read, listed oldest first, and deleted', async () => {
    const org = await api.createOrg();
    const { status, body: first } = await org.post('/office-hours', BERLIN);
    expect(status).toBe(201);
    expect(first).toEqual({
      ...BERLIN,
      id: expect.any(String),
      shifts: [MORNING, NIGHT].map((shift) => ({ ...shift, id: expect.any(String) })),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { body: second } = await org.post('/office-hours', { name: 'x', iana_timezone: 'UTC', shifts: [] });
    expect(second).toMatchObject({ shifts: [], holidays: [] });

    expect((await org.get(`/office-hours/${first.id}`)).body).toEqual(first);
    expect((await org.get('/office-hours')).body).toEqual({ items: [first, second], next: null });
    const { body: page } = await org.get('/office-hours?limit=1');
    expect(page.items).toEqual([first]);
    expect((await org.get(`/office-hours?limit=1&cursor=${page.next}`)).body).toEqual({ items: [second], next: null });

    expect(await org.delete(`/office-hours/${first.id}`)).toMatchObject({ status: 200, body: '' });
    expect((await org.get('/office-hours')).body.items).toEqual([second]);
    for (const call of [org.get(`/office-hours/${first.id}`), org.delete(`/office-hours/${first.id}`)]) {
      expect(await call).toMatchObject({ status: 404, body: { message: 'Office hours not found' } });
    }
  });

  it('accept every name of days', async () => {
    const shifts = Object.keys(DAYS_OF).map((day_of_week) => ({ ...MORNING, day_of_week }));
    expect(await create({ shifts })).toMatchObject({ shifts });
  });

  it('are replaced as a whole: omitted shifts are deleted, and the others keep their ids', async () => {
    const before = await create();
    const [morning, night] = before.shifts;
    const longer = { ...night, end_time: '08:00:00' };
    const changes = {
      name: 'Vienna',
      iana_timezone: 'Europe/Vienna',
      shifts: [{ ...longer, id: night.id.toUpperCase() }],
    };
    expect(await api.org.put(`/office-hours/${before.id}`, changes)).toMatchObject({ status: 200, body: '' });
    const after = await read(before.id);
    expect(after).toEqual({ ...before, ...changes, shifts: [longer], updated_at: expect.any(String) });
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));

    const gone = await api.org.put(`/office-hours/${before.id}`, { ...changes, shifts: [morning] });
    expect(gone).toMatchObject({ status: 400, body: { issues: [{ path: 'body.shifts.0.id' }] } });
    expect(await read(before.id)).toEqual(after);
  });

  it('keep their holidays if a change omits them, and lose them by an empty list', async () => {
    const { id, shifts } = await create();
    const change = (fields: object) => api.org.put(`/office-hours/${id}`, { ...BERLIN, shifts, ...fields });
    expect((await change({ holidays: undefined })).status).toBe(200);
    expect((await read(id)).holidays).toEqual([CHRISTMAS]);
    expect((await change({ holidays: [] })).status).toBe(200);
    expect((await read(id)).holidays).toEqual([]);
  });

  it('are changed one request at a time: if two requests delete each other’s shift, the second is refused', async () => {
    const { id, shifts } = await create();
    const [morning, night] = shifts;
    const answers = await Promise.all(
      [[morning], [night]].map((left) => api.org.put(`/office-hours/${id}`, { ...BERLIN, shifts: left })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe('invalid office hours', () => {
  const shift = (fields: object) => [{ ...MORNING, ...fields }];

  it.each([
    ['name', undefined],
    ['name', ''],
    ['name', 'x'.repeat(256)],
    ['iana_timezone', undefined],
    ['iana_timezone', 'Europe/Atlantis'],
    ['iana_timezone', '+02:00'],
    ['iana_timezone', null],
    ['shifts', undefined],
    ['shifts', null],
    ['shifts', Array(101).fill(MORNING)],
    ['shifts.0.day_of_week', shift({ day_of_week: 'weekend' })],
    ['shifts.0.day_of_week', shift({ day_of_week: 'toString' })],
    ['shifts.0.day_of_week', shift({ day_of_week: undefined })],
    ['shifts.0.start_time', shift({ start_time: '9:00:00' })],
    ['shifts.0.start_time', shift({ start_time: '09:00' })],
    ['shifts.0.start_time', shift({ start_time: undefined })],
    ['shifts.0.start_time', shift({ start_time: '24:00:00' })],
    ['shifts.0.end_time', shift({ end_time: '24:00:01' })],
    ['shifts.0.end_time', shift({ end_time: '24:01:00' })],
    ['shifts.0.end_time', shift({ end_time: '12:60:00' })],
    ['holidays', [CHRISTMAS, { date: CHRISTMAS.date }]],
    [
      'holidays',
      Array.from({ length: 501 }, (_, day) => ({ date: new Date(day * 86_400_000).toISOString().slice(0, 10) })),
    ],
    ['holidays.0.date', [{ date: '2026-02-29' }]],
    ['holidays.0.date', [{ date: '25.12.2026' }]],
    ['holidays.0.name', [{ ...CHRISTMAS, name: '' }]],
  ])('with a bad %s are a 400 that names the field (%#)', async (path, value) => {
    const { status, body } = await api.org.post('/office-hours', { ...BERLIN, [path.split('.')[0] as string]: value });
    expect(status).toBe(400);
    expect(body.issues.map((issue: { path: string }) => issue.path)).toEqual([`body.${path}`]);
  });

  it('get new shifts behind those that stay, each with an id, up to the most that office hours can have', async () => {
    const { id, shifts } = await create();
    const change = { name: 'Berlin', iana_timezone: 'Europe/Berlin', shifts: shifts.slice(1), new_shifts: [MORNING] };
    expect((await api.org.put(`/office-hours/${id}`, change)).status).toBe(200);
    const stored = (await read(id)).shifts;
    expect(stored).toEqual([shifts[1], { ...MORNING, id: expect.any(String) }]);
    expect(stored[1].id).not.toBe(shifts[0].id);
    const { status, body } = await api.org.put(`/office-hours/${id}`, {
      ...change,
      shifts: stored,
      new_shifts: Array.from({ length: 99 }, () => MORNING),
    });
    expect([status, body.issues?.[0]?.path]).toEqual([400, 'body.new_shifts']);
  });

  it('are refused in a change unless each shift has a known id, once', async () => {
    const { id, shifts } = await create();
    const others = await create();
    const { id: _, ...withoutId } = shifts[0];
    for (const [path, list] of [
      ['body.shifts.0.id', [withoutId]],
      ['body.shifts.1.id', [shifts[0], { ...MORNING, id: NOBODY }]],
      ['body.shifts.0.id', others.shifts.slice(0, 1)],
      ['body.shifts.0.id', [{ ...MORNING, id: 'first' }]],
      ['body.shifts', [shifts[0], shifts[0]]],
    ]) {
      const { status, body } = await api.org.put(`/office-hours/${id}`, { ...BERLIN, shifts: list });
      expect(`${status} ${body.issues[0].path}`).toBe(`400 ${path}`);
    }
    expect((await api.org.put(`/office-hours/${id}`, { ...BERLIN, shifts: undefined })).status).toBe(400);
    expect((await api.org.put(`/office-hours/${NOBODY}`, { ...BERLIN, shifts: [] })).status).toBe(404);
    expect((await read(id)).shifts).toEqual(shifts);
  });
});

describe('the status of office hours', () => {
  const status = async (id: string, at?: string) =>
    (await api.org.get(`/office-hours/${id}/status${at === undefined ? '' : `?at=${encodeURIComponent(at)}`}`)).body;

  it.each([
    ['in a shift', '2026-06-01T09:00:00+02:00', true, '2026-06-01T10:00:00.000Z'],
    ['between shifts', '2026-06-01T12:00:00+02:00', false, '2026-06-02T07:00:00.000Z'],
    ['in a night', '2026-06-07T01:00:00Z', true, '2026-06-07T04:00:00.000Z'],
    ['on a holiday', '2026-12-25T10:00:00Z', false, '2026-12-26T21:00:00.000Z'],
    ['in a night that loses an hour', '2026-03-28T22:00:00Z', true, '2026-03-29T04:00:00.000Z'],
    ['in the first year', '1970-01-01T00:00:00Z', false, '1970-01-01T08:00:00.000Z'],
    ['in the last', '2199-12-31T23:59:59.999Z', false, '2200-01-01T08:00:00.000Z'],
  ])('is correct for a time %s', async (_, at, open, next_change_at) => {
    const { id } = await create({ holidays: [CHRISTMAS] });
    expect(await status(id, at)).toEqual({ open, next_change_at });
  });

  it('is the current one without a given time', async () => {
    const { id } = await create({
      shifts: [{ day_of_week: 'everyday', start_time: '00:00:00', end_time: '00:00:00' }],
      holidays: [],
    });
    expect(await status(id)).toEqual({ open: true, next_change_at: null });
    expect(await status((await create({ shifts: [] })).id)).toEqual({ open: false, next_change_at: null });
  });

  it.each(['23:59:59', '24:00:00', '00:00:00'])('is always open if every day ends at %s', async (end_time) => {
    const shifts = [{ day_of_week: 'everyday', start_time: '00:00:00', end_time }];
    const { id, shifts: stored } = await create({ shifts, holidays: [] });
    expect(stored).toMatchObject(shifts);
    for (const at of ['2026-06-01T23:59:59+02:00', '2026-06-01T23:59:59.999+02:00', '2026-06-02T00:00:00+02:00'])
      expect(await status(id, at)).toEqual({ open: true, next_change_at: null });
    expect((await api.org.put(`/office-hours/${id}`, { ...BERLIN, shifts: stored })).status).toBe(200);
  });

  it.each([
    ['23:59:59', '2026-06-01T22:00:00.000Z'],
    ['24:00:00', '2026-06-01T22:00:00.000Z'],
    ['23:59:58', '2026-06-01T21:59:58.000Z'],
    ['23:59:00', '2026-06-01T21:59:00.000Z'],
  ])('closes at midnight if a day ends at its last second or at 24:00:00: %s', async (end_time, next_change_at) => {
    const { id } = await create({ shifts: [{ ...MORNING, end_time }], holidays: [] });
    expect(await status(id, '2026-06-01T20:00:00+02:00')).toEqual({ open: true, next_change_at });
  });

  it.each([
    'now',
    '2026-06-01',
    '1969-12-31T23:59:59Z',
    '2200-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '0000-01-01T00:00:00+14:00',
  ])('is a 400 for the time %s', async (at) => {
    const { id } = await create();
    const answer = await api.org.get(`/office-hours/${id}/status?at=${encodeURIComponent(at)}`);
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'query.at' }] } });
  });
});

describe('access to office hours', () => {
  it('requires office-hours:read for reading and office-hours:write for changes', async () => {
    const { id } = await create();
    const reader = await api.org.withScopes('office-hours:read');
    const writer = await api.org.withScopes('office-hours:write');
    for (const path of ['/office-hours', `/office-hours/${id}`, `/office-hours/${id}/status`]) {
      expect((await reader.get(path)).status).toBe(200);
      expect((await writer.get(path)).status).toBe(403);
    }
    const changes = { ...BERLIN, shifts: [] };
    expect((await reader.post('/office-hours', BERLIN)).status).toBe(403);
    expect((await reader.put(`/office-hours/${id}`, changes)).status).toBe(403);
    expect((await reader.delete(`/office-hours/${id}`)).status).toBe(403);
    expect((await writer.post('/office-hours', BERLIN)).status).toBe(201);
    expect((await writer.put(`/office-hours/${id}`, changes)).status).toBe(200);
    expect((await writer.delete(`/office-hours/${id}`)).status).toBe(200);
  });

  it('is a 404 for another org, and changes nothing', async () => {
    const mine = await create();
    const { other } = api;
    const answers = await Promise.all([
      other.get(`/office-hours/${mine.id}`),
      other.get(`/office-hours/${mine.id}/status`),
      other.put(`/office-hours/${mine.id}`, { ...BERLIN, shifts: [] }),
      other.delete(`/office-hours/${mine.id}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await other.get('/office-hours')).body.items).toEqual([]);
    expect(await read(mine.id)).toEqual(mine);
  });
});
