import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changeSettings } from '../../src/orgs/service.ts';
import { getSequence, startSequence } from '../../src/sequences/service.ts';
import { emailStep, smsStep } from '../support/sequences.ts';
import { type SkippedTime, startSkippedTime } from '../support/skipped-time.ts';
import {
  COSTLESS,
  createOneOff,
  ledgerOutcomes,
  type Outcome,
  plannedOutcomes,
  recordHolds,
  seedWorld,
} from './forecast-world.ts';

const CONTACTS = process.env.TEST_TIER === 'long' ? 1_000 : 200;
const TIMEOUT_MS = 300_000;
/** What sending itself takes: a forecast counts none of it. */
const SLACK_MS = 120_000;
/** A Friday afternoon; in the night from Saturday to Sunday clocks go forward in Europe. */
const START = new Date('2026-03-27T14:07:13Z');

const withoutTimes = (outcomes: Map<string, Outcome>) =>
  [...outcomes].map(([key, { skipped, heldBy }]) => [key, skipped, ...heldBy].join('; ')).toSorted();

describe('a forecast in skipped time', () => {
  let time: SkippedTime;
  beforeAll(async () => {
    time = await startSkippedTime();
    await recordHolds(time.db);
  }, TIMEOUT_MS);
  afterAll(() => time.close());

  it.each([
    [
      'one message a day, and not at night',
      { daily_cap: 1, quiet_hours: { start: '21:00', end: '08:00' } },
      {},
      [emailStep('One'), smsStep('Two', 7 * 60), emailStep('Three', 26 * 60)],
    ],
    [
      'two a day by a gate of its own, and transactional mail at any time',
      { daily_cap: 9, timezone: 'Asia/Kolkata' },
      { daily_cap: 2, quiet_hours: { start: '18:30', end: '10:15' } },
      [emailStep('One', 40), emailStep('Two', 60, { email_is_transactional: true }), smsStep('Three', 90)],
    ],
    [
      'one hour a day in which anything goes, and steps at once',
      { quiet_hours: { start: '12:00', end: '11:00' } },
      { daily_cap: 2 },
      [smsStep('One'), emailStep('Two'), smsStep('Three')],
    ],
  ])(
    `of ${CONTACTS} contacts equals what a run then sends, delivery by delivery: %s`,
    async (_, settings, gates, steps) => {
      const { db } = time;
      await time.setClock(START);
      const orgId = await seedWorld(db, CONTACTS, 4);
      await changeSettings(db, orgId, settings);
      const sequenceId = await createOneOff(db, orgId, steps, gates);

      const planned = await plannedOutcomes(db, orgId, sequenceId);
      await startSequence(db, orgId, sequenceId);
      const totals = await time.runSequence(orgId, sequenceId, COSTLESS);
      const sent = await ledgerOutcomes(db, orgId, sequenceId);

      expect(planned.size).toBe(3 * CONTACTS);
      expect(withoutTimes(planned)).toEqual(withoutTimes(sent));
      for (const [key, { atMs }] of planned)
        expect(Math.abs((sent.get(key) as Outcome).atMs - atMs)).toBeLessThan(SLACK_MS);
      const kinds = Map.groupBy(sent.values(), ({ skipped, heldBy }) => skipped ?? heldBy.join());
      expect(kinds.size).toBeGreaterThan(7); // the world has shown enough of what can be
      expect(totals.sent).toBe([...sent.values()].filter(({ skipped }) => skipped === null).length);
      expect((await getSequence(db, orgId, sequenceId)).status).toBe('complete');
    },
    TIMEOUT_MS,
  );
});
