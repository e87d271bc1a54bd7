import fc from 'fast-check';
import {
  dayOf,
  type QuietWindow,
  quietReason,
  quietUntil,
  quietUntilInAll,
  recipientZones,
  type Zones,
} from '../../../src/deliveries/sending/quiet-hours.rules.ts';

const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';
const LORD_HOWE = 'Australia/Lord_Howe';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NIGHT = { start: '21:00', end: '08:00' };

/** '21:00-08:00' */
const windowOf = (text: string): QuietWindow => ({ start: text.slice(0, 5), end: text.slice(6) });

/** Computed by ICU, independently of the code. */
const clockAt = (at: Date, timeZone: string) =>
  at.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dateAt = (at: Date, timeZone: string) => at.toLocaleDateString('en-CA', { timeZone });

function isInside(at: Date, timeZone: string, { start, end }: QuietWindow): boolean {
  const time = clockAt(at, timeZone);
  return start < end ? time >= start && time < `${end}:00` : start !== end && (time >= start || time < `${end}:00`);
}

const earlier = (at: Date, ms: number) => new Date(at.getTime() - ms);

describe('quiet hours around a clock change', () => {
  it.each([
    // 2026-03-29 in Berlin: 02:00 becomes 03:00 at 01:00Z
    ['a night that loses an hour', BERLIN, '21:00-08:00', '2026-03-28T20:00:00Z', '2026-03-29T06:00:00Z'],
    ['an end inside the gap', BERLIN, '21:00-02:30', '2026-03-28T23:00:00Z', '2026-03-29T01:00:00Z'],
    ['an end where the gap begins', BERLIN, '21:00-02:00', '2026-03-28T23:00:00Z', '2026-03-29T01:00:00Z'],
    ['an end where the gap ends', BERLIN, '21:00-03:00', '2026-03-28T23:00:00Z', '2026-03-29T01:00:00Z'],
    ['a start inside the gap', BERLIN, '02:30-08:00', '2026-03-29T01:00:00Z', '2026-03-29T06:00:00Z'],
    ['the last moment before such a start', BERLIN, '02:30-08:00', '2026-03-29T00:59:59.999Z', null],
    ['a window inside the gap', BERLIN, '02:15-02:45', '2026-03-29T00:59:59.999Z', null],
    ['a window inside the gap, after it', BERLIN, '02:15-02:45', '2026-03-29T01:00:00Z', null],
    // 2026-10-25 in Berlin: 03:00 becomes 02:00 at 01:00Z
    ['a night that gains an hour', BERLIN, '21:00-08:00', '2026-10-24T19:00:00Z', '2026-10-25T07:00:00Z'],
    [
      'an end in the repeated hour, its first pass',
      BERLIN,
      '21:00-02:30',
      '2026-10-24T22:00:00Z',
      '2026-10-25T00:30:00Z',
    ],
    ['the free half hour between the passes', BERLIN, '21:00-02:30', '2026-10-25T00:45:00Z', null],
    [
      'an end in the repeated hour, its second pass',
      BERLIN,
      '21:00-02:30',
      '2026-10-25T01:00:00Z',
      '2026-10-25T01:30:00Z',
    ],
    ['an end where the repeated hour ends', BERLIN, '21:00-03:00', '2026-10-24T22:00:00Z', '2026-10-25T02:00:00Z'],
    ['an end where the repeated hour begins', BERLIN, '21:00-02:00', '2026-10-24T22:00:00Z', '2026-10-25T00:00:00Z'],
    [
      'a start in the repeated hour, broken by the change',
      BERLIN,
      '02:30-08:00',
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:00:00Z',
    ],
    [
      'a start in the repeated hour, its second pass',
      BERLIN,
      '02:30-08:00',
      '2026-10-25T01:30:00Z',
      '2026-10-25T07:00:00Z',
    ],
    [
      'a window in the repeated hour, its first pass',
      BERLIN,
      '02:15-02:45',
      '2026-10-25T00:15:00Z',
      '2026-10-25T00:45:00Z',
    ],
    [
      'a window in the repeated hour, its second pass',
      BERLIN,
      '02:15-02:45',
      '2026-10-25T01:15:00Z',
      '2026-10-25T01:45:00Z',
    ],
    // 2026-03-08 in New York: 02:00 becomes 03:00 at 07:00Z; 2026-11-01: 02:00 becomes 01:00 at 06:00Z
    ['a night that loses an hour', NEW_YORK, '21:00-08:00', '2026-03-08T02:00:00Z', '2026-03-08T12:00:00Z'],
    ['an end inside the gap', NEW_YORK, '22:00-02:01', '2026-03-08T06:30:00Z', '2026-03-08T07:00:00Z'],
    ['a night that gains an hour', NEW_YORK, '21:00-08:00', '2026-11-01T01:00:00Z', '2026-11-01T13:00:00Z'],
    [
      'an end in the repeated hour, its first pass',
      NEW_YORK,
      '22:00-01:30',
      '2026-11-01T05:00:00Z',
      '2026-11-01T05:30:00Z',
    ],
    [
      'an end in the repeated hour, its second pass',
      NEW_YORK,
      '22:00-01:30',
      '2026-11-01T06:00:00Z',
      '2026-11-01T06:30:00Z',
    ],
    // 2026-04-05 in Lord Howe: 02:00 becomes 01:30 at 15:00Z the day before; 2026-10-04: 02:00 becomes 02:30 at 15:30Z the day before
    ['a night that gains half an hour', LORD_HOWE, '21:00-08:00', '2026-04-04T10:00:00Z', '2026-04-04T21:30:00Z'],
    [
      'an end in the repeated half hour, its first pass',
      LORD_HOWE,
      '21:00-01:45',
      '2026-04-04T14:00:00Z',
      '2026-04-04T14:45:00Z',
    ],
    [
      'an end in the repeated half hour, its second pass',
      LORD_HOWE,
      '21:00-01:45',
      '2026-04-04T15:00:00Z',
      '2026-04-04T15:15:00Z',
    ],
    ['a night that loses half an hour', LORD_HOWE, '21:00-08:00', '2026-10-03T10:30:00Z', '2026-10-03T21:00:00Z'],
    ['an end inside the gap of half an hour', LORD_HOWE, '21:00-02:15', '2026-10-03T15:00:00Z', '2026-10-03T15:30:00Z'],
    // In 2011 Apia went from the end of 29 December to the beginning of the 31st, at 10:00Z.
    ['a night over a skipped day', 'Pacific/Apia', '21:00-08:00', '2011-12-30T07:00:00Z', '2011-12-30T18:00:00Z'],
    [
      'an end at the midnight that skips a day',
      'Pacific/Apia',
      '21:00-00:00',
      '2011-12-30T07:00:00Z',
      '2011-12-30T10:00:00Z',
    ],
  ])('end with the wall clock: %s: %s, %s', (_, zone, window, at, until) => {
    expect(quietUntil(new Date(at), zone, windowOf(window))?.toISOString() ?? null).toBe(
      until === null ? null : new Date(until).toISOString(),
    );
  });
});

describe('quiet hours', () => {
  it.each([
    ['before a window in the day', '12:00-14:00', '2026-06-01T09:59:59.999Z', null],
    ['where it begins', '12:00-14:00', '2026-06-01T10:00:00Z', '2026-06-01T12:00:00Z'],
    ['a millisecond before it ends', '12:00-14:00', '2026-06-01T11:59:59.999Z', '2026-06-01T12:00:00Z'],
    ['where it ends', '12:00-14:00', '2026-06-01T12:00:00Z', null],
    ['in the evening of a night', '21:00-08:00', '2026-06-01T19:00:00Z', '2026-06-02T06:00:00Z'],
    ['in the morning of a night', '21:00-08:00', '2026-06-01T04:00:00Z', '2026-06-01T06:00:00Z'],
    ['between two nights', '21:00-08:00', '2026-06-01T06:00:00Z', null],
    ['until midnight', '21:00-00:00', '2026-06-01T20:00:00Z', '2026-06-01T22:00:00Z'],
    ['until the end of the day', '21:00-24:00', '2026-06-01T20:00:00Z', '2026-06-01T22:00:00Z'],
    ['from midnight on', '00:00-08:00', '2026-06-01T22:00:00Z', '2026-06-02T06:00:00Z'],
    ['in a day with one free minute', '09:01-09:00', '2026-06-01T07:01:00Z', '2026-06-02T07:00:00Z'],
    ['in no window at all', '09:00-09:00', '2026-06-01T07:00:00Z', null],
    ['before 1970', '21:00-08:00', '1969-06-01T20:00:00.500Z', '1969-06-02T07:00:00.000Z'],
  ])('are evaluated correctly %s: %s', (_, window, at, until) => {
    expect(quietUntil(new Date(at), BERLIN, windowOf(window))?.toISOString() ?? null).toBe(
      until === null ? null : new Date(until).toISOString(),
    );
  });

  const zones = fc.constantFrom(BERLIN, NEW_YORK, LORD_HOWE, 'Asia/Kathmandu', 'America/Santiago', 'UTC');
  const changes = [
    '2026-03-29T01:00Z',
    '2026-10-25T01:00Z',
    '2026-03-08T07:00Z',
    '2026-11-01T06:00Z',
    '2026-04-04T15:00Z',
  ];
  const nearChange = fc
    .tuple(fc.constantFrom(...changes, '2026-10-03T15:30Z'), fc.integer({ min: -DAY_MS, max: DAY_MS }))
    .map(([change, ms]) => new Date(Date.parse(change) + ms));
  const anyInstant = fc.date({
    min: new Date('2020-01-01T00:00Z'),
    max: new Date('2035-12-31T00:00Z'),
    noInvalidDate: true,
  });
  const instants = fc.oneof(anyInstant, nearChange);
  const times = fc
    .oneof(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 60, max: 180 })) // clocks change at night
    .map((minute) => new Date(minute * MINUTE_MS).toISOString().slice(11, 16));
  const windows = fc.record({ start: times, end: times });

  it('last exactly as long as the wall clock is inside the window', () => {
    fc.assert(
      fc.property(instants, zones, windows, (at, zone, window) => {
        const until = quietUntil(at, zone, window);
        expect(until !== null).toBe(isInside(at, zone, window));
        if (until === null) return;
        expect(until.getTime()).toBeGreaterThan(at.getTime());
        expect(isInside(until, zone, window)).toBe(false);
        expect(isInside(earlier(until, 1), zone, window)).toBe(true);
        expect(isInside(earlier(until, MINUTE_MS), zone, window)).toBe(true);
        expect(quietUntil(until, zone, window)).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  it('have no free minute before their end', () => {
    fc.assert(
      fc.property(nearChange, zones, windows, (at, zone, window) => {
        const until = quietUntil(at, zone, window)?.getTime() ?? 0;
        for (let ms = at.getTime(); ms < until; ms += 15 * MINUTE_MS) {
          expect(isInside(new Date(ms), zone, window)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keep the order of sends', () => {
    const sendAt = (at: Date, zone: string, window: QuietWindow) => quietUntil(at, zone, window) ?? at;
    fc.assert(
      fc.property(instants, fc.nat({ max: 2 * DAY_MS }), zones, windows, (at, ms, zone, window) => {
        const later = sendAt(new Date(at.getTime() + ms), zone, window);
        expect(later.getTime()).toBeGreaterThanOrEqual(sendAt(at, zone, window).getTime());
      }),
    );
  });

  it('quiet hours of several zones end at the first instant free in all of them', () => {
    fc.assert(
      fc.property(instants, zones, zones, zones, windows, (at, first, second, third, window) => {
        const names: Zones = [first, second, third];
        const isQuiet = (instant: Date) => names.some((zone) => isInside(instant, zone, window));
        const until = quietUntilInAll(at, names, window);
        if (!isQuiet(at)) {
          expect(until).toBeNull();
          return;
        }
        const isNever = until === null || isQuiet(until);
        if (isNever) expect(until).toEqual(quietUntil(at, first, window));
        const end = isNever ? at.getTime() + 2 * DAY_MS : until.getTime();
        for (let ms = at.getTime(); ms < end; ms += 15 * MINUTE_MS) expect(isQuiet(new Date(ms))).toBe(true);
      }),
      { numRuns: process.env.TEST_TIER === 'long' ? 300 : 50 },
    );
  });
});

describe('quiet hours of a country with several zones', () => {
  const coasts: Zones = [NEW_YORK, 'America/Los_Angeles'];

  it.each([
    ['in the morning wait for the west', '2026-06-01T12:00:00Z', '2026-06-01T15:00:00.000Z'],
    ['are over at noon', '2026-06-01T16:00:00Z', null],
    ['begin with the evening in the east', '2026-06-02T01:00:00Z', '2026-06-02T15:00:00.000Z'],
  ])('%s', (_, at, until) => {
    expect(quietUntilInAll(new Date(at), coasts, NIGHT)?.toISOString() ?? null).toBe(until);
  });

  it('leave three hours of the day for all of Russia', () => {
    const zones = recipientZones({ phone_number: '+79161234567', custom_data: {} }, null);
    const until = quietUntilInAll(new Date('2026-06-01T12:00:00Z'), zones, NIGHT);
    expect(until?.toISOString()).toBe('2026-06-02T06:00:00.000Z'); // 18:00 in Kamchatka, 08:00 in Kaliningrad
  });

  it.each([
    ['+79161234567', { start: '18:00', end: '10:00' }, 'Europe/Moscow'],
    ['+12125550123', { start: '11:00', end: '10:00' }, NEW_YORK],
  ])('are those of the main zone for %s if no hour is free in all zones', (number, window, zone) => {
    const zones = recipientZones({ phone_number: number, custom_data: {} }, null);
    for (const at of ['2026-06-01T03:00:00Z', '2026-06-01T14:30:00Z'].map((text) => new Date(text))) {
      expect(quietUntilInAll(at, zones, window)).toEqual(quietUntil(at, zone, window));
    }
  });
});

describe('the zones of a recipient', () => {
  const zonesOf = (
    phone_number: string | null,
    custom_data: Record<string, unknown> = {},
    org: string | null = 'Asia/Tokyo',
  ) => recipientZones({ phone_number, custom_data }, org);

  it.each([
    ['custom_data names one', '+4915112345678', { timezone: ' America/Chicago ' }, ['America/Chicago']],
    ['custom_data names none that exists', '+33612345678', { timezone: 'Mars/Olympus' }, ['Europe/Paris']],
    ['custom_data names an offset', '+33612345678', { timezone: '+02:00' }, ['Europe/Paris']],
    ['custom_data holds a number', '+33612345678', { timezone: 2 }, ['Europe/Paris']],
    ['custom_data is blank', '+33612345678', { timezone: ' ' }, ['Europe/Paris']],
    ['the number says the country', '+41446681800', {}, ['Europe/Zurich']],
    ['the number has no country', '+80012345678', {}, ['Asia/Tokyo']],
    ['the number has a country without zones', '+38344123456', {}, ['Asia/Tokyo']],
    ['the number is none', 'ada', {}, ['Asia/Tokyo']],
    ['there is no number', null, {}, ['Asia/Tokyo']],
  ])('are chosen when %s', (_, number, data, expected) => {
    expect(zonesOf(number, data)).toEqual(expected);
  });

  it('are all zones of the country, the main one first', () => {
    const zones = zonesOf('+12125550123');
    expect(zones[0]).toBe(NEW_YORK);
    expect(zones).toEqual(expect.arrayContaining(['America/Chicago', 'America/Los_Angeles', 'Pacific/Honolulu']));
    expect(new Set(zones).size).toBe(zones.length);
  });

  it('are those of all countries sharing the number', () => {
    expect(zonesOf('+447700900123')).toEqual(expect.arrayContaining(['Europe/London', 'Europe/Jersey']));
  });

  it('are UTC if nothing is known', () => {
    expect(zonesOf(null, {}, null)).toEqual(['UTC']);
  });
});

describe('the ledger’s reason for quiet hours', () => {
  it('names the first quiet zone', () => {
    const at = new Date('2026-06-01T20:14:00Z');
    expect(quietReason(at, [BERLIN], NIGHT)).toBe('quiet_hours: 22:14 in Europe/Berlin is within 21:00 to 08:00');
    expect(quietReason(at, [NEW_YORK, BERLIN], NIGHT)).toMatch(/22:14 in Europe\/Berlin/);
  });
});

describe('the local day', () => {
  it.each([
    ['of 24 hours', BERLIN, '2026-06-01T12:00:00Z', '2026-06-01', '2026-05-31T22:00:00Z', 24],
    ['at its first moment', BERLIN, '2026-05-31T22:00:00Z', '2026-06-01', '2026-05-31T22:00:00Z', 24],
    ['at its last moment', BERLIN, '2026-06-01T21:59:59.999Z', '2026-06-01', '2026-05-31T22:00:00Z', 24],
    ['of 23 hours', BERLIN, '2026-03-29T12:00:00Z', '2026-03-29', '2026-03-28T23:00:00Z', 23],
    ['of 25 hours', BERLIN, '2026-10-25T12:00:00Z', '2026-10-25', '2026-10-24T22:00:00Z', 25],
    ['of 23.5 hours', LORD_HOWE, '2026-10-03T20:00:00Z', '2026-10-04', '2026-10-03T13:30:00Z', 23.5],
    ['of 24.5 hours', LORD_HOWE, '2026-04-04T20:00:00Z', '2026-04-05', '2026-04-04T13:00:00Z', 24.5],
    ['without its midnight', 'America/Santiago', '2026-09-06T12:00:00Z', '2026-09-06', '2026-09-06T04:00:00Z', 23],
    ['with its last hour twice', 'America/Santiago', '2026-04-05T03:30:00Z', '2026-04-04', '2026-04-04T03:00:00Z', 25],
    ['that begins inside a gap', 'America/Toronto', '1919-03-31T12:00:00Z', '1919-03-31', '1919-03-31T04:30:00Z', 23.5],
    ['before a day that never was', 'Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29', '2011-12-29T10:00:00Z', 24],
    ['after a day that never was', 'Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31', '2011-12-30T10:00:00Z', 24],
  ])('has the right start and length: %s, %s, %s', (_, zone, at, date, start, hours) => {
    const day = dayOf(new Date(at), zone);
    expect(day).toEqual({
      date,
      start: new Date(start),
      end: new Date(Date.parse(start) + hours * 60 * MINUTE_MS),
    });
  });

  it('contains its instant, has one date throughout and adjoins the next', () => {
    const zones = fc.constantFrom(BERLIN, NEW_YORK, LORD_HOWE, 'America/Santiago', 'America/Havana', 'Africa/Cairo');
    const instants = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, zones, (at, zone) => {
        const { start, end, date } = dayOf(at, zone);
        expect(start.getTime()).toBeLessThanOrEqual(at.getTime());
        expect(end.getTime()).toBeGreaterThan(at.getTime());
        expect([start, at, earlier(end, 1)].map((instant) => dateAt(instant, zone))).toEqual([date, date, date]);
        expect(dayOf(end, zone).start).toEqual(end);
        expect(dayOf(earlier(start, 1), zone).end).toEqual(start);
      }),
      { numRuns: 500 },
    );
  });
});
