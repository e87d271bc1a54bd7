import type { Clock } from './clocks.rules.ts';
import type { ClockChange } from './timelines.rules.ts';

/** What was told of a clock so far. */
export interface AnnouncedState {
  changes_told: number;
  warned_at: Date | null;
  breached_at: Date | null;
}

/** What is to be told of a clock now, each once in its life. */
export interface PendingAnnouncements {
  changes: ClockChange[];
  isWarning: boolean;
  isBreach: boolean;
}

/**
 * What nobody was told yet. A clock that breached is not announced a second time, even where a changed policy gave it more time. Where a
 * session came under its policy late, only the gist of what was before is told.
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

/** Clocks that had stopped before the session came under a policy do not count. */
export const isCountedUnder = ({ stopped_at }: Clock, appliedAt: Date): boolean =>
  stopped_at === null || stopped_at >= appliedAt;

/** How a clock ended, or will be counted until it goes on: null where that is open. A breach stands though the clock runs on. */
export function outcomeOf({ breached_at, stopped_at }: Clock) {
  if (breached_at !== null) return { outcome: 'breached' as const, decided_at: breached_at };
  if (stopped_at !== null) return { outcome: 'met' as const, decided_at: stopped_at };
  return { outcome: null, decided_at: null };
}

/** What comes next: a warning or a due time. `warned` are the clocks that have warned. */
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

/** One line a clock, for the operator. */
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
