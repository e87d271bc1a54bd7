import type { SessionChannel } from '../../schemas/parts.ts';
import type { HandoffReason } from './reasons.rules.ts';

/**
 * How many handoffs have a reason, a sentiment, a channel or a day, or how many sessions have these different reasons.
 * The others are null.
 */
export interface HandoffCount {
  reason: HandoffReason | null;
  sentiment: string | null;
  channel: SessionChannel | null;
  day: string | null;
  reasons: HandoffReason[] | null;
  count: number;
}

const REASONS_IN_SUMMARY = 3;

/** Returns the figures of a report from its counts, in their order. */
export function handoffFiguresOf(counts: HandoffCount[]) {
  const sessions = sumOf(counts.filter(({ reasons }) => reasons !== null));
  const total = sumOf(counts.filter(({ reason }) => reason !== null));
  const shareOf = (count: number) => ({ count, percentage: percentageOf(count, total) });
  const reasons = counts.flatMap(({ reason, count }) => (reason === null ? [] : { reason, ...shareOf(count) }));
  return {
    summary: summaryOf(total, sessions, reasons),
    total_handoffs: total,
    total_sessions: sessions,
    reasons,
    reason_combinations: counts.flatMap(({ reasons, count }) =>
      reasons === null ? [] : { reasons, session_count: count, percentage: percentageOf(count, sessions) },
    ),
    sentiments: counts.flatMap(({ sentiment, count }) => (sentiment === null ? [] : { sentiment, ...shareOf(count) })),
    channels: counts.flatMap(({ channel, count }) => (channel === null ? [] : { channel, ...shareOf(count) })),
    trends: counts.flatMap(({ day, count }) => (day === null ? [] : { date: day, count })),
  };
}

const sumOf = (counts: HandoffCount[]): number => counts.reduce((sum, { count }) => sum + count, 0);

/** Returns a share in percent, with two decimals. */
const percentageOf = (part: number, whole: number): number => Math.round((part / whole) * 10_000) / 100;

function summaryOf(total: number, sessions: number, reasons: { reason: string; percentage: number }[]): string {
  if (total === 0) return 'No session was handed off.';
  const most = reasons
    .slice(0, REASONS_IN_SUMMARY)
    .map(({ reason, percentage }) => `${reason} (${percentage} %)`)
    .join(', ');
  return `${counted(total, 'handoff')} of ${counted(sessions, 'session')}. Most frequent reasons: ${most}.`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
