import type { SlaMetric } from '../../src/sla/clocks/timelines.rules.ts';

const MINUTE_MS = 60_000;

export interface OracleFact {
  at: number;
  kind: 'contact' | 'human_agent' | 'ai' | 'handoff' | 'takeover' | 'returned' | 'closed' | 'opened';
}

/** The state of a clock at the end of the walk. */
export interface OracleClock {
  metric: SlaMetric;
  cycle: number;
  elapsedMs: number;
  isRunning: boolean;
  isStopped: boolean;
  /** When it had counted its target. */
  reachedAt: number | null;
  /** When it ran on after that. */
  breachedAt: number | null;
}

interface Now {
  closed: boolean;
  handedOff: boolean;
  lastSaid: 'contact' | 'human_agent' | 'ai' | null;
  personHasSpoken: boolean;
  /** The reply that a human agent owes to the contact or a handoff. */
  owed: { metric: SlaMetric; cycle: number } | null;
  aiStandsIn: boolean;
  nextReplies: number;
}

/**
 * Walks a session through time from its creation to `until`, in steps of a minute and from fact to fact within a
 * minute. At each step it determines the running clocks from a state of plain booleans. It builds no spans and knows
 * nothing of calendars: `isOpen` returns whether a minute counts.
 */
export function walk(
  createdAt: number,
  until: number,
  facts: OracleFact[],
  targets: Record<SlaMetric, number | null>,
  isOpen: (at: number) => boolean,
): OracleClock[] {
  const state: Now = {
    closed: false,
    handedOff: false,
    lastSaid: null,
    personHasSpoken: false,
    owed: null,
    aiStandsIn: false,
    nextReplies: 0,
  };
  const clocks = new Map<string, OracleClock>();
  const clockOf = (metric: SlaMetric, cycle: number): OracleClock => {
    const key = `${metric} ${cycle}`;
    const clock = clocks.get(key) ?? {
      metric,
      cycle,
      elapsedMs: 0,
      isRunning: false,
      isStopped: false,
      reachedAt: null,
      breachedAt: null,
    };
    clocks.set(key, clock);
    return clock;
  };
  clockOf('resolution', 1).isRunning = true;

  let next = 0;
  let at = createdAt;
  for (;;) {
    for (; next < facts.length && (facts[next] as OracleFact).at <= at; next++) take(facts[next] as OracleFact);
    if (at >= until) break;
    const to = Math.min(
      until,
      (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS,
      facts[next]?.at ?? Number.POSITIVE_INFINITY,
    );
    for (const clock of clocks.values()) if (clock.isRunning) run(clock, at, to);
    at = to;
  }
  for (const clock of clocks.values()) {
    if (clock.isRunning && clock.reachedAt !== null) clock.breachedAt ??= until;
  }
  return [...clocks.values()].filter(({ metric }) => targets[metric] !== null);

  function run(clock: OracleClock, from: number, to: number): void {
    const leftMs = (targets[clock.metric] ?? Number.POSITIVE_INFINITY) * 1000 - clock.elapsedMs;
    if (isOpen(from)) {
      if (leftMs <= to - from) clock.reachedAt ??= from + leftMs;
      clock.elapsedMs += to - from;
    }
    if (clock.reachedAt !== null && clock.reachedAt < to) clock.breachedAt ??= Math.max(clock.reachedAt, from);
  }

  function take({ kind }: OracleFact): void {
    const owe = () => {
      if (state.owed === null)
        state.owed = state.personHasSpoken
          ? { metric: 'next_reply', cycle: ++state.nextReplies }
          : { metric: 'first_reply', cycle: 1 };
      clockOf(state.owed.metric, state.owed.cycle);
    };
    if (kind === 'closed') state.closed = true;
    if (kind === 'opened') state.closed = false;
    if (kind === 'takeover') state.handedOff = true;
    if (kind === 'returned') state.handedOff = false;
    if (kind === 'contact') {
      state.lastSaid = 'contact';
      state.aiStandsIn = false;
      owe();
    }
    if (kind === 'ai') {
      state.lastSaid = 'ai';
      state.aiStandsIn = !state.handedOff;
    }
    if (kind === 'human_agent') {
      state.lastSaid = 'human_agent';
      state.personHasSpoken = true;
      if (state.owed !== null) {
        const answered = clockOf(state.owed.metric, state.owed.cycle);
        answered.isStopped = true;
        answered.isRunning = false;
      }
      state.owed = null;
    }
    if (kind === 'handoff') {
      state.handedOff = true;
      state.lastSaid = null;
      state.aiStandsIn = false;
      if (!state.personHasSpoken) owe();
    }
    const resolution = clockOf('resolution', 1);
    resolution.isStopped = state.closed;
    resolution.isRunning = !state.closed && state.lastSaid !== 'ai' && state.lastSaid !== 'human_agent';
    if (state.owed !== null)
      clockOf(state.owed.metric, state.owed.cycle).isRunning = !state.closed && !state.aiStandsIn;
  }
}
