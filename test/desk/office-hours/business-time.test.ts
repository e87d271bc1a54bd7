import fc from 'fast-check';
import {
  addBusinessSeconds,
  businessCalendar,
  businessSecondsBetween,
  DAYS_OF,
  type DayOfWeek,
  isOpen,
  nextChange,
  openIntervals,
  type WorkingShift,
  type WorkingTime,
} from '../../../src/desk/office-hours/business-time.rules.ts';
import { datesAround, minutesOf, openMinutes } from './business-time-oracle.ts';

const IS_LONG = process.env.TEST_TIER === 'long';
const RUNS = IS_LONG ? 20_000 : 400;
const MINUTE_MS = 60_000;
const BERLIN = 'Europe/Berlin';
const LORD_HOWE = 'Australia/Lord_Howe';

/** For example 'monday 09:00-17:00'. */
const shiftOf = (text: string): WorkingShift => {
  const [day_of_week, times = ''] = text.split(' ');
  const [start, end] = times.split('-');
  return { day_of_week: day_of_week as DayOfWeek, start_time: `${start}:00`, end_time: `${end}:00` };
};

const hours = (iana_timezone: string, shifts: string[], holidays: string[] = []): WorkingTime => ({
  iana_timezone,
  shifts: shifts.map(shiftOf),
  holidays: holidays.map((date) => ({ date })),
});

const calendar = (...of: Parameters<typeof hours>) => businessCalendar(hours(...of));
const day = (date: string, days = 1): [Date, Date] => [
  new Date(`${date}T00:00Z`),
  new Date(Date.parse(`${date}T00:00Z`) + days * 86_400_000),
];

/** Returns the open intervals such as '29 01:00 to 29 02:00': days of the month and times in UTC. */
const shown = (of: Parameters<typeof calendar>, from: string, days: number) =>
  openIntervals(calendar(...of), ...day(from, days)).map((interval) => {
    const [start, end] = [interval.start, interval.end].map((at) => at.toISOString().slice(8, 16).replace('T', ' '));
    return `${start} to ${end}`;
  });

describe('open intervals', () => {
  it.each<[string, Parameters<typeof calendar>, string, number, string[]]>([
    [
      'a split day',
      ['UTC', ['monday 09:00-12:00', 'monday 13:00-17:00']],
      '2026-06-01',
      1,
      ['01 09:00 to 01 12:00', '01 13:00 to 01 17:00'],
    ],
    [
      'shifts that overlap',
      ['UTC', ['monday 09:00-14:00', 'everyday 13:00-17:00']],
      '2026-06-01',
      1,
      ['01 09:00 to 01 17:00'],
    ],
    [
      'shifts that touch',
      ['UTC', ['monday 09:00-12:00', 'monday 12:00-17:00']],
      '2026-06-01',
      1,
      ['01 09:00 to 01 17:00'],
    ],
    [
      'the same shift twice',
      ['UTC', ['monday 09:00-12:00', 'monday 09:00-12:00']],
      '2026-06-01',
      1,
      ['01 09:00 to 01 12:00'],
    ],
    ['a night', ['UTC', ['monday 22:00-06:00']], '2026-06-01', 2, ['01 22:00 to 02 06:00']],
    ['a night from Saturday on', ['UTC', ['saturday 22:00-06:00']], '2026-06-06', 2, ['06 22:00 to 07 06:00']],
    ['24 hours', ['UTC', ['monday 09:00-09:00']], '2026-06-01', 3, ['01 09:00 to 02 09:00']],
    ['a day until midnight', ['UTC', ['monday 09:00-00:00']], '2026-06-01', 3, ['01 09:00 to 02 00:00']],
    ['always', ['UTC', ['everyday 00:00-00:00']], '2026-06-01', 7, ['01 00:00 to 08 00:00']],
    ['a holiday', ['UTC', ['everyday 09:00-12:00'], ['2026-06-01']], '2026-06-01', 1, []],
    [
      'a night into a holiday',
      ['UTC', ['sunday 22:00-06:00'], ['2026-06-01']],
      '2026-05-31',
      2,
      ['31 22:00 to 01 00:00'],
    ],
    [
      'a night out of a holiday',
      ['UTC', ['monday 22:00-06:00'], ['2026-06-01']],
      '2026-06-01',
      2,
      ['02 00:00 to 02 06:00'],
    ],
    ['nothing', ['UTC', []], '2026-06-01', 7, []],
    // 2026-03-29 in Berlin: 02:00 becomes 03:00 at 01:00Z; 2026-10-25: 03:00 becomes 02:00 at 01:00Z
    ['a shift in the gap', [BERLIN, ['sunday 02:00-03:00']], '2026-03-29', 1, []],
    ['a shift from the gap on', [BERLIN, ['sunday 02:30-04:00']], '2026-03-29', 1, ['29 01:00 to 29 02:00']],
    ['a shift over the gap', [BERLIN, ['sunday 01:00-04:00']], '2026-03-29', 1, ['29 00:00 to 29 02:00']],
    [
      'a shift in the repeated hour',
      [BERLIN, ['sunday 02:15-02:45']],
      '2026-10-25',
      1,
      ['25 00:15 to 25 00:45', '25 01:15 to 25 01:45'],
    ],
    [
      'a shift into the repeated hour',
      [BERLIN, ['sunday 01:00-02:30']],
      '2026-10-24',
      2,
      ['24 23:00 to 25 00:30', '25 01:00 to 25 01:30'],
    ],
    ['a night that gains an hour', [BERLIN, ['saturday 22:00-06:00']], '2026-10-24', 2, ['24 20:00 to 25 05:00']],
    [
      'a holiday of 23 hours',
      [BERLIN, ['everyday 00:00-00:00'], ['2026-03-29']],
      '2026-03-28',
      3,
      ['28 00:00 to 28 23:00', '29 22:00 to 31 00:00'],
    ],
    ['the repeated half hour', [LORD_HOWE, ['sunday 01:30-02:00']], '2026-04-04', 1, ['04 14:30 to 04 15:30']],
    ['the gap of half an hour', [LORD_HOWE, ['sunday 01:30-03:00']], '2026-10-03', 1, ['03 15:00 to 03 16:00']],
    ['Kathmandu', ['Asia/Kathmandu', ['monday 09:00-17:00']], '2026-06-01', 1, ['01 03:15 to 01 11:15']],
    // In 2011 Apia skipped 30 December, a Friday: the clock went from the end of the 29th to the 31st, at 10:00Z.
    ['a day skipped by the time zone', ['Pacific/Apia', ['friday 00:00-00:00']], '2011-12-29', 3, []],
  ])('are correct for %s', (_, of, from, days, expected) => {
    expect(shown(of, from, days)).toEqual(expected);
  });

  it('cross midnight from a shift that ends with the day, and are 24 hours from the last second to itself', () => {
    const openOf = (day_of_week: DayOfWeek, start_time: string, end_time: string) =>
      openIntervals(
        businessCalendar({ iana_timezone: 'UTC', shifts: [{ day_of_week, start_time, end_time }], holidays: [] }),
        ...day('2026-06-01', 7),
      ).map(({ start, end }) => `${start.toISOString().slice(8, 19)} to ${end.toISOString().slice(8, 19)}`);
    expect(openOf('everyday', '00:00:00', '23:59:59')).toEqual(['01T00:00:00 to 08T00:00:00']);
    expect(openOf('monday_to_friday', '00:00:00', '24:00:00')).toEqual(['01T00:00:00 to 06T00:00:00']);
    expect(openOf('tuesday', '22:00:00', '24:00:00')).toEqual(['02T22:00:00 to 03T00:00:00']);
    expect(openOf('tuesday', '23:59:59', '24:00:00')).toEqual(['02T23:59:59 to 03T00:00:00']);
    expect(openOf('tuesday', '23:59:59', '23:59:59')).toEqual(['02T23:59:59 to 03T23:59:59']);
  });

  it.each(Object.entries(DAYS_OF))('are on the right days of the week for %s', (day_of_week, days) => {
    const open = openIntervals(calendar('UTC', [`${day_of_week} 09:00-10:00`]), ...day('2026-06-07', 7)); // a Sunday
    expect(open.map(({ start }) => start.getUTCDay())).toEqual([...days]);
  });
});

describe('calculations with office hours', () => {
  const always = calendar(BERLIN, ['everyday 00:00-00:00']);
  const never = calendar(BERLIN, []);
  const nightly = calendar('UTC', ['monday 22:00-06:00']);
  const at = new Date('2026-06-01T12:00:00.250Z');

  it('find no next change if it is always open or always closed', () => {
    expect(nextChange(always, at)).toBeNull();
    expect(nextChange(never, at)).toBeNull();
    expect(nextChange(calendar(BERLIN, ['everyday 00:00-00:00'], ['2026-12-25']), at)).toEqual(
      new Date('2026-12-24T23:00Z'),
    );
  });

  it('find no end of a duration without open hours or beyond ten years', () => {
    expect(addBusinessSeconds(never, at, 1)).toBeNull();
    expect(addBusinessSeconds(never, at, 0)).toEqual(at);
    expect(addBusinessSeconds(always, at, 3_600.5)).toEqual(new Date('2026-06-01T13:00:00.750Z'));
    expect(addBusinessSeconds(always, at, 11 * 366 * 86_400)).toBeNull();
    expect(addBusinessSeconds(nightly, at, 1e9)).toBeNull();
  });

  it('end a duration of full shifts at the end of a shift, not at the start of the next', () => {
    expect(addBusinessSeconds(nightly, at, 8 * 3_600)).toEqual(new Date('2026-06-02T06:00Z'));
    expect(addBusinessSeconds(nightly, at, 8 * 3_600 + 1)).toEqual(new Date('2026-06-08T22:00:01Z'));
  });

  it('count nothing between times in reverse order, and count fractions of a second', () => {
    expect(businessSecondsBetween(always, at, new Date('2026-06-01T11:00Z'))).toBe(0);
    expect(businessSecondsBetween(always, at, new Date('2026-06-01T12:00:01Z'))).toBe(0.75);
    expect(openIntervals(always, at, at)).toEqual([]);
  });

  it('include the start of a shift and exclude its end', () => {
    const openAt = (time: string) => isOpen(nightly, new Date(time));
    expect(['2026-06-01T21:59:59.999Z', '2026-06-02T06:00Z'].map(openAt)).toEqual([false, false]);
    expect(['2026-06-01T22:00Z', '2026-06-02T05:59:59.999Z'].map(openAt)).toEqual([true, true]);
  });
});

/** Days around clock changes, and Kathmandu without any. */
const SPANS = [
  [BERLIN, '2026-03-27T22:00Z', '2026-03-31T00:00Z'],
  [BERLIN, '2026-10-23T22:00Z', '2026-10-27T00:00Z'],
  ['America/New_York', '2026-03-06T22:00Z', '2026-03-10T00:00Z'],
  ['America/New_York', '2026-10-30T22:00Z', '2026-11-03T00:00Z'],
  [LORD_HOWE, '2026-04-03T10:00Z', '2026-04-07T00:00Z'],
  [LORD_HOWE, '2026-10-02T10:00Z', '2026-10-06T00:00Z'],
  ['Asia/Kathmandu', '2026-03-27T22:00Z', '2026-03-31T00:00Z'],
  ['Pacific/Chatham', '2026-09-25T10:00Z', '2026-09-28T12:00Z'],
  ['America/Santiago', '2026-09-04T22:00Z', '2026-09-08T00:00Z'],
  ['America/Santiago', '2026-04-03T22:00Z', '2026-04-07T00:00Z'],
  ['Pacific/Apia', '2011-12-28T10:00Z', '2012-01-01T12:00Z'],
] as const;
const worlds = SPANS.map(([zone, from, to]) => ({
  zone,
  minutes: minutesOf(zone, from, to),
  dates: datesAround(from, to),
}));

const times = fc
  .oneof(fc.integer({ min: 0, max: 1_439 }), fc.integer({ min: 60, max: 240 }), fc.constantFrom(0, 1_439)) // clock changes are at night
  .map((minute) => new Date(minute * MINUTE_MS).toISOString().slice(11, 19));
const shifts = fc.array(
  fc.record({
    day_of_week: fc.constantFrom(...(Object.keys(DAYS_OF) as DayOfWeek[])),
    start_time: times,
    end_time: times,
  }),
  { maxLength: 5 },
);
const cases = fc.constantFrom(...worlds).chain(({ zone, minutes, dates }) =>
  fc.record({
    minutes: fc.constant(minutes),
    hours: fc.record({
      iana_timezone: fc.constant<string>(zone),
      shifts,
      holidays: fc.array(
        fc.constantFrom(...dates).map((date) => ({ date })),
        { maxLength: 2 },
      ),
    }),
    bounds: fc
      .tuple(fc.nat({ max: minutes.length - 1 }), fc.nat({ max: minutes.length - 1 }))
      .map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]),
  }),
);

describe('a minute-by-minute oracle of business time', () => {
  /** Compares the rules with the oracle for the same working time. */
  const compare = (
    check: (
      calendar: ReturnType<typeof businessCalendar>,
      at: number[],
      open: boolean[],
      bounds: [number, number],
    ) => void,
  ) =>
    fc.assert(
      fc.property(cases, ({ minutes, hours: working, bounds }) => {
        check(
          businessCalendar(working),
          minutes.map(({ at }) => at),
          openMinutes(minutes, working),
          bounds,
        );
      }),
      { numRuns: RUNS },
    );

  it('agrees with the open intervals and their duration', () =>
    compare((of, at, open, [first, last]) => {
      const [from, to] = [new Date(at[first] as number), new Date(at[last] as number)];
      const expected: { start: Date; end: Date }[] = [];
      for (let minute = first; minute < last; minute++) {
        if (!open[minute]) continue;
        const end = new Date((at[minute] as number) + MINUTE_MS);
        const before = expected.at(-1);
        if (before !== undefined && minute > first && open[minute - 1]) before.end = end;
        else expected.push({ start: new Date(at[minute] as number), end });
      }
      expect(openIntervals(of, from, to)).toEqual(expected);
      expect(businessSecondsBetween(of, from, to)).toBe(open.slice(first, last).filter(Boolean).length * 60);
    }));

  it('agrees with the open state, also within the minute, and with its next change', () =>
    compare((of, at, open, [first]) => {
      const from = new Date(at[first] as number);
      expect(isOpen(of, from)).toBe(open[first]);
      expect(isOpen(of, new Date(from.getTime() + MINUTE_MS - 1))).toBe(open[first]);
      const change = open.findIndex((isOpenThen, minute) => minute > first && isOpenThen !== open[first]);
      const told = nextChange(of, from)?.getTime() ?? Infinity;
      if (change === -1) expect(told).toBeGreaterThan(at.at(-1) as number);
      else expect(told).toBe(at[change]);
    }));

  it('agrees with the end of a duration', () =>
    compare((of, at, open, [first, last]) => {
      const from = new Date(at[first] as number);
      const worked = open.slice(first, last).filter(Boolean).length;
      const seconds = worked * 60 - (worked > 0 ? 17 : 0);
      const until = addBusinessSeconds(of, from, seconds);
      if (worked === 0) return expect(until).toEqual(from);
      const lastWorked = open.findLastIndex((isOpenThen, minute) => minute < last && isOpenThen);
      expect(until).toEqual(new Date((at[lastWorked] as number) + 43_000));
      expect(businessSecondsBetween(of, from, until as Date)).toBe(seconds);
    }));

  it('agrees over weeks or a year in Berlin with holidays and night shifts', () => {
    const working = hours(
      BERLIN,
      ['monday_to_friday 08:30-12:00', 'monday_to_friday 13:00-17:45', 'friday_and_saturday 22:00-04:00'],
      ['2026-04-03', '2026-12-25', '2026-12-26'],
    );
    const [from, to] = IS_LONG ? day('2026-01-01', 365) : day('2026-03-15', 42);
    const minutes = minutesOf(BERLIN, from.toISOString(), to.toISOString());
    const worked = openMinutes(minutes, working).filter(Boolean).length;
    expect(businessSecondsBetween(businessCalendar(working), from, to)).toBe(worked * 60);
  });
});
