import type { Schemas } from './client';

type InboxRow = Schemas['InboxRow'];
export type ListFilters = Schemas['InboxFilters'];
/** A view with the filters that are given besides. */
export interface InboxFilters extends ListFilters {
  view: string;
}

/** The view of an address without one. */
export const FIRST_VIEW = 'mine';
/** The view beside a conversation that was opened by its address. */
export const VIEW_OF_LINKS = 'all';

const CHOICES = {
  status: ['open', 'closed', 'snoozed', 'all'],
  waiting_on: ['customers', 'human_agents'],
  unread: ['true', 'false'],
  order: ['newest', 'waiting', 'sla', 'created'],
} as const;
const TEXTS = [
  ...(['view', 'q', 'assignee', 'team', 'channel', 'tag', 'answered_by', 'sla', 'contact_id'] as const),
  ...(['created_after', 'created_before'] as const),
];

/** Returns the filters in an address. What is none is left out. */
export function filtersIn(search: Record<string, unknown>): Partial<InboxFilters> {
  const chosen = Object.entries(CHOICES).filter(([name, values]) => values.some((value) => value === search[name]));
  const written = TEXTS.filter((name) => typeof search[name] === 'string' && search[name] !== '');
  const names = [...chosen.map(([name]) => name), ...written];
  return Object.fromEntries(names.map((name) => [name, search[name]]));
}

interface Reader {
  filters: ListFilters;
  memberId: number | undefined;
}

/** Returns whether a list shows a row. A search for words is known to the server alone: undefined. */
export function fits(row: InboxRow, { filters, memberId }: Reader): boolean | undefined {
  const isOneOf = (wanted: string | undefined, value: string) =>
    wanted === undefined || wanted.split(',').includes(value);
  const fitsRest =
    isOfStatus(row, filters.status) &&
    isAssigned(row, filters.assignee, memberId) &&
    isOneOf(filters.team, row.team?.id ?? 'none') &&
    isOneOf(filters.channel, row.channel) &&
    isOneOf(filters.waiting_on, row.waiting_on ?? '') &&
    isOneOf(filters.answered_by, row.answered_by) &&
    isOneOf(filters.sla, slaStateOf(row)) &&
    isOneOf(filters.unread, String(row.unread === true)) &&
    isOneOf(filters.contact_id, row.contact?.id ?? '') &&
    hasTag(row, filters.tag) &&
    createdAt(row) >= Date.parse(filters.created_after ?? '1970-01-01') &&
    createdAt(row) < timeOf(filters.created_before);
  return fitsRest && filters.q !== undefined ? undefined : fitsRest;
}

function isOfStatus({ status, snoozed_at }: InboxRow, wanted: ListFilters['status']): boolean {
  if (wanted === undefined || wanted === 'all') return true;
  if (wanted === 'closed') return status !== 'open';
  return status === 'open' && (snoozed_at !== null) === (wanted === 'snoozed');
}

function isAssigned({ assignee }: InboxRow, wanted: string | undefined, memberId: number | undefined): boolean {
  if (wanted === undefined) return true;
  return wanted === 'none' ? assignee === null : assignee?.id === (wanted === 'me' ? memberId : Number(wanted));
}

const hasTag = ({ tags }: InboxRow, wanted: string | undefined): boolean =>
  wanted === undefined || tags.some((tag) => tag.toLowerCase() === wanted.trim().toLowerCase());

/** Returns the state of the next target now: it may have been missed since the row was read. */
export function slaStateOf({ sla }: Pick<InboxRow, 'sla'>): string {
  if (sla === null) return 'none';
  return Date.parse(sla.due_at) <= Date.now() ? 'breached' : sla.state;
}

const NEVER = Number.MAX_SAFE_INTEGER;
/** Ids begin with the time of creation (RFC 9562, version 7). */
const createdAt = ({ id }: InboxRow): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
const timeOf = (at: string | null | undefined): number => (at == null ? NEVER : Date.parse(at));

const TIMES: Record<NonNullable<ListFilters['order']>, { at: (row: InboxRow) => number; sign: 1 | -1 }> = {
  newest: { at: (row) => (row.last_message === null ? createdAt(row) : timeOf(row.last_message.at)), sign: -1 },
  created: { at: createdAt, sign: -1 },
  waiting: { at: (row) => timeOf(row.waiting_since), sign: 1 },
  sla: { at: (row) => timeOf(row.sla?.due_at), sign: 1 },
};

/** Compares rows as the server sorts them. */
export function inOrder(order: ListFilters['order'] = 'newest'): (one: InboxRow, other: InboxRow) => number {
  const { at, sign } = TIMES[order];
  return (one, other) => sign * (at(one) - at(other) || (one.id < other.id ? -1 : Number(one.id !== other.id)));
}
