import fc from 'fast-check';
import type { SessionFact } from '../../src/conversations/sessions/sla-facts.service.ts';
import {
  businessCalendar,
  DAYS_OF,
  type DayOfWeek,
  type WorkingTime,
} from '../../src/desk/office-hours/business-time.rules.ts';
import { type Clock, clocksOf, type SlaTargets } from '../../src/sla/clocks/rules.ts';
import { timelinesOf } from '../../src/sla/clocks/timelines.rules.ts';
import { datesAround, minutesOf, openMinutes } from '../desk/office-hours/business-time-oracle.ts';
import { type OracleFact, walk } from './oracle.ts';

const IS_LONG = process.env.TEST_TIER === 'long';
const RUNS = IS_LONG ? 20_000 : 600;
const MINUTE_MS = 60_000;
const T0 = Date.parse('2026-06-01T12:00Z');

const KINDS = ['contact', 'human_agent', 'ai', 'handoff', 'takeover', 'returned', 'closed', 'opened'] as const;
const targets = (first: number | null, next: number | null, resolution: number | null): SlaTargets => ({
  first_reply_target_seconds: first,
  next_reply_target_seconds: next,
  resolution_target_seconds: resolution,
});
/** For example '5 contact': a message of the contact five minutes after the beginning. */
const factsOf = (...texts: string[]): SessionFact[] =>
  texts.map((text) => {
    const [minute, kind] = text.split(' ');
    return { at: new Date(T0 + Number(minute) * MINUTE_MS), kind: kind as SessionFact['kind'] };
  });
/** Returns the state of the clocks after `now` minutes, such as 'first_reply 1 running 5'. */
const shown = (now: number, facts: SessionFact[], of = targets(600, 600, 1_200)) =>
  clocksOf(timelinesOf(new Date(T0), facts), of, null, new Date(T0 + now * MINUTE_MS)).map(
    ({ metric, cycle, state, elapsed_seconds }) => `${metric} ${cycle} ${state} ${elapsed_seconds / 60}`,
  );

describe('the clocks of a session', () => {
  it.each<[string, number, string[], string[]]>([
    ['nothing is said', 3, [], ['resolution 1 running 3']],
    ['a contact waits', 7, ['2 contact', '4 contact'], ['first_reply 1 running 5', 'resolution 1 running 7']],
    ['a person answers', 9, ['2 contact', '5 human_agent'], ['first_reply 1 fulfilled 3', 'resolution 1 paused 5']],
    [
      'a person answers at the very due time',
      30,
      ['2 contact', '12 human_agent'],
      ['first_reply 1 fulfilled 10', 'resolution 1 paused 12'],
    ],
    [
      'a person answers late',
      30,
      ['2 contact', '13 human_agent'],
      ['first_reply 1 breached 11', 'resolution 1 paused 13'],
    ],
    ['a person speaks first', 5, ['2 human_agent', '4 contact'], ['next_reply 1 running 1', 'resolution 1 running 3']],
    ['the AI answers', 9, ['2 contact', '3 ai'], ['first_reply 1 paused 1', 'resolution 1 paused 3']],
    [
      'the AI answers, and hands off later',
      9,
      ['2 contact', '3 ai', '7 handoff'],
      ['first_reply 1 running 3', 'resolution 1 running 5'],
    ],
    ['the AI speaks after a handoff', 9, ['2 handoff', '3 ai'], ['first_reply 1 running 7', 'resolution 1 paused 3']],
    ['a handoff without a word', 9, ['2 handoff'], ['first_reply 1 running 7', 'resolution 1 running 9']],
    [
      'a takeover',
      9,
      ['2 contact', '3 ai', '5 takeover', '5 human_agent'],
      ['first_reply 1 fulfilled 1', 'resolution 1 paused 3'],
    ],
    [
      'it is returned to the AI, which answers again',
      9,
      ['2 contact', '3 handoff', '5 returned', '6 contact', '7 ai'],
      ['first_reply 1 paused 5', 'resolution 1 paused 7'],
    ],
    [
      'it is returned to the AI, which says nothing',
      9,
      ['2 contact', '3 ai', '4 handoff', '5 returned'],
      ['first_reply 1 running 6', 'resolution 1 running 8'],
    ],
    ['it is closed', 9, ['2 contact', '4 closed'], ['first_reply 1 paused 2', 'resolution 1 fulfilled 4']],
    [
      'it is reopened',
      9,
      ['2 contact', '4 closed', '7 opened', '7 contact'],
      ['first_reply 1 running 4', 'resolution 1 running 6'],
    ],
    [
      'many turns',
      20,
      ['0 contact', '1 human_agent', '3 contact', '5 human_agent', '6 contact'],
      ['first_reply 1 fulfilled 1', 'next_reply 1 fulfilled 2', 'next_reply 2 breached 14', 'resolution 1 running 17'],
    ],
  ])('are correct in the case “%s”', (_, now, texts, expected) => {
    expect(shown(now, factsOf(...texts))).toEqual(expected);
  });

  it('exist only for metrics with a target', () => {
    expect(shown(3, factsOf('1 contact'), targets(null, 600, null))).toEqual([]);
    expect(shown(3, factsOf('1 contact'), targets(60, null, null))).toEqual(['first_reply 1 breached 2']);
  });

  it('never move back if a fact has an earlier time than the fact before', () => {
    expect(shown(9, factsOf('4 contact', '2 human_agent'))).toEqual([
      'first_reply 1 fulfilled 0',
      'resolution 1 paused 4',
    ]);
  });

  it('count from a reopening on if the policy came after the closing', () => {
    const facts = factsOf('1 contact', '30 closed', '50 opened', '50 contact');
    const counted = (appliedAt: number) =>
      clocksOf(
        timelinesOf(new Date(T0), facts, new Date(T0 + appliedAt * MINUTE_MS)),
        targets(600, null, 1_200),
        null,
        new Date(T0 + 55 * MINUTE_MS),
      ).map(({ state, elapsed_seconds }) => [state, elapsed_seconds / 60]);
    for (const since of [30, 50, 51])
      expect(counted(since)).toEqual([
        ['running', 5],
        ['running', 5],
      ]);
    for (const since of [0, 29])
      expect(counted(since)).toEqual([
        ['breached', 34],
        ['breached', 35],
      ]);
  });

  it('never change their past when facts are added', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(60), fc.constantFrom(...KINDS))), (pairs) => {
        const facts = factsOf(...pairs.toSorted(([a], [b]) => a - b).map(([minute, kind]) => `${minute} ${kind}`));
        for (let known = 0; known < facts.length; known++) {
          const before = timelinesOf(new Date(T0), facts.slice(0, known));
          const after = timelinesOf(new Date(T0), facts);
          for (const { metric, cycle, changes } of before) {
            const same = after.find((turn) => turn.metric === metric && turn.cycle === cycle);
            expect(same?.changes.slice(0, changes.length)).toEqual(changes);
          }
        }
      }),
    );
  });
});

const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';
const LORD_HOWE = 'Australia/Lord_Howe';
/** Days around clock changes, and Kathmandu without any. */
const SPANS = [
  [BERLIN, '2026-03-27T22:00Z', '2026-03-31T00:00Z'],
  [BERLIN, '2026-10-23T22:00Z', '2026-10-27T00:00Z'],
  [NEW_YORK, '2026-03-06T22:00Z', '2026-03-10T00:00Z'],
  [NEW_YORK, '2026-10-30T22:00Z', '2026-11-03T00:00Z'],
  [LORD_HOWE, '2026-04-03T10:00Z', '2026-04-07T00:00Z'],
  [LORD_HOWE, '2026-10-02T10:00Z', '2026-10-06T00:00Z'],
  ['Asia/Kathmandu', '2026-03-27T22:00Z', '2026-03-31T00:00Z'],
] as const;
const worlds = SPANS.map(([zone, from, to]) => ({
  zone,
  from: Date.parse(from),
  minutes: minutesOf(zone, from, to),
  dates: datesAround(from, to),
}));

const times = fc
  .oneof(fc.integer({ min: 0, max: 1_439 }), fc.integer({ min: 60, max: 240 }), fc.constantFrom(0, 1_439)) // clock changes are at night
  .map((minute) => new Date(minute * MINUTE_MS).toISOString().slice(11, 19));
/** Any two times, so that there are many night shifts, and several shifts a day. */
const shifts = fc.array(
  fc.record({
    day_of_week: fc.constantFrom(...(Object.keys(DAYS_OF) as DayOfWeek[])),
    start_time: times,
    end_time: times,
  }),
  { minLength: 1, maxLength: 5 },
);
const cases = fc.constantFrom(...worlds).chain(({ zone, from, minutes, dates }) => {
  const instant = fc.oneof(
    fc.nat({ max: minutes.length - 2 }).map((minute) => from + minute * MINUTE_MS),
    fc.nat({ max: (minutes.length - 2) * MINUTE_MS }).map((ms) => from + ms),
  );
  return fc.record({
    minutes: fc.constant(minutes),
    from: fc.constant(from),
    hours: fc.option(
      fc.record({
        iana_timezone: fc.constant<string>(zone),
        shifts,
        holidays: fc.array(
          fc.constantFrom(...dates).map((date) => ({ date })),
          { maxLength: 1 },
        ),
      }),
      { freq: 6 },
    ),
    instants: fc.array(instant, { minLength: 2, maxLength: 14 }).map((all) => all.toSorted((a, b) => a - b)),
    kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 14, maxLength: 14 }),
    targets: fc.record({
      first_reply: fc.option(
        fc.oneof(
          fc.integer({ min: 60, max: 40_000 }),
          fc.integer({ min: 1, max: 400 }).map((n) => n * 60),
        ),
      ),
      next_reply: fc.option(fc.integer({ min: 60, max: 20_000 })),
      resolution: fc.option(fc.integer({ min: 300, max: 100_000 })),
    }),
  });
});

type Case = typeof cases extends fc.Arbitrary<infer One> ? One : never;

describe('a minute-by-minute oracle of SLA clocks', () => {
  /** Returns the clocks by the rules and by the oracle. The first instant is the creation, the last is now. */
  const both = ({ minutes, from, hours, instants, kinds, targets: of }: Case) => {
    const open = hours === null ? null : openMinutes(minutes, hours as WorkingTime);
    const isOpen = (at: number) => open === null || (open[Math.floor((at - from) / MINUTE_MS)] as boolean);
    const [createdAt, now] = [instants[0] as number, instants.at(-1) as number];
    const facts = instants
      .slice(1, -1)
      .map((at, index): OracleFact => ({ at, kind: kinds[index] as OracleFact['kind'] }));
    const clocks = clocksOf(
      timelinesOf(
        new Date(createdAt),
        facts.map(({ at, kind }) => ({ at: new Date(at), kind })),
      ),
      targets(of.first_reply, of.next_reply, of.resolution),
      hours === null ? null : businessCalendar(hours),
      new Date(now),
    );
    return { clocks, told: walk(createdAt, now, facts, of, isOpen), isOpen, now };
  };
  it('agrees with the elapsed time, the state, the breach and the due time of each clock', () => {
    let [compared, breached, paused, due] = [0, 0, 0, 0];
    fc.assert(
      fc.property(cases, (one) => {
        const { clocks, told, isOpen, now } = both(one);
        expect(clocks.map(nameOf).toSorted()).toEqual(told.map(nameOf).toSorted());
        for (const clock of clocks) {
          const expected = told.find((other) => nameOf(other) === nameOf(clock)) as (typeof told)[number];
          expect(clock.elapsed_seconds).toBe(expected.elapsedMs / 1000);
          expect(clock.stopped_at !== null).toBe(expected.isStopped);
          expect(clock.state).toBe(stateOf(expected));
          expect(clock.breached_at?.getTime() ?? null).toBe(expected.breachedAt);
          expectIntervals(clock, isOpen);
          compared++;
          if (clock.state === 'breached') breached++;
          if (clock.state === 'paused') paused++;
          if (
            clock.state === 'running' &&
            clock.due_at !== null &&
            clock.due_at.getTime() < (one.minutes.at(-1)?.at ?? 0)
          ) {
            expect(clock.due_at.getTime()).toBe(dueOf(clock, expected.elapsedMs, isOpen, now));
            due++;
          }
        }
      }),
      { numRuns: RUNS },
    );
    for (const count of [compared, breached, paused, due]) expect(count).toBeGreaterThan(5);
  });

  const nameOf = ({ metric, cycle }: { metric: string; cycle: number }) => `${metric} ${cycle}`;

  const stateOf = ({ isRunning, isStopped, breachedAt }: ReturnType<typeof walk>[number]): Clock['state'] => {
    if (breachedAt !== null) return 'breached';
    if (isStopped) return 'fulfilled';
    return isRunning ? 'running' : 'paused';
  };

  /** Expects the intervals to be sorted, disjoint and open throughout, and to add up to the elapsed time. */
  const expectIntervals = ({ intervals, elapsed_seconds }: Clock, isOpen: (at: number) => boolean) => {
    let [sum, last] = [0, Number.NEGATIVE_INFINITY];
    for (const { start, end } of intervals) {
      expect(start.getTime()).toBeGreaterThan(last);
      expect(end.getTime()).toBeGreaterThan(start.getTime());
      expect([start.getTime(), end.getTime() - 1].map(isOpen)).toEqual([true, true]);
      sum += end.getTime() - start.getTime();
      last = end.getTime();
    }
    expect(sum / 1000).toBe(elapsed_seconds);
  };

  /** Steps on from now until the target is counted. */
  const dueOf = (
    { target_seconds }: Clock,
    elapsedMs: number,
    isOpen: (at: number) => boolean,
    now: number,
  ): number => {
    let left = target_seconds * 1000 - elapsedMs;
    for (let at = now; ; ) {
      const to = (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS;
      if (isOpen(at)) {
        if (left <= to - at) return at + left;
        left -= to - at;
      }
      at = to;
    }
  };
});
