import type { Clock } from './rules.ts';
import type { ClockChange } from './timelines.rules.ts';

/** The announcements already made for a clock. */
export interface AnnouncedState {
  changes_told: number;
  warned_at: Date | null;
  breached_at: Date | null;
}

/** The announcements to make for a clock now, each once in its life. */
export interface PendingAnnouncements {
  changes: ClockChange[];
  isWarning: boolean;
  isBreach: boolean;
}

/**
 * Returns the announcements not yet made. A breach is not announced a second time, even if a changed policy gave the
 * clock more time. If a session came under its policy late, earlier changes are reduced to the start and a pause still
 * in effect.
 */
export function pendingAnnouncementsOf(
  clock: Clock,
  told: AnnouncedState | undefined,
  appliedAt: Date,
  now: Date,
): PendingAnnouncements {
  const changes =
    told !== undefined
      ? clock.changes.slice(told.changes_told)
      : clock.changes.filter(
          ({ at, type }, index) =>
            index === 0 || at >= appliedAt || (type === 'paused' && index === clock.changes.length - 1),
        );
  const isBreach = clock.breached_at !== null && (told?.breached_at ?? null) === null;
  const isOnTheWay = clock.state === 'running' && (told?.warned_at ?? null) === null;
  return { changes, isBreach, isWarning: isOnTheWay && clock.warning_at !== null && clock.warning_at <= now };
}

/** Returns false for clocks stopped before the session came under a policy. */
export const isCountedUnder = ({ stopped_at }: Clock, appliedAt: Date): boolean =>
  stopped_at === null || stopped_at >= appliedAt;

/**
 * Returns the outcome of a clock, or null while it is undecided. A breach is final even if the clock runs on. A met
 * clock counts as met until it is reopened.
 */
export function outcomeOf({ breached_at, stopped_at }: Clock) {
  if (breached_at !== null) return { outcome: 'breached' as const, decided_at: breached_at };
  if (stopped_at !== null) return { outcome: 'met' as const, decided_at: stopped_at };
  return { outcome: null, decided_at: null };
}

/** Returns the next warning or due time. `warned` are the clocks with a warning already given. */
export function nextMomentOf(clocks: Clock[], warned: Set<Clock>): { what: string; at: Date } | null {
  const moments = clocks
    .filter(({ state }) => state === 'running')
    .flatMap((clock) => {
      const name = clock.metric.replace('_', ' ');
      const due = clock.due_at === null ? [] : [{ what: `${name} due`, at: clock.due_at }];
      if (clock.warning_at === null || warned.has(clock)) return due;
      return [...due, { what: `${name} warning`, at: clock.warning_at }];
    });
  return moments.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0] ?? null;
}

/** Describes each clock on one line, for the operator. */
export function describeClocks(policy: string, clocks: Clock[]): string {
  const lines = clocks.map(({ metric, cycle, state, elapsed_seconds, target_seconds, due_at }) => {
    const name = metric === 'next_reply' ? `next reply ${cycle}` : metric.replace('_', ' ');
    const due = due_at === null ? '' : `, due ${due_at.toISOString()}`;
    return `- ${name}: ${state}, ${Math.floor(elapsed_seconds)} of ${target_seconds} s${due}`;
  });
  const shown = lines.length > MAX_LINES ? ['- …', ...lines.slice(-MAX_LINES)] : lines;
  return [`**${policy}**`, ...shown].join('\n');
}

const MAX_LINES = 20;
