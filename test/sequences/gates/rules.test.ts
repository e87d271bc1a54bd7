import fc from 'fast-check';
import {
  canDefer,
  deferralOf,
  type EffectiveGates,
  effectiveGates,
  reserveSlots,
} from '../../../src/sequences/gates/rules.ts';

const RUNS = process.env.TEST_TIER === 'long' ? 500 : 80;
const MINUTE_MS = 60_000;
const START = Date.parse('2026-06-01T12:00:00Z');
const OFF: EffectiveGates = {
  quietHours: null,
  dailyCap: null,
  sendsPerMinute: null,
  exitOnReply: false,
  exitWhenUnmatched: false,
  timeZone: null,
};
const NOBODY = { quiet_hours: null, daily_cap: null, timezone: null };

describe('the gates of a sequence', () => {
  it('are all off until set', () => {
    expect(effectiveGates({}, NOBODY)).toEqual(OFF);
    expect(canDefer(OFF)).toBe(false);
  });

  it.each([
    ['its own quiet hours', { quiet_hours: { start: '20:00', end: '09:00' } }, { start: '20:00', end: '09:00' }, 3],
    ['its own cap', { daily_cap: 1 }, { start: '21:00', end: '08:00' }, 1],
    ["null for the org's", { quiet_hours: null, daily_cap: null }, { start: '21:00', end: '08:00' }, 3],
  ])("are the org's unless the sequence has its own: %s", (_, own, quietHours, dailyCap) => {
    const org = { quiet_hours: { start: '21:00', end: '08:00' }, daily_cap: 3, timezone: 'Asia/Tokyo' };
    expect(effectiveGates(own, org)).toEqual({ ...OFF, quietHours, dailyCap, timeZone: 'Asia/Tokyo' });
  });

  it.each([
    ['quiet hours', { quietHours: { start: '21:00', end: '08:00' } }, true],
    ['a daily cap', { dailyCap: 1 }, true],
    ['sends a minute', { sendsPerMinute: 1 }, true],
    ['exits', { exitOnReply: true, exitWhenUnmatched: true }, false],
  ])('may defer sends, depending on the gate: %s', (_, gates, expected) => {
    expect(canDefer({ ...OFF, ...gates })).toBe(expected);
  });
});

describe('a deferral', () => {
  const berliner = { phone_number: '+4915112345678', custom_data: {} };
  const night = { start: '21:00', end: '08:00' };
  const quiet = 'quiet_hours: 22:30 in Europe/Berlin is within 21:00 to 08:00';
  const capped = (sent: number, date: string, zone: string) =>
    `daily_cap: ${sent} of at most 2 sent on ${date} in ${zone}`;

  it.each([
    ['no gate', {}, berliner, '20:30', 9, null, null],
    ['quiet hours', { quietHours: night }, berliner, '20:30', 0, '2026-06-02T06:00Z', quiet],
    [
      'quiet hours, and a time zone that is none',
      { quietHours: night },
      { ...berliner, custom_data: { timezone: ' +05:30' } },
      '20:30',
      0,
      '2026-06-02T06:00Z',
      `${quiet}. The contact's timezone "+05:30" is not an IANA time zone`,
    ],
    [
      'quiet hours in another time zone',
      { quietHours: night },
      { ...berliner, custom_data: { timezone: 'Asia/Tokyo' } },
      '05:30',
      0,
      null,
      null,
    ],
    ['a cap not reached', { dailyCap: 2 }, berliner, '20:30', 1, null, null],
    [
      'a cap reached',
      { dailyCap: 2 },
      berliner,
      '20:30',
      2,
      '2026-06-01T22:00Z',
      capped(2, '2026-06-01', 'Europe/Berlin'),
    ],
    [
      'a cap lowered meanwhile',
      { dailyCap: 2 },
      berliner,
      '20:30',
      7,
      '2026-06-01T22:00Z',
      capped(7, '2026-06-01', 'Europe/Berlin'),
    ],
    [
      'a cap in the time zone of the org',
      { dailyCap: 2, timeZone: 'Asia/Tokyo' },
      { phone_number: null, custom_data: {} },
      '20:30',
      2,
      '2026-06-02T15:00Z',
      capped(2, '2026-06-02', 'Asia/Tokyo'),
    ],
    ['quiet hours before a cap', { quietHours: night, dailyCap: 2 }, berliner, '20:30', 2, '2026-06-02T06:00Z', quiet],
  ])('has the right end and reason: %s', (_, gates, recipient, time, sent, until, reason) => {
    const hold = deferralOf(new Date(`2026-06-01T${time}:00Z`), recipient, { ...OFF, ...gates }, sent);
    expect([hold?.until ?? null, hold?.reason ?? null]).toEqual([until === null ? null : new Date(until), reason]);
    if (hold !== null) expect(hold.reason.startsWith(`${hold.gate}: `)).toBe(true);
  });

  it('always ends later, and the same gate does not defer again at its end', () => {
    const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'nowhere');
    const times = fc.nat({ max: 1439 }).map((minute) => new Date(minute * MINUTE_MS).toISOString().slice(11, 16));
    const windows = fc.option(fc.record({ start: times, end: times }).filter(({ start, end }) => start !== end));
    const instants = fc.date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(
        instants,
        zones,
        windows,
        fc.option(fc.integer({ min: 1, max: 3 })),
        fc.nat({ max: 4 }),
        (at, timezone, quietHours, dailyCap, sent) => {
          const recipient = { phone_number: null, custom_data: { timezone } };
          const gates = { ...OFF, quietHours, dailyCap };
          const hold = deferralOf(at, recipient, gates, sent);
          if (hold === null) return;
          expect(hold.until.getTime()).toBeGreaterThan(at.getTime());
          expect(deferralOf(hold.until, recipient, gates, 0)?.gate).not.toBe(hold.gate);
        },
      ),
    );
  });
});

describe('the slots of a sender', () => {
  /** Reserves slots for each call, `afterMs` after the one before. Returns the earliest time of each send. */
  const reserveAll = (perMinute: number, calls: { afterMs: number; count: number }[]) => {
    let now = START;
    let rate: Parameters<typeof reserveSlots>[1];
    return calls.flatMap(({ afterMs, count }) => {
      now += afterMs;
      const reserved = reserveSlots(new Date(now), rate, perMinute, count);
      rate = reserved.rate;
      return reserved.slots.map((slot) => Math.max(slot.getTime(), now));
    });
  };
  const seconds = (times: number[]) => times.map((at) => (at - START) / 1_000);

  it.each([
    ['one a minute', 1, 3, [0, 60, 120]],
    ['six a minute', 6, 3, [0, 10, 20]],
    ['twelve a minute', 12, 3, [0, 5, 10]],
    ['sixty a minute, five at a time', 60, 12, [0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 10, 10]],
  ])('are evenly spaced: %s', (_, perMinute, count, expected) => {
    expect(seconds(reserveAll(perMinute, [{ afterMs: 0, count }]))).toEqual(expected);
  });

  it.each([
    [
      'at once after idle time',
      [
        { afterMs: 0, count: 1 },
        { afterMs: 600_000, count: 2 },
      ],
      [0, 600, 610],
    ],
    [
      'after slots reserved before',
      [
        { afterMs: 0, count: 3 },
        { afterMs: 5_000, count: 1 },
      ],
      [0, 10, 20, 30],
    ],
  ])('come in order of reservation: %s', (_, calls, expected) => {
    expect(seconds(reserveAll(6, calls))).toEqual(expected);
  });

  const rates = fc.oneof(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 20_000 }));
  const callsOf = (perMinute: number) =>
    fc.array(
      fc.record({
        afterMs: fc.oneof(fc.nat({ max: 6_000 }), fc.nat({ max: 200_000 })),
        count: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: Math.min(2 * perMinute, 3_000) })),
      }),
      { minLength: 1, maxLength: 12 },
    );
  const scenarios = rates.chain((perMinute) => fc.tuple(fc.constant(perMinute), callsOf(perMinute)));

  it('never exceed the limit in any minute', () => {
    fc.assert(
      fc.property(scenarios, ([perMinute, calls]) => {
        const times = reserveAll(perMinute, calls);
        for (let i = perMinute; i < times.length; i++)
          expect((times[i] as number) - (times[i - perMinute] as number)).toBeGreaterThanOrEqual(MINUTE_MS);
      }),
      { numRuns: RUNS },
    );
  });

  it('are reserved in order, first come, first served', () => {
    fc.assert(
      fc.property(scenarios, ([perMinute, calls]) => {
        const times = reserveAll(perMinute, calls);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }),
    );
  });

  it('are never later than earlier sends would take at nine tenths of the limit', () => {
    fc.assert(
      fc.property(scenarios, ([perMinute, calls]) => {
        let now = START;
        let freeAt = START;
        const times = reserveAll(perMinute, calls);
        for (const { afterMs, count } of calls) {
          now += afterMs;
          const last = times.splice(0, count).at(-1);
          if (last === undefined) continue;
          freeAt = Math.max(freeAt, now) + (count * MINUTE_MS) / (0.9 * perMinute);
          expect(last).toBeLessThanOrEqual(freeAt + MINUTE_MS / Math.min(perMinute, 12));
          freeAt = Math.max(freeAt, last);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
