import { emailStep, timeIn } from '../../support/sequences.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const TOKYO = 'Asia/Tokyo';
const KARACHI = 'Asia/Karachi';
const BOGOTA = 'America/Bogota';
const PAKISTANI = '+923012345678';

/** Quiet hours around the present time in this zone, and in none of the other zones used here. */
const nowIn = (timeZone: string) => ({ start: timeIn(timeZone, -60), end: timeIn(timeZone, 60) });

describe('quiet hours', () => {
  let stack: Stack;
  let org: TestOrg;
  beforeAll(async () => {
    stack = await startStack();
  });
  beforeEach(async () => {
    org = await stack.createOrg();
  });
  afterAll(() => stack.close());

  /** Changes the org's settings, and waits until all deferred sends have been re-evaluated. */
  const setUp = async (settings: object) => {
    expect((await org.patch('/org/settings', settings)).status).toBe(200);
    await eventually('the end of the events', async () => {
      const [event] = await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).limit(1).execute();
      return event === undefined;
    });
  };
  const create = async (input: object = {}) => {
    const { status, body } = await org.post('/sequences', { filter: null, steps: [emailStep('Hi')], ...input });
    expect(status).toBe(201);
    return `/sequences/${body.id}`;
  };
  /** Adds a contact to a sequence. Returns the explained enrollment once its first step is sent or deferred. */
  const enroll = async (path: string, contact: object = {}) => {
    const email = `${crypto.randomUUID()}@quiet.example`;
    const { body: saved } = await org.post('/contacts', { contact: { email, ...contact } });
    await org.post(`${path}/contacts`, { contacts: [{ id: saved.id }] });
    const explained = await eventually('the first step', async () => {
      const { items } = (await org.get(`${path}/enrollments?limit=100`)).body;
      const { id } = items.find(({ contact_id }: { contact_id: string }) => contact_id === saved.id);
      const { body } = await org.get(`${path}/enrollments/${id}`);
      return (body.steps[0].status === 'done' || body.held_until !== null) && body;
    });
    return { ...explained, email };
  };
  const isHeld = async (path: string, contact: object = {}) => (await enroll(path, contact)).held_until !== null;

  it('defer sends until they end, with the time of day in the reason', async () => {
    const quietHours = nowIn(TOKYO);
    await setUp({ timezone: TOKYO, quiet_hours: quietHours });
    const path = await create({ steps: [emailStep('Hi'), emailStep('Later', 60)] });
    const minutesOf = [timeIn(TOKYO), timeIn(TOKYO, 1)];
    const { email, held_until, status, steps } = await enroll(path);
    const reasons = minutesOf.map(
      (time) => `quiet_hours: ${time} in Asia/Tokyo is within ${quietHours.start} to ${quietHours.end}`,
    );
    expect(status).toBe('active');
    expect(steps[0]).toMatchObject({
      status: 'waiting',
      due_at: held_until,
      delivery: { status: 'held', attempts: 0 },
    });
    expect(reasons).toContain(steps[0].delivery.reason);
    expect(steps[1]).toMatchObject({ status: 'not_reached', delivery: null });
    expect(new Date(held_until).toLocaleTimeString('en-GB', { timeZone: TOKYO })).toBe(`${quietHours.end}:00`);
    expect(Date.parse(held_until) - Date.now()).toBeLessThanOrEqual(3_600_000);

    const delivery = (await org.get(`/deliveries/${steps[0].delivery.id}`)).body;
    expect(delivery).toMatchObject({ status: 'held', gate: 'quiet_hours', not_before: held_until, answers: [] });
    expect((await org.get('/deliveries?status=held')).body.items).toHaveLength(1);
    expect(stack.sink.to(email)).toEqual([]);
  });

  it("quiet hours of a sequence replace the org's", async () => {
    await setUp({ timezone: TOKYO, quiet_hours: nowIn(TOKYO) });
    const elsewhere = await create({ gates: { quiet_hours: nowIn(BOGOTA) } });
    expect(await isHeld(elsewhere)).toBe(false);
    await setUp({ quiet_hours: nowIn(BOGOTA) });
    const own = await create({ gates: { quiet_hours: nowIn(TOKYO) } });
    expect(await isHeld(own)).toBe(true);
    expect(await isHeld(await create())).toBe(false);
  });

  it.each([
    ['its timezone', TOKYO, { custom_data: { timezone: TOKYO }, phone: PAKISTANI }],
    [
      "its number's country, if the timezone is invalid",
      KARACHI,
      { custom_data: { timezone: 'Moon/Base' }, phone: PAKISTANI },
    ],
    ["the org's zone, if nothing is known of the contact", BOGOTA, {}],
  ])('apply in the time zone of the contact: %s', async (_, zone, contact) => {
    await setUp({ timezone: BOGOTA });
    for (const quiet of [TOKYO, KARACHI, BOGOTA]) {
      const { held_until, steps } = await enroll(await create({ gates: { quiet_hours: nowIn(quiet) } }), contact);
      expect([quiet, held_until !== null]).toEqual([quiet, quiet === zone]);
      if (quiet === zone) expect(steps[0].delivery.reason).toContain(` in ${zone} is within `);
    }
  });

  it('never defer transactional mail', async () => {
    await setUp({ quiet_hours: nowIn('UTC') });
    const path = await create({
      steps: [emailStep('Receipt', 0, { email_is_transactional: true }), emailStep('News')],
    });
    const { email, id } = await enroll(path);
    const explained = await eventually('the second step', async () => {
      const { body } = await org.get(`${path}/enrollments/${id}`);
      return body.steps[1].delivery !== null && body;
    });
    expect(explained.steps.map(({ status }: { status: string }) => status)).toEqual(['done', 'waiting']);
    expect(stack.sink.to(email).map(({ subject }) => subject)).toEqual(['Receipt']);
  });

  it.each([
    ["the sequence's quiet hours", (path: string) => org.patch(path, { gates: { quiet_hours: nowIn(TOKYO) } })],
    ["the org's quiet hours", () => setUp({ quiet_hours: null })],
  ])('release deferred sends as soon as %s change', async (_, change) => {
    await setUp({ timezone: BOGOTA, quiet_hours: nowIn(BOGOTA) });
    const path = await create();
    const { email, held_until } = await enroll(path);
    expect(held_until).not.toBeNull();
    await change(path);
    await eventually('the mail', () => stack.sink.to(email).length === 1);
  });

  it.each([
    ['the sequence turns its own off', {}, (path: string) => org.patch(path, { gates: { quiet_hours: null } })],
    ['the org turns its own off', { quiet_hours: nowIn(BOGOTA) }, () => setUp({ quiet_hours: null })],
  ])('release all deferred sends at once when %s', async (_, settings, turnOff) => {
    await setUp({ timezone: BOGOTA, ...settings });
    const path = await create('quiet_hours' in settings ? {} : { gates: { quiet_hours: nowIn(BOGOTA) } });
    const held = [await enroll(path), await enroll(path)];
    expect(held.map(({ held_until }) => held_until !== null)).toEqual([true, true]);
    await turnOff(path);
    for (const { email } of held) await eventually('the mail', () => stack.sink.to(email).length === 1);
    const { items } = (await org.get('/deliveries')).body;
    expect(items.map(({ status }: { status: string }) => status)).toEqual(['accepted', 'accepted']);
  });

  it('end the deferred send of a deleted contact, and no other', async () => {
    const path = await create({ gates: { quiet_hours: nowIn('UTC') } });
    const [gone, stays] = [await enroll(path), await enroll(path)];
    expect((await org.delete(`/contacts/${gone.contact_id}`)).status).toBe(200);
    const canceled = await eventually('the end of the send', async () => {
      const { items } = (await org.get('/deliveries?status=canceled')).body;
      return items.length === 1 && items;
    });
    expect(canceled).toMatchObject([
      { id: gone.steps[0].delivery.id, enrollment_id: null, attempts: 0, sent_at: null },
    ]);
    expect((await org.get(`/deliveries/${stays.steps[0].delivery.id}`)).body.status).toBe('held');
  });

  describe('and the other gates', () => {
    const gatesOf = async (path: string) => (await org.get(path)).body.gates;

    it('are unset by default, merge by name, and are turned off by null', async () => {
      const path = await create();
      expect(await gatesOf(path)).toEqual({});
      const night = { start: '21:00', end: '08:00' };
      expect((await org.patch(path, { gates: { quiet_hours: night, daily_cap: 2 } })).status).toBe(200);
      expect((await org.patch(path, { gates: { daily_cap: 3, exit_on_reply: true } })).status).toBe(200);
      expect(await gatesOf(path)).toEqual({ quiet_hours: night, daily_cap: 3, exit_on_reply: true });
      expect((await org.patch(path, { gates: { quiet_hours: null, exit_on_reply: false } })).status).toBe(200);
      expect(await gatesOf(path)).toEqual({ quiet_hours: null, daily_cap: 3, exit_on_reply: false });
      await org.patch(path, { name: 'Renamed' });
      expect(await gatesOf(path)).toMatchObject({ daily_cap: 3 });
    });

    it.each([
      ['an invalid time', { quiet_hours: { start: '24:00', end: '08:00' } }, 'gates.quiet_hours.start'],
      ['a window without an end', { quiet_hours: { start: '21:00' } }, 'gates.quiet_hours.end'],
      ['a window of the whole day', { quiet_hours: { start: '00:00', end: '24:00' } }, 'gates.quiet_hours.end'],
      ['a window of zero length', { quiet_hours: { start: '08:00', end: '08:00' } }, 'gates.quiet_hours.end'],
      ['a cap of zero', { daily_cap: 0 }, 'gates.daily_cap'],
      ['a fractional cap', { daily_cap: 1.5 }, 'gates.daily_cap'],
      ['a rate of zero', { sends_per_minute: 0 }, 'gates.sends_per_minute'],
      ['a rate beyond a million', { sends_per_minute: 1_000_001 }, 'gates.sends_per_minute'],
      ['an exit other than true or false', { exit_on_reply: 'yes' }, 'gates.exit_on_reply'],
      ['an exit of null', { exit_when_unmatched: null }, 'gates.exit_when_unmatched'],
      ['a list instead of an object', [], 'gates'],
    ])('are rejected by POST and PATCH if they contain %s', async (_, gates, path) => {
      const created = await org.post('/sequences', { filter: null, steps: [emailStep('Hi')], gates });
      const changed = await org.patch(await create(), { gates });
      for (const { status, body } of [created, changed]) {
        expect(status).toBe(400);
        expect(body.issues.map((issue: { path: string }) => issue.path)).toContain(`body.${path}`);
      }
    });
  });
});
