import type { LinkProps } from '@tanstack/react-router';
import type { Moments, ReportName } from '../../api/analytics';
import type { Tone } from '../../ui/charts/parts-bar';
import { isPeriod } from './days';

export type Kind = 'count' | 'seconds' | 'share' | 'score' | 'cost';

export interface Figure {
  key: string;
  name: string;
  kind: Kind;
  /** Whether more of it is better, worse, or neither. */
  more?: 'better' | 'worse';
}

/** The items that a number counts: their range, and their group if not all. */
export interface Counted extends Moments {
  /** The same range in days of the org's time zone, both included. */
  first: string;
  last: string;
  by: string;
  key?: string | null;
  channel?: string | undefined;
  team?: string | undefined;
}

export interface Shown {
  id: string;
  title: string;
  report: ReportName;
  groups: readonly string[];
  figures: Figure[];
  /** The figures that a chart stacks. `isSpread`: the second is a percentile above the first. */
  chart: { key: string; name: string; tone: Tone }[];
  isSpread?: boolean;
  /** Returns the list that a figure counts, if there is such a list. */
  linkOf?: (figure: string, counted: Counted) => LinkProps | undefined;
  /** Why numbers do not lead to a list. */
  note?: string;
  /** Whether channel and team narrow it. */
  isOfSessions: boolean;
}

const count = (key: string, name: string, more?: 'better' | 'worse'): Figure => ({
  key,
  name,
  kind: 'count',
  ...(more !== undefined && { more }),
});
const seconds = (key: string, name: string): Figure => ({ key, name, kind: 'seconds', more: 'worse' });
const share = (key: string, name: string, more: 'better' | 'worse' = 'better'): Figure => ({
  key,
  name,
  kind: 'share',
  more,
});

const PERIODS = ['day', 'week', 'month'] as const;
const ALL_ALONE = 'The inbox has no filter for the other numbers, so only those of all conversations lead to it.';
const OF_SESSIONS = [...PERIODS, 'channel', 'team', 'assignee', 'language'];

const STATUS_OF: Record<string, object> = {
  deliveries: {},
  waiting: { outcome: 'waiting' },
  delivered: { outcome: 'delivered' },
  read: { status: 'read' },
  bounced: { status: 'bounced' },
  failed: { status: 'failed' },
  suppressed: { status: 'suppressed' },
  skipped: { status: 'skipped' },
  unknown: { status: 'unknown' },
  canceled: { status: 'canceled' },
};
const FILTER_OF_GROUP: Record<string, string> = { channel: 'channel', sequence: 'sequence_id', reason: 'reason' };

/** Returns the deliveries of a figure. Some groups, such as no reason, have no filter. */
function deliveriesOf(figure: string, { from, to, by, key }: Counted): LinkProps | undefined {
  const status = STATUS_OF[figure];
  if (status === undefined) return undefined;
  if (key === undefined || isPeriod(by)) return { to: '/outbound/deliveries', search: { from, to, ...status } };
  const filter = FILTER_OF_GROUP[by];
  if (filter === undefined || key === null) return undefined;
  const group = { [filter]: key };
  return { to: '/outbound/deliveries', search: { from, to, ...status, ...group } };
}

/** Returns the conversations of all statuses that were opened in the range, as the inbox lists them. */
function sessionsOf(figure: string, { from, to, by, key, channel, team }: Counted): LinkProps | undefined {
  if (figure !== 'sessions') return undefined;
  const range = {
    view: 'all',
    ...({ status: 'all', order: 'created' } as const),
    created_after: from,
    created_before: to,
    channel,
    team,
  };
  if (key === undefined || isPeriod(by)) return { to: '/inbox', search: range };
  if (by === 'language' || (key === null && by === 'channel')) return undefined;
  return { to: '/inbox', search: { ...range, [by]: key ?? 'none' } };
}

const STATE_OF: Record<string, string> = {
  turns_answered: 'answered',
  turns_asked: 'asked',
  turns_handed_off: 'handed_off',
};

/** Returns the turns of a figure. */
function turnsOf(figure: string, { from, to, by, key, channel, team }: Counted): LinkProps | undefined {
  const state = STATE_OF[figure];
  if (state === undefined || channel !== undefined || team !== undefined) return undefined;
  return key === undefined || isPeriod(by) ? { to: '/ai', search: { state, from, to } } : undefined;
}

/** What the page shows, by the name in the address. */
export const SHOWN: Shown[] = [
  {
    id: 'volumes',
    title: 'Volumes',
    report: 'conversations',
    groups: OF_SESSIONS,
    figures: [
      count('sessions', 'Conversations'),
      count('open', 'Open'),
      count('resolved', 'Resolved', 'better'),
      count('unresolved', 'Unresolved', 'worse'),
      count('handed_off', 'Handed off'),
      count('contact_messages', 'By customers'),
      count('ai_messages', 'By the AI'),
      count('agent_messages', 'By people'),
    ],
    chart: [
      { key: 'resolved', name: 'resolved', tone: 'good' },
      { key: 'unresolved', name: 'unresolved', tone: 'bad' },
      { key: 'open', name: 'open', tone: 'accent' },
    ],
    linkOf: sessionsOf,
    note: ALL_ALONE,
    isOfSessions: true,
  },
  {
    id: 'first-reply',
    title: 'Reply times',
    report: 'conversations',
    groups: OF_SESSIONS,
    figures: [
      count('sessions', 'Conversations'),
      seconds('first_response_p50_seconds', 'First answer'),
      seconds('first_response_p90_seconds', 'First answer, 90%'),
      seconds('first_reply_p50_seconds', 'By a person'),
      seconds('first_reply_p90_seconds', 'By a person, 90%'),
      seconds('resolution_p50_seconds', 'Resolution'),
      seconds('resolution_p90_seconds', 'Resolution, 90%'),
    ],
    chart: [
      { key: 'first_reply_p50_seconds', name: 'median minutes to the first reply of a person', tone: 'accent' },
      { key: 'first_reply_p90_seconds', name: 'nine in ten are faster', tone: 'plain' },
    ],
    isSpread: true,
    linkOf: sessionsOf,
    note: ALL_ALONE,
    isOfSessions: true,
  },
  {
    id: 'sla',
    title: 'SLA',
    report: 'sla',
    groups: [...PERIODS, 'policy', 'team', 'channel', 'assignee'],
    figures: [
      count('first_reply_met', 'First reply met', 'better'),
      count('first_reply_breached', 'Missed', 'worse'),
      share('first_reply_compliance', 'First reply'),
      count('next_reply_met', 'Next reply met', 'better'),
      count('next_reply_breached', 'Missed', 'worse'),
      share('next_reply_compliance', 'Next reply'),
      count('resolution_met', 'Resolution met', 'better'),
      count('resolution_breached', 'Missed', 'worse'),
      share('resolution_compliance', 'Resolution'),
    ],
    chart: [
      { key: 'first_reply_met', name: 'first replies in time', tone: 'good' },
      { key: 'first_reply_breached', name: 'first replies too late', tone: 'bad' },
    ],
    note: 'The inbox lists what is breached now, not what was in a range, so these numbers do not lead to it.',
    isOfSessions: true,
  },
  {
    id: 'csat',
    title: 'CSAT',
    report: 'csat',
    groups: OF_SESSIONS,
    figures: [
      count('scores', 'Scores', 'better'),
      { key: 'average', name: 'Average', kind: 'score', more: 'better' },
      share('satisfied', 'Satisfied'),
      ...[5, 4, 3, 2, 1].map((score) => count(`score_${score}`, `${score} of 5`)),
    ],
    chart: [
      { key: 'score_5', name: '5', tone: 'good' },
      { key: 'score_4', name: '4', tone: 'accent' },
      { key: 'score_3', name: '3', tone: 'plain' },
      { key: 'score_2', name: '2', tone: 'warn' },
      { key: 'score_1', name: '1', tone: 'bad' },
    ],
    linkOf: (figure, { by, key, first, last, channel, team }) =>
      figure === 'scores' && (key === undefined || isPeriod(by))
        ? { to: '/analytics', search: { show: 'csat', by, from: first, to: last, channel, team }, hash: 'list' }
        : undefined,
    isOfSessions: true,
  },
  {
    id: 'deliveries',
    title: 'Deliveries',
    report: 'deliveries',
    groups: [...PERIODS, 'channel', 'provider', 'sequence', 'reason'],
    figures: [
      count('deliveries', 'Deliveries'),
      count('waiting', 'Waiting'),
      count('handed_over', 'Handed over'),
      count('delivered', 'Delivered', 'better'),
      count('read', 'Read', 'better'),
      count('bounced', 'Bounced', 'worse'),
      count('failed', 'Failed', 'worse'),
      count('suppressed', 'Suppressed'),
      count('skipped', 'Skipped'),
      count('unknown', 'Unknown', 'worse'),
      count('canceled', 'Canceled'),
      share('delivery_rate', 'Delivery rate'),
      share('bounce_rate', 'Bounce rate', 'worse'),
    ],
    chart: [
      { key: 'handed_over', name: 'handed over', tone: 'good' },
      { key: 'waiting', name: 'waiting', tone: 'accent' },
      { key: 'failed', name: 'failed', tone: 'bad' },
      { key: 'suppressed', name: 'suppressed', tone: 'warn' },
      { key: 'skipped', name: 'skipped', tone: 'plain' },
    ],
    linkOf: deliveriesOf,
    isOfSessions: false,
  },
  {
    id: 'ai',
    title: 'AI',
    report: 'ai',
    groups: [...PERIODS, 'channel', 'team'],
    figures: [
      count('sessions', 'Conversations'),
      count('answered_by_ai', 'AI answered', 'better'),
      share('answered_share', 'Share'),
      count('only_by_ai', 'Only the AI', 'better'),
      share('only_by_ai_share', 'Share'),
      count('resolved_by_ai', 'Resolved', 'better'),
      share('came_back_share', 'Came back', 'worse'),
      count('turns', 'Times asked'),
      count('turns_answered', 'Answered', 'better'),
      count('turns_asked', 'Asked back'),
      count('turns_handed_off', 'Handed off', 'worse'),
      { key: 'cost', name: 'Cost', kind: 'cost', more: 'worse' },
    ],
    chart: [
      { key: 'turns_answered', name: 'answered', tone: 'good' },
      { key: 'turns_asked', name: 'asked back', tone: 'accent' },
      { key: 'turns_handed_off', name: 'handed off', tone: 'warn' },
      { key: 'turns_skipped', name: 'said nothing', tone: 'plain' },
    ],
    linkOf: turnsOf,
    note: 'The list of the AI’s answers has no filter by channel and team: numbers of those lead nowhere.',
    isOfSessions: true,
  },
];

export const GROUP_NAMES: Record<string, string> = {
  day: 'Day',
  week: 'Week',
  month: 'Month',
  channel: 'Channel',
  team: 'Team',
  assignee: 'Member',
  language: 'Language',
  policy: 'Policy',
  provider: 'Provider',
  sequence: 'Sequence',
  reason: 'Reason',
};

/** Returns a figure as it is read. */
export function shownFigure(value: number | null | undefined, kind: Kind): string {
  if (value === null || value === undefined) return '–';
  if (kind === 'share') return `${(value * 100).toFixed(1)}%`;
  if (kind === 'seconds') return shownSeconds(value);
  if (kind === 'score' || kind === 'cost') return value.toFixed(2);
  return value.toLocaleString();
}

function shownSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1_440)} d ${Math.floor((minutes % 1_440) / 60)} h`;
}

export interface Difference {
  text: string;
  tone: 'good' | 'bad' | 'plain';
}

/** Returns how a figure differs from the one of the period before. Undefined where there is nothing to compare. */
export function differenceOf(
  now: number | null,
  before: number | null,
  { kind, more }: Figure,
): Difference | undefined {
  if (now === null || before === null) return undefined;
  const change = now - before;
  const text = kind === 'share' || kind === 'score' ? inPoints(change, kind) : inPercent(change, before);
  if (text === undefined) return undefined;
  const isGood = change > 0 === (more === 'better');
  const tone = change === 0 || more === undefined ? 'plain' : isGood ? 'good' : 'bad';
  return { text, tone };
}

const signed = (text: string, change: number): string => `${change < 0 ? '−' : '+'}${text}`;

const inPoints = (change: number, kind: 'share' | 'score'): string =>
  kind === 'share'
    ? signed(`${Math.abs(change * 100).toFixed(1)} points`, change)
    : signed(Math.abs(change).toFixed(2), change);

const inPercent = (change: number, before: number): string | undefined =>
  before === 0 ? undefined : signed(`${Math.abs((change / before) * 100).toFixed(0)}%`, change);
