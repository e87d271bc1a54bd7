import {
  addBusinessSeconds,
  type BusinessCalendar,
  businessSecondsBetween,
  type Interval,
  openIntervals,
} from '../../desk/office-hours/business-time.rules.ts';
import type { ClockChange, ClockTimeline, RunningPeriod } from './timelines.rules.ts';

/** The fraction of the target that triggers the warning. */
const WARNING_FRACTION = 0.8;

export interface SlaTargets {
  first_reply_target_seconds: number | null;
  next_reply_target_seconds: number | null;
  resolution_target_seconds: number | null;
}

/** The state of one clock of a session. */
export interface Clock {
  metric: ClockTimeline['metric'];
  /** Counts from 1 for each metric. Only next replies have more than one. */
  cycle: number;
  target_seconds: number;
  /** `breached` takes precedence over all other states. `stopped_at` is null while it runs or is paused. */
  state: 'running' | 'paused' | 'fulfilled' | 'breached';
  started_at: Date;
  stopped_at: Date | null;
  /** Null while it is paused or stopped, and if it is more than ten years away. */
  due_at: Date | null;
  warning_at: Date | null;
  /** When the target was passed. */
  breached_at: Date | null;
  elapsed_seconds: number;
  /** The counted intervals up to now: sorted and disjoint. */
  intervals: Interval[];
  changes: ClockChange[];
}

/** Returns the session's clocks at `now`, one for each timeline with a target. Without a calendar all time counts. */
export function clocksOf(
  turns: ClockTimeline[],
  targets: SlaTargets,
  calendar: BusinessCalendar | null,
  now: Date,
): Clock[] {
  return turns.flatMap((turn) => {
    const target = targets[`${turn.metric}_target_seconds`];
    return target === null ? [] : [clockOf(turn, target, calendar, now)];
  });
}

function clockOf(turn: ClockTimeline, target: number, calendar: BusinessCalendar | null, now: Date): Clock {
  const { metric, cycle, startedAt, stoppedAt, runningPeriods, changes } = turn;
  const intervals = mergedIntervals(
    runningPeriods.flatMap(({ start, end }) => countedIntervals(calendar, start, end ?? now)),
  );
  const breach = targetMomentOf(runningPeriods, target, calendar, now);
  const isRunning = runningPeriods.at(-1)?.end === null;
  const runningState = isRunning ? 'running' : 'paused';
  return {
    metric,
    cycle,
    target_seconds: target,
    state: breach.isPassed ? 'breached' : stoppedAt === null ? runningState : 'fulfilled',
    started_at: startedAt,
    stopped_at: stoppedAt,
    due_at: isRunning ? breach.at : null,
    warning_at: isRunning ? targetMomentOf(runningPeriods, target * WARNING_FRACTION, calendar, now).at : null,
    breached_at: breach.isPassed ? breach.at : null,
    elapsed_seconds: intervals.reduce((sum, { start, end }) => sum + end.getTime() - start.getTime(), 0) / 1000,
    intervals,
    changes,
  };
}

interface TargetMoment {
  at: Date | null;
  isPassed: boolean;
}

/**
 * Returns the moment when the clock has counted this many seconds. It is passed if the clock ran on afterwards, even
 * outside the hours that count: an answer exactly at the due time is in time, a later one is not. The moment is null if
 * it has not come and, in the clock's present state, will not come.
 */
function targetMomentOf(
  stretches: RunningPeriod[],
  seconds: number,
  calendar: BusinessCalendar | null,
  now: Date,
): TargetMoment {
  let leftMs = Math.round(seconds * 1000);
  for (const { start, end } of stretches) {
    if (end === null) {
      const at = addCountedMs(calendar, start, leftMs);
      return { at, isPassed: at !== null && at <= now };
    }
    const countedMs = countedMsBetween(calendar, start, end);
    if (countedMs >= leftMs) {
      const at = addCountedMs(calendar, start, leftMs);
      if (at !== null && at < end) return { at, isPassed: true };
    }
    leftMs -= countedMs;
  }
  return { at: null, isPassed: false };
}

const addCountedMs = (calendar: BusinessCalendar | null, from: Date, ms: number): Date | null =>
  calendar === null ? new Date(from.getTime() + ms) : addBusinessSeconds(calendar, from, ms / 1000);

const countedMsBetween = (calendar: BusinessCalendar | null, from: Date, to: Date): number =>
  calendar === null ? to.getTime() - from.getTime() : Math.round(businessSecondsBetween(calendar, from, to) * 1000);

function countedIntervals(calendar: BusinessCalendar | null, start: Date, end: Date): Interval[] {
  if (end <= start) return [];
  return calendar === null ? [{ start, end }] : openIntervals(calendar, start, end);
}

/** Merges adjacent intervals. */
function mergedIntervals(intervals: Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { start, end } of intervals) {
    const last = result.at(-1);
    if (last !== undefined && last.end.getTime() === start.getTime()) last.end = end;
    else result.push({ start, end });
  }
  return result;
}
