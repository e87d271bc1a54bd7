import { readFileSync } from 'node:fs';
import {
  isLastAroundClockChange,
  isMisplaced,
  isNearClockChange,
  lastTimeUpTo,
  nextTimeOf,
  timesAroundClockChanges,
} from '../../../src/automations/triggers/cron-times.ts';

const at = (text: string) => new Date(`${text}:00Z`);

/** The time of a day on which clocks go forward and skip it. */
const SKIPPED = [
  ['Europe/Berlin', '30 2 * * *', '2027-03-28T01:00'],
  ['America/New_York', '15 2 * * *', '2027-03-14T07:00'],
  ['Australia/Lord_Howe', '15 2 * * *', '2027-10-02T15:30'],
  ['America/Santiago', '0 0 * * *', '2027-09-05T04:00'],
  ['Africa/Cairo', '30 0 * * *', '2027-04-29T22:00'],
  ['America/Havana', '0 0,12 * * *', '2027-03-14T05:00'],
] as const;

/** The time of a day on which clocks go back, at its first and its second instant. */
const REPEATED = [
  ['Europe/Berlin', '30 2 * * *', '2027-10-31T00:30', '2027-10-31T01:30'],
  ['America/New_York', '30 1 * * *', '2026-11-01T05:30', '2026-11-01T06:30'],
  ['Australia/Lord_Howe', '45 1 * * *', '2027-04-03T14:45', '2027-04-03T15:15'],
  ['America/Santiago', '30 23 * * *', '2027-04-04T02:30', '2027-04-04T03:30'],
  ['Africa/Cairo', '15 23 * * *', '2027-10-28T20:15', '2027-10-28T21:15'],
  ['America/Havana', '0 0,12 * * *', '2026-11-01T04:00', '2026-11-01T05:00'],
] as const;

const DAY_MS = 86_400_000;
const dayBefore = (instant: Date) => new Date(instant.getTime() - DAY_MS);

describe('a fixed time of a cron expression', () => {
  it.each(SKIPPED)('that clocks of %s skip (%s) comes at the first instant after it', (timezone, cron, text) => {
    const [times, instant] = [{ cron, timezone }, at(text)];
    expect(timesAroundClockChanges(times, dayBefore(instant))).toContainEqual(instant);
    expect(isNearClockChange(times, instant)).toBe(true);
    expect(isMisplaced(times, instant)).toBe(false);
    expect(lastTimeUpTo(times, instant)).toEqual(instant);
  });

  it.each(REPEATED)('that clocks of %s repeat (%s) comes once, at the first of both', (timezone, cron, one, other) => {
    const [times, first, second] = [{ cron, timezone }, at(one), at(other)];
    const found = timesAroundClockChanges(times, dayBefore(first));
    expect(found).toContainEqual(first);
    expect(found).not.toContainEqual(second);
    expect([first, second].map((instant) => isMisplaced(times, instant))).toEqual([false, true]);
    expect(lastTimeUpTo(times, second)).toEqual(first);
  });

  it('of a zone without clock changes is never moved', () => {
    const times = { cron: '30 2 * * *', timezone: 'Asia/Kolkata' };
    expect(timesAroundClockChanges(times, at('2027-01-01T00:00'))).toEqual([]);
    expect(isNearClockChange(times, at('2027-03-28T01:00'))).toBe(false);
  });

  it('is the last one also behind one that a clock change has moved', () => {
    const times = { cron: '30 0,2 * * *', timezone: 'Europe/Berlin' };
    expect(lastTimeUpTo(times, at('2027-03-28T12:00'))).toEqual(at('2027-03-28T01:00'));
    expect(lastTimeUpTo(times, at('2027-03-28T00:59'))).toEqual(at('2027-03-27T23:30'));
  });
});

describe('an expression with * or a step in minutes or hours', () => {
  it.each(['*/30 * * * *', '30 * * * *', '30 */1 * * *'])('follows the clock (%s)', (cron) => {
    const times = { cron, timezone: 'Europe/Berlin' };
    const found = timesAroundClockChanges(times, at('2027-10-30T00:00'));
    for (const text of ['2027-10-31T00:30', '2027-10-31T01:30']) {
      expect(found).toContainEqual(at(text));
      expect(isMisplaced(times, at(text))).toBe(false);
    }
    expect(lastTimeUpTo(times, at('2027-10-31T01:45'))).toEqual(at('2027-10-31T01:30'));
  });
});

it.each([
  ['* * * * *', 'Europe/Berlin', '2027-03-28T01:00', 360],
  ['*/7 * * * *', 'America/New_York', '2026-11-01T06:00', 54],
  ['30 2 * * *', 'Europe/Berlin', '2027-10-31T01:00', 1],
  ['0 0,12 * * *', 'America/Havana', '2026-11-01T05:00', 1],
  ['* * * * *', 'Australia/Lord_Howe', '2027-04-03T15:00', 360],
])('%s in %s has one last time around a clock change', (cron, timezone, change, count) => {
  const times = { cron, timezone };
  const around = timesAroundClockChanges(times, dayBefore(at(change))).filter(
    (instant) => Math.abs(instant.getTime() - at(change).getTime()) < DAY_MS && isNearClockChange(times, instant),
  );
  expect(around).toHaveLength(count);
  expect(around.filter((instant) => isLastAroundClockChange(times, instant))).toEqual(around.slice(-1));
});

it('a run that an operator begins is not misplaced', () => {
  const times = { cron: '30 1 * * *', timezone: 'America/New_York' };
  expect(isMisplaced(times, new Date('2026-11-01T06:31:04Z'))).toBe(false);
});

it('an expression without a time has none', () => {
  expect(nextTimeOf({ cron: '0 0 30 2 *', timezone: 'UTC' })).toBeUndefined();
});

const DOCUMENTED = readFileSync(new URL('../../../docs/automations.md', import.meta.url), 'utf8').matchAll(
  /^\| `([^`]+)` \| (\w+\/\w+) \| (\d{4}-\d\d-\d\d) \| ([\d:, ]+) \|/gm,
);

it.each([...DOCUMENTED].map(([, ...row]) => row as [string, string, string, string]))(
  'the documentation of %s in %s on %s is right',
  (cron, timezone, day, instants) => {
    const expected = instants.split(', ').map((time) => at(`${day}T${time}`));
    const around = timesAroundClockChanges({ cron, timezone }, dayBefore(at(`${day}T00:00`)));
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, hour: '2-digit', minute: '2-digit' });
    for (const instant of expected) expect(around).toContainEqual(instant);
    const shown = new Set(expected.map((instant) => clock.format(instant)));
    const onDay = around.filter((instant) => instant.toISOString().startsWith(day) && shown.has(clock.format(instant)));
    expect(onDay).toEqual(expected);
  },
);
