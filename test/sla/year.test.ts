import { applySessionUpdate } from '../../src/conversations/sessions/actions.service.ts';
import { UpdateSession } from '../../src/conversations/sessions/schema.ts';
import { createSession, getSession } from '../../src/conversations/sessions/service.ts';
import type { Db } from '../../src/db/connect.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import type { DayOfWeek } from '../../src/desk/office-hours/business-time.rules.ts';
import { createOfficeHours } from '../../src/desk/office-hours/service.ts';
import { newId } from '../../src/ids.ts';
import { createOrg, createPartner } from '../../src/partners/service.ts';
import { assignPolicies } from '../../src/sla/assignment/service.ts';
import { getSessionSla } from '../../src/sla/clocks/service.ts';
import { SlaAssignment } from '../../src/sla/policies/schema.ts';
import { assignPolicy, createPolicy } from '../../src/sla/policies/service.ts';
import { minutesOf, openMinutes } from '../desk/office-hours/business-time-oracle.ts';
import { addMessage } from '../support/messages.ts';
import { startTimeSkippingStack, type TimeSkippingStack } from '../support/stack/time-skipping.ts';
import { type OracleFact, walk } from './oracle.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const BEGINNING = '2026-02-27T08:00:00Z';
const TURNS = process.env.TEST_TIER === 'long' ? 90 : 30;
/** All turns together take more than a year. */
const LONGEST_GAP_MS = (1_300 / TURNS) * DAY_MS;

const shift = (day_of_week: DayOfWeek, start: string, end: string) => ({
  day_of_week,
  start_time: `${start}:00`,
  end_time: `${end}:00`,
});
/** Split days, and nights from Friday and Saturday on, over both clock changes. */
const HOURS = {
  name: 'Berlin',
  iana_timezone: 'Europe/Berlin',
  shifts: [
    shift('monday_to_friday', '08:30', '12:00'),
    shift('monday_to_friday', '13:00', '17:45'),
    shift('friday_and_saturday', '22:00', '04:00'),
  ],
  holidays: [{ date: '2026-04-03' }, { date: '2026-12-25' }, { date: '2026-12-26' }],
};
const TARGETS = { first_reply: 6 * 3_600, next_reply: 12 * 3_600, resolution: 300 * 3_600 };

let time: TimeSkippingStack;
beforeAll(async () => {
  time = await startTimeSkippingStack();
});
afterAll(() => time.close());

/** A small generator of repeatable numbers. */
function* randoms(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

describe('the SLA clocks of a session over a year', () => {
  it('agree with the oracle to the second, and each breach is announced within a second', async () => {
    const { db } = time;
    await time.setClock(new Date(BEGINNING));
    const { orgId, id } = await time.watchClocks(async ({ sleep, wake }) => {
      const opened = await openSession(db);
      const random = randoms(7);
      await wake();
      for (let turn = 0; turn < TURNS; turn++) {
        await sleep(Math.round((random.next().value * LONGEST_GAP_MS) / (turn % 3 === 0 ? 40 : 1)) + 1);
        await act(db, opened.orgId, opened.id, random.next().value);
        await wake();
      }
      await sleep(60 * DAY_MS);
      return opened;
    });

    const events = await db
      .selectFrom('session_events')
      .select(['type', 'sender', 'data', 'created_at'])
      .where('session_id', '=', id)
      .orderBy('seq')
      .execute();
    const facts = events.flatMap(({ type, sender, data, created_at }): OracleFact[] => {
      const at = created_at.getTime();
      if (type === 'message') return [{ at, kind: sender as 'contact' | 'human_agent' | 'ai' }];
      return type === 'status_changed' ? [{ at, kind: data.to === 'open' ? 'opened' : 'closed' }] : [];
    });
    const { created_at } = await db
      .selectFrom('sessions')
      .select('created_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const until = (facts.at(-1) as OracleFact).at + 50 * DAY_MS;
    const from = Math.floor(created_at.getTime() / MINUTE_MS) * MINUTE_MS;
    const minutes = minutesOf(
      HOURS.iana_timezone,
      new Date(from).toISOString(),
      new Date(until + MINUTE_MS).toISOString(),
    );
    const open = openMinutes(minutes, HOURS);
    const told = walk(
      created_at.getTime(),
      until,
      facts,
      TARGETS,
      (at) => open[Math.floor((at - from) / MINUTE_MS)] as boolean,
    );
    expect(until - created_at.getTime()).toBeGreaterThan(365 * DAY_MS);

    const clocks = (await getSessionSla(db, orgId, id)).clocks;
    expect(clocks.length).toBe(told.length);
    expect(told.length).toBeGreaterThan(8);
    for (const expected of told) {
      const clock = clocks.find(({ metric, cycle }) => metric === expected.metric && cycle === expected.cycle);
      if (expected.isStopped) expect(clock?.elapsed_seconds).toBe(expected.elapsedMs / 1000);
      expect(clock?.breached_at?.getTime() ?? null).toBe(expected.breachedAt);
    }

    const breaches = events.flatMap(({ type, data, created_at: at }) =>
      type === 'sla_breached' ? [{ data, at }] : [],
    );
    const expected = told.filter(({ breachedAt }) => breachedAt !== null);
    expect(expected.length).toBeGreaterThan(5);
    expect(breaches.map(({ data }) => `${data.metric} ${data.cycle} ${data.at}`).toSorted()).toEqual(
      expected
        .map(({ metric, cycle, breachedAt }) => `${metric} ${cycle} ${new Date(breachedAt as number).toISOString()}`)
        .toSorted(),
    );
    const late = breaches.map(({ data, at }) => at.getTime() - Date.parse(data.at as string));
    if (process.env.SHOW_LATENESS)
      process.stderr.write(
        `clocks ${told.length}, breaches ${late.length}, late ${late.toSorted((a, b) => a - b).join(' ')} ms\n`,
      );
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThan(1_000);
  }, 300_000);
});

async function openSession(db: Db): Promise<{ orgId: string; id: string }> {
  const partner = await createPartner(db, { name: 'Partner' });
  const { id: orgId } = await createOrg(db, partner.id, { name: 'Org' });
  const hours = await createOfficeHours(db, orgId, HOURS);
  const policy = await createPolicy(db, orgId, {
    name: 'Year',
    office_hours_id: hours.id,
    first_reply_target_seconds: TARGETS.first_reply,
    next_reply_target_seconds: TARGETS.next_reply,
    resolution_target_seconds: TARGETS.resolution,
  });
  await assignPolicy(db, orgId, policy.id, SlaAssignment.parse({}));
  const { id } = await createSession(db, orgId, { channel: { type: 'api' } });
  const created = {
    id: 1,
    org_id: orgId,
    type: 'ticket-created',
    subject_id: id,
    depth: 0,
    payload: {},
    created_at: (await getSession(db, orgId, id)).created_at,
  } as const;
  await inTransaction(db, (trx) => assignPolicies(trx, orgId, [created]));
  return { orgId, id };
}

/** Adds a message, or closes or reopens the session. */
async function act(db: Db, orgId: string, id: string, chance: number): Promise<void> {
  const say = (sender: 'contact' | 'human_agent' | 'ai') =>
    inTransaction(db, (trx) => addMessage(trx, orgId, { id: newId(), sessionId: id, sender, content: 'Hi' }));
  const move = (status: 'open' | 'closed_resolved') =>
    applySessionUpdate(db, orgId, id, UpdateSession.parse({ status }));
  if (chance < 0.4) {
    await move('open');
    await say('contact');
  } else if (chance < 0.75) await say('human_agent');
  else if (chance < 0.8) await say('ai');
  else if (chance < 0.93) await move('closed_resolved');
  else await move('open');
}
