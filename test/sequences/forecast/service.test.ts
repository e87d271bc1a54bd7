import { changeSettings } from '../../../src/orgs/service.ts';
import { getSequence, startSequence } from '../../../src/sequences/definitions/service.ts';
import { findDatabaseTime } from '../../../src/sequences/forecast/shared.queries.ts';
import { emailStep, smsStep } from '../../support/sequences.ts';
import { startTimeSkippingStack, type TimeSkippingStack } from '../../support/stack/time-skipping.ts';
import {
  COSTLESS,
  createOneOff,
  ledgerOutcomes,
  type Outcome,
  plannedOutcomes,
  recordHolds,
  seedWorld,
} from './scenario.ts';

const CONTACTS = process.env.TEST_TIER === 'long' ? 1_000 : 200;
const TIMEOUT_MS = 300_000;
/** The time of sending itself: a forecast does not include it. */
const SLACK_MS = 120_000;
/** A Friday afternoon. In Europe, clocks go forward in the night from Saturday to Sunday. */
const START = new Date('2026-03-27T14:07:13Z');
const NIGHT = { start: '21:00', end: '08:00' };

type Outcomes = Map<string, Outcome>;

/** Leaves out deferrals for a slot of the sender: these depend on milliseconds. */
const withoutTimes = (outcomes: Outcomes) =>
  [...outcomes]
    .map(([key, { skipped, heldBy }]) =>
      [key, skipped, ...heldBy.filter((gate) => gate !== 'sends_per_minute')].join('; '),
    )
    .toSorted();

describe('a forecast', () => {
  let time: TimeSkippingStack;
  beforeAll(async () => {
    time = await startTimeSkippingStack();
    await recordHolds(time.db);
  }, TIMEOUT_MS);
  afterAll(() => time.close());

  const one = emailStep('One');
  const scenarios: [string, object, object, object[]][] = [
    [
      'one send a day, and none at night',
      { daily_cap: 1, quiet_hours: NIGHT },
      {},
      [one, smsStep('Two', 7 * 60), emailStep('Three', 26 * 60)],
    ],
    [
      'two sends a day by its own gate, and transactional mail at any time',
      { daily_cap: 9, timezone: 'Asia/Kolkata' },
      { daily_cap: 2, quiet_hours: { start: '18:30', end: '10:15' } },
      [emailStep('One', 40), emailStep('Two', 60, { email_is_transactional: true }), smsStep('Three', 90)],
    ],
    [
      'sends in one hour a day only, and all steps at once',
      { quiet_hours: { start: '12:00', end: '11:00' } },
      { daily_cap: 2 },
      [smsStep('One'), emailStep('Two'), smsStep('Three')],
    ],
    [
      'sixty sends a minute, and none at night',
      { quiet_hours: NIGHT },
      { sends_per_minute: 60, daily_cap: 2 },
      [one, smsStep('Two', 6 * 60), emailStep('Three', 24 * 60)],
    ],
  ];

  it.each(scenarios)(
    `of ${CONTACTS} contacts equals what a run then sends, delivery by delivery: %s`,
    async (_, settings, gates, steps) => {
      const { db } = time;
      await time.setClock(START);
      const orgId = await seedWorld(db, CONTACTS, 4);
      await changeSettings(db, orgId, settings);
      const id = await createOneOff(db, orgId, steps, gates);

      const planned = await plannedOutcomes(db, orgId, id);
      await startSequence(db, orgId, id);
      const totals = await time.runSequence(orgId, id, COSTLESS);
      const sent = await ledgerOutcomes(db, orgId, id);

      expect(planned.size).toBe(steps.length * CONTACTS);
      expect(withoutTimes(planned)).toEqual(withoutTimes(sent));
      expect(differingTimes(planned, sent)).toEqual([]);
      // The scenario has enough different outcomes.
      expect(Map.groupBy(sent.values(), ({ skipped, heldBy }) => skipped ?? heldBy.join()).size).toBeGreaterThan(7);
      expect(totals.sent).toBe([...sent.values()].filter(({ skipped }) => skipped === null).length);
      expect((await getSequence(db, orgId, id)).status).toBe('complete');
    },
    TIMEOUT_MS,
  );

  it.each([3, 6, 12])(
    'of an active sequence, made before its batch %s, equals everything sent from then on',
    async (batch) => {
      const { db } = time;
      await time.setClock(START);
      const orgId = await seedWorld(db, 100, batch);
      await changeSettings(db, orgId, { daily_cap: 1, quiet_hours: NIGHT });
      const id = await createOneOff(db, orgId, [one, smsStep('Two', 7 * 60), emailStep('Three', 26 * 60)]);
      let [planned, plannedAt]: [Outcomes, number] = [new Map(), 0];
      await startSequence(db, orgId, id);
      await time.runSequence(orgId, id, COSTLESS, async (current) => {
        if (current === batch)
          [planned, plannedAt] = [await plannedOutcomes(db, orgId, id), (await findDatabaseTime(db)).getTime()];
      });
      const sent = await ledgerOutcomes(db, orgId, id);

      const rest = new Map([...sent].filter(([, { atMs }]) => atMs >= plannedAt));
      expect(planned.size).toBeGreaterThan(10);
      const skippedOf = (outcomes: Outcomes) =>
        [...outcomes].map(([key, { skipped }]) => `${key}: ${skipped}`).toSorted();
      expect(skippedOf(planned)).toEqual(skippedOf(rest));
      expect(differingTimes(planned, rest)).toEqual([]);
      for (const [key, { heldBy }] of planned) {
        const all = rest.get(key)?.heldBy ?? []; // including gates that deferred it before the forecast
        expect([key, ...all.slice(all.length - heldBy.length)]).toEqual([key, ...heldBy]);
      }
    },
    TIMEOUT_MS,
  );

  function differingTimes(planned: Outcomes, sent: Outcomes) {
    const late = [...planned].map(([key, { atMs }]) => ({ key, lateMs: (sent.get(key)?.atMs ?? 0) - atMs }));
    return late.filter(({ lateMs }) => Math.abs(lateMs) > SLACK_MS);
  }
});
