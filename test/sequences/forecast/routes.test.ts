import { sql } from 'kysely';
import { emailStep, inDomain, smsStep, timeIn, zoneAtNoon } from '../../support/sequences.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

const HOUR_MS = 3_600_000;

describe('POST /sequences/{id}/forecast', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } });
  });
  afterAll(() => api.close());

  const create = async (input: object) => {
    const { status, body } = await api.org.post('/sequences', { is_continuous: false, ...input });
    expect(status).toBe(201);
    return `/sequences/${body.id}`;
  };
  const seed = async (domain: string, count: number) => {
    const contacts = Array.from({ length: count }, (_, i) => ({ email: `c${i}@${domain}` }));
    await api.org.post('/contacts/batch', { contacts });
  };
  const forecastOf = async (path: string) => {
    const { status, body } = await api.org.post(`${path}/forecast`);
    expect(status).toBe(200);
    return body.steps;
  };

  it('reports for each step the number of recipients, the first and last time, deferrals by gate, and skips by reason', async () => {
    await seed('told.example', 5);
    await api.org.post('/blocklist/contacts', { email: 'c0@told.example' });
    const timezone = zoneAtNoon();
    await api.org.patch('/org/settings', { timezone });
    const quiet_hours = { start: timeIn(timezone, -60), end: timeIn(timezone, 60) };
    const path = await create({
      filter: inDomain('told.example'),
      gates: { quiet_hours, daily_cap: 1 },
      steps: [emailStep('One', 0, { email_is_transactional: true }), smsStep('Two'), emailStep('Three', 30)],
    });
    const before = Date.now();
    const [one, two, three] = await forecastOf(path);
    const blocked = { reason: 'the contact is blocked', count: 1 };
    const hour = new Date(Math.floor(Date.parse(one.at) / HOUR_MS) * HOUR_MS).toISOString();
    expect(one).toEqual({
      index: 0,
      at: one.at,
      last_at: one.at,
      recipients: 4,
      skipped: [blocked],
      held: [],
      hours: [{ at: hour, recipients: 4 }],
    });
    expect(Math.abs(Date.parse(one.at) - before)).toBeLessThan(10_000);
    expect(two).toEqual({
      index: 1,
      at: null,
      last_at: null,
      recipients: 0,
      skipped: expect.arrayContaining([blocked, { reason: 'the contact has no phone number', count: 4 }]),
      held: [],
      hours: [],
    });
    expect(three).toMatchObject({ recipients: 4, skipped: [blocked] });
    expect(three.held).toContainEqual({ gate: 'quiet_hours', count: 4 });
    expect(three.held).toContainEqual({ gate: 'daily_cap', count: 4 });
    expect(three.last_at).toBe(three.at);
    expect(Date.parse(three.at)).toBeGreaterThan(before + 3_540_000);
  });

  it('counts the sends of the next seven days by the hour, and no later ones', async () => {
    await seed('hours.example', 3);
    const WEEK_MINUTES = 7 * 24 * 60;
    const path = await create({
      filter: inDomain('hours.example'),
      is_continuous: false,
      steps: [emailStep('One'), emailStep('Two', 90), emailStep('Three', WEEK_MINUTES)],
    });
    const [one, two, three] = await forecastOf(path);
    expect(one.hours).toEqual([{ at: expect.any(String), recipients: 3 }]);
    expect(two.hours).toEqual([{ at: expect.any(String), recipients: 3 }]);
    const [first = 0, second = 0] = [one, two].map(({ hours }) => Date.parse(hours[0].at));
    expect(second - first).toBeGreaterThanOrEqual(HOUR_MS);
    expect(second - first).toBeLessThanOrEqual(2 * HOUR_MS);
    expect(three).toMatchObject({ recipients: 3, hours: [] });
  });

  it('spaces the sends of a sender with limited sends a minute', async () => {
    await seed('spread.example', 7);
    const path = await create({
      filter: inDomain('spread.example'),
      gates: { sends_per_minute: 3 },
      steps: [emailStep('One')],
    });
    const [step] = await forecastOf(path);
    expect(step).toMatchObject({ recipients: 7, held: [{ gate: 'sends_per_minute', count: 6 }] });
    expect(Date.parse(step.last_at) - Date.parse(step.at)).toBe(120_000);
  });

  it('reports a channel that is not configured', async () => {
    const production = await startApi({ databaseUrl: api.databaseUrl, env: { DEVELOPMENT: 'false' } });
    try {
      await api.org.post('/contacts', { contact: { email: 'ann@wire.example', phone: '+4915112345678' } });
      const path = await create({ filter: inDomain('wire.example'), steps: [smsStep('One')] });
      const { body } = await production.client(api.org.key).post(`${path}/forecast`);
      expect(body.steps[0]).toMatchObject({ recipients: 0, skipped: [{ reason: 'channel not configured', count: 1 }] });
    } finally {
      await production.close();
    }
  });

  it('is empty for a sequence that has ended, and a 404 for other orgs', async () => {
    await seed('ended.example', 1);
    const path = await create({ filter: inDomain('ended.example'), steps: [emailStep('One')] });
    expect((await api.other.post(`${path}/forecast`)).status).toBe(404);
    await api.org.put(`${path}/cancel`);
    expect(await forecastOf(path)).toEqual([
      { index: 0, at: null, last_at: null, recipients: 0, skipped: [], held: [], hours: [] },
    ]);
  });

  it('writes nothing to the database', async () => {
    await seed('still.example', 3);
    const gates = { sends_per_minute: 1, daily_cap: 1, exit_on_reply: true, exit_when_unmatched: true };
    const path = await create({ filter: inDomain('still.example'), gates, steps: [emailStep('One'), smsStep('Two')] });
    const tables = [
      'sequences',
      'sequence_steps',
      'sequence_runs',
      'enrollments',
      'deliveries',
      'sender_rates',
      'outbox',
      'contacts',
    ];
    const snapshot = () =>
      Promise.all(
        tables.map(async (table) => {
          const { rows } =
            await sql`select to_jsonb(t) as row, xmin::text from ${sql.table(table)} as t order by 1`.execute(api.db);
          return rows;
        }),
      );
    const before = await snapshot();
    await forecastOf(path);
    expect(await snapshot()).toEqual(before);
  });
});
